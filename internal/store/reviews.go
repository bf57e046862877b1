package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/postil/postil/internal/postil"
)

func scanReview(r scanner) (v postil.Review, err error) {
	var state string
	var opened, announced sql.NullInt64
	err = r.Scan(&v.Comment, &state, &opened, &announced)
	v.Open, v.Opened, v.Announced = state == "open", when(opened), when(announced)
	return v, err
}

// Review returns the review task of a comment, the zero value when it never
// had one.
func (s *Store) Review(ctx context.Context, id postil.CommentID) (postil.Review, error) {
	v, _, err := one(ctx, s, scanReview, "SELECT comment_id, state, opened_at, announced_at FROM reviews WHERE comment_id = ?", int64(id))
	return v, err
}

// OpenReviews returns the number of open review tasks and when the oldest was
// opened.
func (s *Store) OpenReviews(ctx context.Context) (n int, oldest time.Time, err error) {
	type row struct {
		n  int
		at sql.NullInt64
	}
	v, _, err := one(ctx, s, func(r scanner) (v row, err error) { return v, r.Scan(&v.n, &v.at) },
		"SELECT count(*), min(opened_at) FROM reviews WHERE state = 'open'")
	return v.n, when(v.at), err
}

// Announced records that a moderator has been told of a comment.
func (s *Store) Announced(ctx context.Context, id postil.CommentID) error {
	return s.Write(ctx, func(tx *Tx) error { return tx.announced(id) })
}

func (tx *Tx) announced(id postil.CommentID) error {
	_, err := tx.exec("UPDATE reviews SET announced_at = coalesce(announced_at, ?) WHERE comment_id = ?", millis(tx.now), int64(id))
	return err
}

func (tx *Tx) reviewOpen(id postil.CommentID) (bool, error) {
	open, _, err := one(context.Background(), tx, column[bool], "SELECT state = 'open' FROM reviews WHERE comment_id = ?", int64(id))
	return open, err
}

// openReview opens the task. One that is open already stays as it is. The
// workflow looks at it at once, to find out when something is to come.
func (tx *Tx) openReview(id postil.CommentID) error {
	_, err := tx.exec(`INSERT INTO reviews (comment_id, state, opened_at, due_at) VALUES (?, 'open', ?, ?)
		ON CONFLICT (comment_id) DO UPDATE SET state = 'open', opened_at = excluded.opened_at, announced_at = NULL, done_at = NULL,
			due_at = excluded.due_at, reminded_at = NULL, escalated_at = NULL
		WHERE reviews.state = 'done'`, int64(id), millis(tx.now), millis(tx.now))
	return err
}
