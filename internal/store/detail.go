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

// ApprovedOf returns the latest approved comments of the author of c, found by
// account or device, beside c itself.
func (s *Store) ApprovedOf(ctx context.Context, c postil.Comment, limit int) ([]postil.Comment, error) {
	column, value := "c.device_hash", c.Origin.Device
	if c.UserID != "" {
		column, value = "c.user_id", c.UserID
	}
	if value == "" {
		return nil, nil
	}
	return list(ctx, s, scanComment, "SELECT "+commentColumns+" FROM comments c WHERE c.site_id = ? AND "+column+" = ? AND "+column+
		" <> '' AND c.status = 'approved' AND c.comment_id <> ? ORDER BY c.comment_id DESC LIMIT ?", c.Site, value, int64(c.ID), limit)
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
	if m.Rulings, m.RulesMark, err = s.rulingsOn(ctx, c); err != nil {
		return m, err
	}
	if m.NameSeen, err = s.nameSeen(ctx, c); err != nil {
		return m, err
	}
	if m.Traces, err = s.tracesBefore(ctx, c); err != nil {
		return m, err
	}
	return m, s.sameTexts(ctx, c, &m)
}

// sameTexts counts how often the text was said on the site within the last
// day, and how often it was spam within the last week.
func (s *Store) sameTexts(ctx context.Context, c postil.Comment, m *postil.Memory) error {
	var last sql.NullInt64
	_, _, err := one(ctx, s, func(r scanner) (_ struct{}, err error) { return struct{}{}, r.Scan(&m.SameText, &m.SpamTexts, &last) },
		`SELECT coalesce(sum(o.created_at >= c.created_at - 86400000), 0), coalesce(sum(o.status = 'spam'), 0), max(iif(o.status = 'spam', o.created_at, NULL)) FROM comments c
			JOIN comments o ON o.site_id = c.site_id AND o.text_hash = c.text_hash AND o.text_hash <> '' AND o.comment_id <> c.comment_id
				AND o.created_at BETWEEN c.created_at - 7 * 86400000 AND c.created_at AND o.status <> 'deleted'
		WHERE c.comment_id = ?`, int64(c.ID))
	m.SpamAt = when(last)
	return err
}

// nameSeen reports whether the name under a comment stands under another one.
func (s *Store) nameSeen(ctx context.Context, c postil.Comment) (bool, error) {
	return first(one(ctx, s, column[bool],
		"SELECT EXISTS (SELECT 1 FROM comments c WHERE c.site_id = ? AND c.author_name = ? AND c.comment_id <> ? AND c.status IN ('approved', 'pending'))",
		c.Site, c.Author.Name, int64(c.ID)))
}
