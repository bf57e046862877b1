package store

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"github.com/postil/postil/internal/postil"
)

// keepPublished is how long a published event stays, for whoever looks for it.
const keepPublished = time.Hour

func scanEvent(r scanner) (ev postil.Event, err error) {
	var id int64
	var payload string
	if err = r.Scan(&id, &payload); err != nil {
		return ev, err
	}
	err = json.Unmarshal([]byte(payload), &ev)
	ev.ID = postil.EventID(id)
	return ev, err
}

// PendingEvents returns unpublished events after the given one, in order.
func (s *Store) PendingEvents(ctx context.Context, after postil.EventID, limit int) ([]postil.Event, error) {
	return pendingEvents(ctx, s, after, limit)
}

func pendingEvents(ctx context.Context, q queryer, after postil.EventID, limit int) ([]postil.Event, error) {
	return list(ctx, q, scanEvent,
		"SELECT event_id, payload FROM outbox WHERE published_at IS NULL AND event_id > ? ORDER BY event_id LIMIT ?", int64(after), limit)
}

// runs yields the first and last of each run of ids without a gap, so that a
// burst is marked by one statement.
func runs(ids []postil.EventID) iter.Seq2[postil.EventID, postil.EventID] {
	return func(yield func(first, last postil.EventID) bool) {
		for i := 0; i < len(ids); {
			first := ids[i]
			last := first
			for i++; i < len(ids) && ids[i] == last+1; i++ {
				last = ids[i]
			}
			if !yield(first, last) {
				return
			}
		}
	}
}

// MarkPublished records that the broker has the events.
func (s *Store) MarkPublished(ctx context.Context, ids []postil.EventID) error {
	return s.writeBehind(ctx, func(tx *Tx) error {
		for first, last := range runs(ids) {
			if _, err := tx.exec("UPDATE outbox SET published_at = ? WHERE event_id BETWEEN ? AND ? AND published_at IS NULL", millis(tx.now), int64(first), int64(last)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Backlog returns the number of events that the broker does not have yet.
func (s *Store) Backlog(ctx context.Context) (int, error) {
	n, _, err := one(ctx, s, column[int], "SELECT count(*) FROM outbox WHERE published_at IS NULL")
	return n, err
}

// Sweep forgets what has served its time: published events, used form tokens
// and answered requests of the day before, and after the times of Options.Keep
// network ids, who reacted or reported from which address, questions, hours of
// views and those who counted them. What was read in an hour stays in the number
// of its day.
func (s *Store) Sweep(ctx context.Context) error {
	keep := s.opt.Keep()
	return s.writeBehind(ctx, func(tx *Tx) error {
		for _, old := range []struct {
			query string
			age   time.Duration
		}{
			{"DELETE FROM outbox WHERE published_at < ?", keepPublished},
			{"DELETE FROM form_uses WHERE used_at < ?", 25 * time.Hour},
			{"DELETE FROM replays WHERE created_at < ?", 24 * time.Hour},
			{"UPDATE comments SET network_id = '', network_prefix = '', actor_id = '' WHERE network_id <> '' AND created_at < ?", keep.Networks},
			{"DELETE FROM reactions WHERE fleeting = 1 AND created_at < ?", keep.Networks}, // they stay counted
			{"UPDATE reports SET person = '' WHERE fleeting = 1 AND person <> '' AND created_at < ?", keep.Networks},
			{"DELETE FROM questions WHERE asked_at < ?", keep.Questions},
			{"DELETE FROM views WHERE span = 'hour' AND at < ?", keep.Hours},
			{"DELETE FROM view_writers WHERE at < ?", keep.Hours},
			{"DELETE FROM signals WHERE at < ?", keep.Signals},
			{"DELETE FROM figures WHERE minute < ?", keep.Figures},
			{"DELETE FROM audit WHERE at < ?", keep.Audit},
			{"DELETE FROM incidents WHERE began_at < ? AND ended_at IS NOT NULL", 365 * 24 * time.Hour},
			{"DELETE FROM deliveries WHERE state <> 'due' AND created_at < ?", 30 * 24 * time.Hour},
			{"DELETE FROM rules WHERE until_at < ?", keep.Networks}, // what is over may be looked at for a while
		} {
			if _, err := tx.exec(old.query, millis(tx.now.Add(-old.age))); err != nil {
				return err
			}
		}
		if err := tx.sweepSpam(tx.now.Add(-keep.Spam)); err != nil {
			return err
		}
		_, err := tx.exec("DELETE FROM quotas WHERE day < ?", tx.now.UTC().Add(-48*time.Hour).Format("2006-01-02"))
		return err
	})
}

// spamAtOnce is how many comments of a site one sweep forgets.
const spamAtOnce = 500

// sweepSpam forgets comments on the spam lists that were written before a time,
// but for those that somebody has answered: their place in the thread is needed.
func (tx *Tx) sweepSpam(before time.Time) error {
	sites, err := list(context.Background(), tx, scanSite, "SELECT "+siteColumns+" FROM sites s")
	if err != nil {
		return err
	}
	for _, v := range sites {
		if _, err := tx.exec(`DELETE FROM comments WHERE comment_id IN (SELECT c.comment_id FROM comments c
				WHERE c.site_id = ? AND c.status = 'spam' AND c.created_at < ?
					AND NOT EXISTS (SELECT 1 FROM comments o WHERE o.parent_comment_id = c.comment_id) LIMIT ?)`, v.ID, millis(before), spamAtOnce); err != nil {
			return err
		}
	}
	return nil
}

// placeholders returns "?, ?, …" for n values. The number is rounded up to a
// power of two so that few different statements are prepared; fill repeats the
// last value.
func placeholders(n int) (marks string, padded int) {
	padded = 1
	for padded < n {
		padded *= 2
	}
	return strings.TrimSuffix(strings.Repeat("?, ", padded), ", "), padded
}

// fill turns values into arguments for placeholders.
func fill[T any](values []T, padded int) []any {
	args := make([]any, padded)
	for i := range args {
		args[i] = values[min(i, len(values)-1)]
	}
	return args
}
