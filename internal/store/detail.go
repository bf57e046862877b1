package store

import (
	"context"
	"database/sql"

	"github.com/postil/postil/internal/postil"
)

// Detail returns a comment with everything a moderator may know of it.
func (s *Store) Detail(ctx context.Context, id postil.CommentID) (d postil.Detail, err error) {
	if d.Comment, err = s.Comment(ctx, id); err != nil {
		return d, err
	}
	if d.Post, err = s.Post(ctx, d.Comment.Site, d.Comment.Post); err != nil {
		return d, err
	}
	d.Post = d.Post.Beside(d.Comment)
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
