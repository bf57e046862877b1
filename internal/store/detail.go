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
	column, value := authorOf(c)
	if value == "" {
		return postil.AuthorRecord{}, nil
	}
	return first(one(ctx, s, scanRecord, recordOf(column), c.Site, value, int64(c.ID)))
}

// authorOf returns where the author of c is written down and as what, "" when
// nothing but a name is known of him.
func authorOf(c postil.Comment) (column, value string) {
	if c.UserID != "" {
		return "c.user_id", c.UserID
	}
	return "c.device_hash", c.Origin.Device
}

func recordOf(column string) string {
	return `SELECT coalesce(sum(c.status = 'approved'), 0) approved, coalesce(sum(c.status = 'rejected'), 0) rejected, coalesce(sum(c.status = 'spam'), 0) spam,
			min(c.created_at) first_seen
		FROM comments c WHERE c.site_id = ? AND ` + column + ` = ? AND ` + column + ` <> '' AND c.comment_id <> ?`
}

func scanRecord(r scanner) (v postil.AuthorRecord, err error) {
	var seen sql.NullInt64
	err = r.Scan(&v.Approved, &v.Rejected, &v.Spam, &seen)
	v.FirstSeen = when(seen)
	return v, err
}

// ApprovedOf returns the latest approved comments of the author of c, found by
// account or device, beside c itself.
func (s *Store) ApprovedOf(ctx context.Context, c postil.Comment, limit int) ([]postil.Comment, error) {
	column, value := authorOf(c)
	if value == "" {
		return nil, nil
	}
	return list(ctx, s, scanComment, "SELECT "+commentColumns+" FROM comments c WHERE c.site_id = ? AND "+column+" = ? AND "+column+
		" <> '' AND c.status = 'approved' AND c.comment_id <> ? ORDER BY c.comment_id DESC LIMIT ?", c.Site, value, int64(c.ID), limit)
}

func first[T any](v T, _ bool, err error) (T, error) { return v, err }
