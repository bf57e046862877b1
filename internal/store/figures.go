package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/postil/postil/internal/postil"
)

// AddFigures stores the figures of minutes of one process. Sums of a minute
// that is there already are added, states of it replaced.
func (s *Store) AddFigures(ctx context.Context, node string, minutes []postil.Figures) error {
	return s.writeBehind(ctx, func(tx *Tx) error {
		for _, f := range minutes {
			_, err := tx.exec(`INSERT INTO figures (minute, node, requests, hits, loads, turned_away, wrong, limited, busy, failed, posts, decisions, views,
					queue, queue_age, backlog, undelivered, streams) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT (minute, node) DO UPDATE SET requests = requests + excluded.requests, hits = hits + excluded.hits, loads = loads + excluded.loads,
					turned_away = turned_away + excluded.turned_away, wrong = wrong + excluded.wrong, limited = limited + excluded.limited,
					busy = busy + excluded.busy, failed = failed + excluded.failed, posts = posts + excluded.posts,
					decisions = decisions + excluded.decisions, views = views + excluded.views, queue = excluded.queue, queue_age = excluded.queue_age,
					backlog = excluded.backlog, undelivered = excluded.undelivered, streams = excluded.streams`,
				millis(f.Minute), node, f.Requests, f.Hits, f.Loads, f.TurnedAway, f.Wrong, f.Limited, f.Busy, f.Failed, f.Posts, f.Decisions, f.Views,
				f.Queue, f.QueueAge.Milliseconds(), f.Backlog, f.Undelivered, f.Streams)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Figures returns the figures of a span of time over all processes, in parts
// that begin at from: sums are added, of states the worst counts.
func (s *Store) Figures(ctx context.Context, from, to time.Time, part time.Duration) ([]postil.Figures, error) {
	scan := func(r scanner) (f postil.Figures, err error) {
		var nth int64
		var age sql.NullInt64
		err = r.Scan(&nth, &f.Requests, &f.Hits, &f.Loads, &f.TurnedAway, &f.Wrong, &f.Limited, &f.Busy, &f.Failed, &f.Posts, &f.Decisions, &f.Views,
			&f.Queue, &age, &f.Backlog, &f.Undelivered, &f.Streams)
		f.Minute, f.QueueAge = from.Add(time.Duration(nth)*part), time.Duration(age.Int64)*time.Millisecond
		return f, err
	}
	// The streams of a minute are those of all processes together.
	return list(ctx, s, scan, `SELECT (m.minute - ?) / ?, sum(m.requests), sum(m.hits), sum(m.loads), sum(m.turned_away), sum(m.wrong), sum(m.limited),
			sum(m.busy), sum(m.failed), sum(m.posts), sum(m.decisions), sum(m.views),
			max(m.queue), max(m.queue_age), max(m.backlog), max(m.undelivered), max(m.streams)
		FROM (SELECT minute, sum(requests) AS requests, sum(hits) AS hits, sum(loads) AS loads, sum(turned_away) AS turned_away, sum(wrong) AS wrong,
				sum(limited) AS limited, sum(busy) AS busy, sum(failed) AS failed, sum(posts) AS posts, sum(decisions) AS decisions, sum(views) AS views,
				max(queue) AS queue, max(queue_age) AS queue_age, max(backlog) AS backlog, max(undelivered) AS undelivered, sum(streams) AS streams
			FROM figures WHERE minute >= ? AND minute < ? GROUP BY minute) m
		GROUP BY 1 ORDER BY 1`, millis(from), part.Milliseconds(), millis(from), millis(to))
}
