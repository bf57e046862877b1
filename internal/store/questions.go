package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/postil/postil/internal/postil"
)

const questionColumns = "q.question_id, q.site_id, q.question, q.actor_id, q.tags, q.asked_at"

func scanQuestion(r scanner) (v postil.Question, err error) {
	var tags string
	var asked sql.NullInt64
	if err = r.Scan(&v.ID, &v.Site, &v.Text, &v.Actor, &tags, &asked); err != nil {
		return v, err
	}
	v.Asked = when(asked)
	return v, json.Unmarshal([]byte(tags), &v.Tags)
}

// AddQuestion keeps a question; folded is its text as searching compares it.
// NotFound when the site is gone.
func (s *Store) AddQuestion(ctx context.Context, v postil.Question, folded string) error {
	return s.Write(ctx, func(tx *Tx) error {
		n, err := tx.exec(`INSERT INTO questions (question_id, site_id, question, folded, actor_id, asked_at)
			SELECT ?, site_id, ?, ?, ?, ? FROM sites s WHERE s.site_id = ?`, v.ID, v.Text, folded, v.Actor, millis(v.Asked), v.Site)
		if err == nil && n == 0 {
			err = postil.Missing()
		}
		return err
	})
}

// Question returns a question, NotFound when there is none.
func (s *Store) Question(ctx context.Context, id string) (postil.Question, error) {
	return question(ctx, s, id)
}

func question(ctx context.Context, q queryer, id string) (postil.Question, error) {
	v, ok, err := one(ctx, q, scanQuestion, "SELECT "+questionColumns+" FROM questions q WHERE q.question_id = ?", id)
	if err == nil && !ok {
		err = postil.Missing()
	}
	return v, err
}

// Questions returns a page of the log, the newest first. Query is compared
// with the folded text. Each list is one walk along an index.
func (s *Store) Questions(ctx context.Context, f postil.QuestionFilter) (p postil.QuestionPage, err error) {
	w := &where{}
	if f.Site != "" {
		w.and("q.site_id = ?", f.Site)
	}
	if !f.From.IsZero() {
		w.and("q.asked_at >= ?", millis(f.From))
	}
	if !f.To.IsZero() {
		w.and("q.asked_at < ?", millis(f.To))
	}
	if f.Query != "" {
		w.and("instr(q.folded, ?) > 0", f.Query)
	}
	if f.Tag != "" {
		w.and("EXISTS (SELECT 1 FROM json_each(q.tags) t WHERE t.value = ?)", f.Tag)
	}
	if f.Cursor != "" {
		at, id, err := decodeAsked(f.Cursor)
		if err != nil {
			return p, err
		}
		w.and("(q.asked_at, q.question_id) < (?, ?)", at, id)
	}
	f.Limit = min(max(f.Limit, 1), maxListed)
	all, err := list(ctx, s, scanQuestion, "SELECT "+questionColumns+" FROM questions q"+w.String()+
		" ORDER BY q.asked_at DESC, q.question_id DESC LIMIT ?", append(w.args, f.Limit+1)...)
	if len(all) > f.Limit {
		all = all[:f.Limit]
		last := all[f.Limit-1]
		p.Next = base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(millis(last.Asked), 10) + " " + last.ID))
	}
	p.Questions = all
	return p, err
}

func decodeAsked(cursor string) (at int64, id string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	ms, id, _ := strings.Cut(string(raw), " ")
	if err == nil {
		at, err = strconv.ParseInt(ms, 10, 64)
	}
	if err != nil || id == "" {
		return 0, "", postil.InvalidField("cursor", "This marker of a page is damaged. Load the list from its start, without “cursor”.")
	}
	return at, id, nil
}

// TagQuestion sets the tags of a question.
func (s *Store) TagQuestion(ctx context.Context, id string, tags []string, by postil.By) (v postil.Question, err error) {
	text, err := json.Marshal(append([]string{}, tags...))
	if err != nil {
		return v, err
	}
	err = s.Write(ctx, func(tx *Tx) error {
		if _, err := tx.exec("UPDATE questions SET tags = ? WHERE question_id = ?", string(text), id); err != nil {
			return err
		}
		if v, err = question(ctx, tx, id); err != nil {
			return err
		}
		return tx.audit(by, "question.tag", "question:"+id, string(text))
	})
	return v, err
}

// RemoveQuestion erases a question, NotFound when there is none.
func (s *Store) RemoveQuestion(ctx context.Context, id string, by postil.By) error {
	return s.Write(ctx, func(tx *Tx) error {
		n, err := tx.exec("DELETE FROM questions WHERE question_id = ?", id)
		if err == nil && n == 0 {
			err = postil.Missing()
		}
		if err != nil {
			return err
		}
		return tx.audit(by, "question.remove", "question:"+id, "")
	})
}
