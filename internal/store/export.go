package store

import (
	"context"
	"database/sql"

	"github.com/postil/postil/internal/postil"
)

// What an export reads, in pieces, so that no reader holds the log for long.

// PostsAfter returns posts of a site in the order of their keys.
func (s *Store) PostsAfter(ctx context.Context, site postil.SiteID, after postil.PostID, limit int) ([]postil.Post, error) {
	return list(ctx, s, scanPost, "SELECT "+postColumns+" FROM posts p WHERE p.site_id = ? AND p.post_id > ? ORDER BY p.post_id LIMIT ?", site, after, limit)
}

// CommentsAfter returns comments of a site, of any status, in the order of
// their ids. It walks all comments: an index for this alone would cost every
// writer something.
func (s *Store) CommentsAfter(ctx context.Context, site postil.SiteID, after postil.CommentID, limit int) ([]postil.Comment, error) {
	return list(ctx, s, scanComment, "SELECT "+commentColumns+" FROM comments c WHERE c.comment_id > ? AND c.site_id || '' = ? ORDER BY c.comment_id LIMIT ?",
		int64(after), site, limit)
}

// DecisionsOn returns the decisions about comments, the oldest first.
func (s *Store) DecisionsOn(ctx context.Context, comments []postil.CommentID) (all []postil.Decision, err error) {
	for _, id := range comments {
		some, err := s.History(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// ViewsAfter returns the numbers of reads of a site, in the order in which they
// are kept.
func (s *Store) ViewsAfter(ctx context.Context, site postil.SiteID, after postil.ViewRow, limit int) ([]postil.ViewRow, error) {
	scan := func(r scanner) (v postil.ViewRow, err error) {
		var at sql.NullInt64
		err = r.Scan(&v.Post, &v.Span, &at, &v.N)
		v.At = when(at)
		return v, err
	}
	from := int64(-1)
	if after.Span != "" {
		from = millis(after.At)
	}
	return list(ctx, s, scan, "SELECT v.post_id, v.span, v.at, v.n FROM views v WHERE v.site_id = ? AND (v.post_id, v.span, v.at) > (?, ?, ?) ORDER BY v.post_id, v.span, v.at LIMIT ?",
		site, after.Post, after.Span, from, limit)
}
