package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/postil/postil/internal/postil"
)

func scanTask(r scanner) (t postil.Task, err error) {
	var opened, reminded, escalated sql.NullInt64
	err = r.Scan(&t.Comment, &t.Site, &t.Post, &t.Status, &opened, &reminded, &escalated)
	t.Opened, t.Reminded, t.Escalated = when(opened), when(reminded), when(escalated)
	return t, err
}

// Advance gives a rule every open task whose due time has come, and stores
// what it says: in one transaction the steps, the next due times and the
// notices, so that each happens once however often it is asked for. It returns
// the tasks that have expired, which are for the caller to decide, and whether
// there may be more.
func (s *Store) Advance(ctx context.Context, limit int, rule func(now time.Time, due []postil.Task) []postil.Step) (expired []postil.Task, more bool, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		expired = nil
		due, err := list(ctx, tx, scanTask, `SELECT r.comment_id, c.site_id, c.post_id, c.status, r.opened_at, r.reminded_at, r.escalated_at
			FROM reviews r CROSS JOIN comments c ON c.comment_id = r.comment_id
			WHERE r.state = 'open' AND r.due_at IS NOT NULL AND r.due_at <= ? ORDER BY r.due_at, r.comment_id LIMIT ?`, millis(tx.now), limit)
		if err != nil || len(due) == 0 {
			return err
		}
		more = len(due) == limit
		steps := rule(tx.now, due)
		for _, st := range steps {
			if st.Expire {
				expired = append(expired, st.Task)
			}
			if err := tx.step(st); err != nil {
				return err
			}
		}
		return nil
	})
	return expired, more, err
}

func (tx *Tx) step(st postil.Step) error {
	t := st.Task
	for _, ev := range st.Notices {
		if err := tx.Emit(ev); err != nil {
			return err
		}
		if ev.Notice == postil.Reminder { // it counts all that wait on the site
			if _, err := tx.exec(`UPDATE reviews SET reminded_at = ? WHERE state = 'open' AND comment_id IN
				(SELECT r.comment_id FROM reviews r CROSS JOIN comments c ON c.comment_id = r.comment_id WHERE r.state = 'open' AND c.site_id = ?)`,
				millis(tx.now), t.Site); err != nil {
				return err
			}
		}
	}
	_, err := tx.exec("UPDATE reviews SET due_at = ?, escalated_at = ? WHERE comment_id = ? AND state = 'open'",
		nullMillis(st.Next), nullMillis(t.Escalated), int64(t.Comment))
	return err
}

// LookAgain makes every open task due, because the patience of the desk may
// have changed. What was done before is not done again.
func (s *Store) LookAgain(ctx context.Context) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("UPDATE reviews SET due_at = ? WHERE state = 'open'", millis(tx.now))
		return err
	})
}

// NextTaskDue returns when the next open task is due, the zero time for none.
func (s *Store) NextTaskDue(ctx context.Context) (time.Time, error) {
	at, _, err := one(ctx, s, column[sql.NullInt64], "SELECT min(due_at) FROM reviews WHERE state = 'open' AND due_at IS NOT NULL")
	return when(at), err
}

// WaitingSince returns how many comments of a site wait for a person and since when
// the oldest does; of all sites when site is "".
func (s *Store) WaitingSince(ctx context.Context, site postil.SiteID) (n int, oldest time.Time, err error) {
	if site == "" {
		return s.OpenReviews(ctx)
	}
	type row struct {
		n  int
		at sql.NullInt64
	}
	v, _, err := one(ctx, s, func(r scanner) (v row, err error) { return v, r.Scan(&v.n, &v.at) },
		"SELECT count(*), min(r.opened_at) FROM reviews r CROSS JOIN comments c ON c.comment_id = r.comment_id WHERE r.state = 'open' AND c.site_id = ?", site)
	return v.n, when(v.at), err
}
