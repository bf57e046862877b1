package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/postil/postil/internal/postil"
)

// ListComments returns a page of comments for a moderator, the newest first,
// or with NeedsYou the open review tasks, the oldest first.
func (s *Store) ListComments(ctx context.Context, f postil.CommentFilter) (postil.CommentPage, error) {
	w := &where{}
	order, sign := "c.created_at DESC, c.comment_id DESC", "<"
	from := " FROM comments c"
	if f.NeedsYou {
		from = " FROM reviews r JOIN comments c ON c.comment_id = r.comment_id"
		order, sign = "r.opened_at, r.comment_id", ">"
		w.and("r.state = 'open'")
	}
	w.in("c.site_id", anys(f.Sites))
	w.in("c.status", anys(f.Statuses))
	if f.Post != "" {
		w.and("c.post_id = ?", f.Post)
	}
	if f.Author != "" {
		w.and("? IN (c.device_hash, c.actor_id, c.user_id)", f.Author)
	}
	if !f.From.IsZero() {
		w.and("c.created_at >= ?", millis(f.From))
	}
	if !f.To.IsZero() {
		w.and("c.created_at < ?", millis(f.To))
	}
	if f.Cursor != "" {
		at, id, err := decodeMark(f.Cursor)
		if err != nil {
			return postil.CommentPage{}, err
		}
		columns := "(c.created_at, c.comment_id)"
		if f.NeedsYou {
			columns = "(r.opened_at, r.comment_id)"
		}
		w.and(columns+" "+sign+" (?, ?)", at, id)
	}
	opened := "c.created_at"
	if f.NeedsYou {
		opened = "r.opened_at"
	}
	rows, err := list(ctx, s, scanMarked, "SELECT "+commentColumns+", "+opened+from+w.String()+" ORDER BY "+order+" LIMIT ?", append(w.args, f.Limit+1)...)
	return pageOf(rows, f.Limit), err
}

// marked is a comment with the time that orders its list.
type marked struct {
	postil.Comment
	at int64
}

func scanMarked(r scanner) (m marked, err error) {
	m.Comment, err = scanComment(tail{r, []any{&m.at}})
	return m, err
}

func pageOf(rows []marked, limit int) (p postil.CommentPage) {
	for i, m := range rows {
		if i == limit {
			last := rows[limit-1]
			p.Next = base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%d", last.at, last.ID))
			break
		}
		p.Comments = append(p.Comments, m.Comment)
	}
	return p
}

func decodeMark(s string) (at, id int64, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		_, err = fmt.Sscanf(string(raw), "%d.%d", &at, &id)
	}
	if err != nil {
		return 0, 0, postil.InvalidField("cursor", "This marker of a page is damaged. Load the list from its start, without “cursor”.")
	}
	return at, id, nil
}

// where collects conditions; only their texts, never values, enter the SQL.
type where struct {
	parts []string
	args  []any
}

func (w *where) and(part string, args ...any) {
	w.parts = append(w.parts, part)
	w.args = append(w.args, args...)
}

func (w *where) in(column string, values []any) {
	if len(values) == 0 {
		return
	}
	w.and(column+" IN ("+strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")+")", values...)
}

func (w *where) String() string {
	if len(w.parts) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.parts, " AND ")
}

func anys[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// Detail returns a comment with everything a moderator may know of it.
func (s *Store) Detail(ctx context.Context, id postil.CommentID) (d postil.Detail, err error) {
	if d.Comment, err = s.Comment(ctx, id); err != nil {
		return d, err
	}
	if d.Post, err = s.Post(ctx, d.Comment.Site, d.Comment.Post); err != nil {
		return d, err
	}
	if d.Comment.Parent != 0 {
		parent, err := s.Comment(ctx, d.Comment.Parent)
		if err != nil {
			return d, err
		}
		d.Parent = &parent
	}
	if d.Review, err = s.Review(ctx, id); err != nil {
		return d, err
	}
	if d.History, err = s.History(ctx, id); err != nil {
		return d, err
	}
	d.Record, err = s.record(ctx, d.Comment)
	return d, err
}

// record returns what the site remembers of the author of c beside c itself,
// by account or device; a typed name proves nothing.
func (s *Store) record(ctx context.Context, c postil.Comment) (postil.AuthorRecord, error) {
	column, value := "c.device_hash", c.Origin.Device
	if c.UserID != "" {
		column, value = "c.user_id", c.UserID
	}
	if value == "" {
		return postil.AuthorRecord{}, nil
	}
	return first(one(ctx, s, func(r scanner) (v postil.AuthorRecord, err error) {
		var seen sql.NullInt64
		err = r.Scan(&v.Approved, &v.Rejected, &v.Spam, &seen)
		v.FirstSeen = when(seen)
		return v, err
	}, `SELECT coalesce(sum(c.status = 'approved'), 0), coalesce(sum(c.status = 'rejected'), 0), coalesce(sum(c.status = 'spam'), 0), min(c.created_at)
		FROM comments c WHERE c.site_id = ? AND `+column+` = ? AND `+column+` <> '' AND c.comment_id <> ?`, c.Site, value, int64(c.ID)))
}

func first[T any](v T, _ bool, err error) (T, error) { return v, err }

// Memory returns what the checks of a comment may know beside the comment.
func (s *Store) Memory(ctx context.Context, c postil.Comment) (m postil.Memory, err error) {
	if m.Site, err = s.Site(ctx, c.Site); err != nil {
		return m, err
	}
	if m.Record, err = s.record(ctx, c); err != nil {
		return m, err
	}
	type row struct{ same, spam int }
	v, _, err := one(ctx, s, func(r scanner) (v row, err error) { return v, r.Scan(&v.same, &v.spam) },
		`SELECT count(*), coalesce(sum(o.status = 'spam'), 0) FROM comments c
			JOIN comments o ON o.site_id = c.site_id AND o.text_hash = c.text_hash AND o.text_hash <> '' AND o.comment_id <> c.comment_id
				AND o.created_at BETWEEN c.created_at - 86400000 AND c.created_at AND o.status <> 'deleted'
		WHERE c.comment_id = ?`, int64(c.ID))
	m.SameText, m.SpamTexts = v.same, v.spam
	return m, err
}
