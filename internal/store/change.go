package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Change lets rule look at a comment inside a transaction and applies what it
// says: status, text, decision log, review task, the version of the thread and
// the events, all or nothing. A rule that wants nothing changes nothing.
func (s *Store) Change(ctx context.Context, id postil.CommentID, rule postil.Rule) (out postil.Outcome, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		out, err = tx.change(id, rule)
		return err
	})
	return out, err
}

// Conclude is Change for the checks, on which no person waits: it shares its
// transaction with a change that somebody waits for.
func (s *Store) Conclude(ctx context.Context, id postil.CommentID, rule postil.Rule) (out postil.Outcome, err error) {
	err = s.writeBehind(ctx, func(tx *Tx) error {
		out, err = tx.change(id, rule)
		return err
	})
	return out, err
}

func (tx *Tx) change(id postil.CommentID, rule postil.Rule) (postil.Outcome, error) {
	c, err := tx.comment(id)
	if err != nil {
		return postil.Outcome{}, err
	}
	last, err := lastDecision(context.Background(), tx, id)
	if err != nil {
		return postil.Outcome{}, err
	}
	ch, err := rule(c, last)
	if err != nil || ch == nil {
		return postil.Outcome{Comment: id, Status: c.Status, Decision: last}, err
	}
	a := &application{tx: tx, was: c, now: c, ch: *ch}
	if err := a.run(); err != nil {
		return postil.Outcome{}, err
	}
	if a.decision.ID != 0 {
		last = a.decision
	}
	return postil.Outcome{Comment: id, Status: a.now.Status, Changed: true, Decision: last}, nil
}

// application is one change on its way into the tables.
type application struct {
	tx       *Tx
	was, now postil.Comment
	ch       postil.Change
	decision postil.Decision
	version  int64          // of the thread, 0 when readers see no difference
	replaced bool           // it stands elsewhere, and readers see that
	settled  bool           // reports of readers were, or are open again
	told     bool           // an open review task must be announced (again)
	textHash sql.NullString // of a new text, NULL keeps the old one
}

func (a *application) run() error {
	a.compose()
	for _, step := range []func() error{a.save, a.replace, a.settle, a.log, a.review, a.signals, a.announce} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// compose works out the comment as it will be.
func (a *application) compose() {
	c, ch := &a.now, a.ch
	if ch.To == postil.Deleted && c.Status != postil.Deleted {
		c.Before = c.Status
	}
	c.Status = ch.To
	if ch.Name != "" {
		c.Author.Name = ch.Name
	}
	if ch.Parent != nil {
		c.Parent = *ch.Parent
	}
	if ch.Draft == postil.ApplyDraft && c.Draft != nil {
		c.Text, c.HTML, c.Edited = c.Draft.Text, c.Draft.HTML, c.Draft.At
	}
	if ch.Draft != postil.KeepDraft {
		c.Draft = nil
	}
	if t := ch.Text; t != nil {
		c.Revision++
		c.Text, c.HTML, c.Edited = t.Text, t.HTML, a.tx.now
		if ch.Edited != nil {
			c.Edited = *ch.Edited
		}
		a.textHash = sql.NullString{String: t.Hash, Valid: true}
	}
	if t := ch.NewDraft; t != nil {
		c.Revision++
		c.Draft = &postil.Draft{Text: t.Text, HTML: t.HTML, At: a.tx.now}
		a.textHash = sql.NullString{String: t.Hash, Valid: true}
	}
	if ch.Checks != nil {
		c.Checked, c.Verdict, c.Findings = a.tx.now, ch.Checks.Verdict, ch.Checks.Findings
	}
	if ch.Resubmit {
		c.Checked = time.Time{}
	}
}

// save writes the columns that change. To name a column costs an entry in each
// of its indexes, whatever its value, and most changes are that of a comment
// that has been checked and goes on waiting.
func (a *application) save() error {
	was, now := a.was, a.now
	var u update
	u.set(was.Status != now.Status, "status", now.Status)
	u.set(was.Before != now.Before, "status_before", now.Before)
	u.set(was.Author.Name != now.Author.Name, "author_name", now.Author.Name)
	u.set(was.Text != now.Text, "comment_body", now.Text)
	u.set(was.HTML != now.HTML, "comment_html", now.HTML)
	u.set(!was.Edited.Equal(now.Edited), "edited_at", nullMillis(now.Edited))
	u.set(was.Revision != now.Revision, "revision", now.Revision)
	u.set(!was.Checked.Equal(now.Checked), "checked_at", nullMillis(now.Checked))
	u.set(a.textHash.Valid, "text_hash", a.textHash.String)
	if was.Draft != now.Draft {
		d := now.Draft
		if d == nil {
			d = &postil.Draft{}
		}
		u.set(true, "draft_body", sql.NullString{String: d.Text, Valid: now.Draft != nil})
		u.set(true, "draft_html", sql.NullString{String: d.HTML, Valid: now.Draft != nil})
		u.set(true, "draft_at", nullMillis(d.At))
	}
	if a.ch.Checks == nil && was.Status != now.Status && (was.Status == postil.Spam || now.Status == postil.Spam) {
		u.set(true, "doubt", sql.NullInt64{}) // a person has looked
	}
	if a.ch.Checks != nil {
		findings, err := json.Marshal(append([]postil.Finding{}, now.Findings...))
		if err != nil {
			return err
		}
		u.set(true, "verdict", now.Verdict)
		u.set(true, "findings", string(findings))
		if now.Status == postil.Spam && was.Status != postil.Spam {
			u.set(true, "doubt", int(1000*a.ch.Checks.Doubt))
		}
	}
	return u.run(a.tx, "comments", "comment_id = ? AND status = ?", int64(now.ID), was.Status)
}

// replace puts the comment beneath another one.
func (a *application) replace() error {
	if a.now.Parent == a.was.Parent {
		return nil
	}
	parent, err := a.tx.newParent(a.was, a.now.Parent)
	if err == nil {
		a.replaced, err = a.tx.replant(a.was, parent, a.was.Post)
	}
	return err
}

// settle brings visibility, counts and version up to date.
func (a *application) settle() error {
	changed := a.replaced
	if a.now.Status != a.was.Status {
		before, err := a.tx.post(a.now.Site, a.now.Post)
		if err != nil {
			return err
		}
		shows, err := a.tx.refresh(a.now)
		if err != nil {
			return err
		}
		changed = changed || shows
		if shows && a.now.Status == postil.Approved {
			if err = a.tx.namePost(a.now, before.Count == 0); err != nil {
				return err
			}
		}
	}
	if !changed && a.was.Visible == postil.Shown && a.words() {
		changed = true
		if err := a.tx.bump(a.now.Site, a.now.Post, 0, 0); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	p, err := a.tx.post(a.now.Site, a.now.Post)
	a.version = p.Version
	return err
}

// words reports whether the public text or name changed.
func (a *application) words() bool {
	return a.now.Text != a.was.Text || a.now.Author.Name != a.was.Author.Name
}

func (a *application) log() error {
	if a.ch.Verb == "" {
		return nil
	}
	d := postil.Decision{Batch: a.ch.Batch, Comment: a.now.ID, Site: a.now.Site, Verb: a.ch.Verb, From: a.was.Status, To: a.now.Status,
		By: a.ch.By, Reason: a.ch.Reason, At: a.tx.now, Undoes: a.ch.Undoes}
	if a.words() {
		d.TextBefore, d.TextAfter, d.EditedBefore = a.was.Text, a.now.Text, a.was.Edited
	} else if a.was.Draft != nil && a.ch.Draft == postil.DropDraft && a.ch.Verb == postil.Restore {
		d.TextBefore, d.TextAfter = a.was.Draft.Text, a.now.Text // what was waiting can be brought back
	}
	if a.now.Author.Name != a.was.Author.Name {
		d.NameBefore, d.NameAfter = a.was.Author.Name, a.now.Author.Name
	}
	if a.now.Parent != a.was.Parent {
		d.Moved, d.ParentBefore, d.ParentAfter = true, a.was.Parent, a.now.Parent
	}
	open, err := a.tx.reviewOpen(a.now.ID)
	if err != nil {
		return err
	}
	d.ReviewWasOpen = open
	if a.decision, err = a.tx.logDecision(d); err != nil {
		return err
	}
	a.settled, err = a.tx.settleReports(a.was, a.decision)
	return err
}

// review opens or closes the task that asks a person.
func (a *application) review() error {
	switch a.ch.Review {
	case postil.OpenReview:
		a.told = true
		return a.tx.openReview(a.now.ID)
	case postil.CloseReview:
		_, err := a.tx.exec("UPDATE reviews SET state = 'done', done_at = ? WHERE comment_id = ? AND state = 'open'", millis(a.tx.now), int64(a.now.ID))
		return err
	}
	return nil
}

// announce emits what others must learn. The same transition causes the same
// events, whoever decided and however.
func (a *application) announce() error {
	ev := postil.Event{Site: a.now.Site, Post: a.now.Post, Comment: a.now.ID, Decision: a.decision.ID, Version: a.version,
		From: a.was.Status, To: a.now.Status}
	var kinds []postil.EventKind
	switch {
	case a.now.Status != a.was.Status:
		kinds = append(kinds, postil.CommentDecided)
	case a.words() || a.now.Parent != a.was.Parent || a.now.Revision != a.was.Revision || a.was.Draft != nil && a.now.Draft == nil || a.settled:
		kinds = append(kinds, postil.CommentUpdated)
	}
	if a.told {
		kinds = append(kinds, postil.ReviewRequested)
	}
	if a.ch.Resubmit {
		kinds = append(kinds, postil.CommentSubmitted)
	}
	for _, kind := range kinds {
		ev.Kind = kind
		if err := a.tx.Emit(ev); err != nil {
			return err
		}
	}
	return nil
}
