package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/postil/postil/internal/postil"
)

// summaryRow is a site with its summary that is to come.
type summaryRow struct {
	site     postil.SiteID
	schedule string
	due      time.Time
}

func scanSummary(r scanner) (v summaryRow, err error) {
	var due sql.NullInt64
	err = r.Scan(&v.site, &v.schedule, &due)
	v.due = when(due)
	return v, err
}

const summaryRows = "SELECT s.site_id, coalesce(m.schedule, ''), m.due_at FROM sites s LEFT JOIN site_summaries m ON m.site_id = s.site_id ORDER BY s.site_id"

// step says what is to be done about a site: nothing, another time, or a
// summary and another time.
func (v summaryRow) step(now time.Time, plan postil.SummarySchedule) (told, changed bool) {
	switch {
	case plan.Never():
		return false, v.schedule != ""
	case v.schedule != plan.String():
		return false, true
	}
	told = !v.due.After(now)
	return told, told
}

// Summaries announces the summaries that are due and reckons when the next ones
// are: in one transaction, so that each is announced once however many ask.
func (s *Store) Summaries(ctx context.Context, schedule func(postil.SiteID) postil.SummarySchedule) error {
	idle, err := s.summariesIdle(ctx, schedule)
	if err != nil || idle {
		return err
	}
	return s.Write(ctx, func(tx *Tx) error {
		rows, err := list(context.Background(), tx, scanSummary, summaryRows)
		if err != nil {
			return err
		}
		for _, v := range rows {
			if err := tx.summary(v, schedule(v.site)); err != nil {
				return err
			}
		}
		return nil
	})
}

// summariesIdle reports whether there is nothing to write.
func (s *Store) summariesIdle(ctx context.Context, schedule func(postil.SiteID) postil.SummarySchedule) (bool, error) {
	rows, err := list(ctx, s, scanSummary, summaryRows)
	for _, v := range rows {
		if _, changed := v.step(s.Now(ctx), schedule(v.site)); changed {
			return false, nil
		}
	}
	return true, err
}

func (tx *Tx) summary(v summaryRow, plan postil.SummarySchedule) error {
	told, changed := v.step(tx.now, plan)
	if told {
		if err := tx.Emit(postil.Event{Kind: postil.NoticeRaised, Site: v.site, Notice: plan.Every.Notice()}); err != nil {
			return err
		}
	}
	var err error
	switch {
	case !changed:
	case plan.Never():
		_, err = tx.exec("DELETE FROM site_summaries WHERE site_id = ?", v.site)
	default:
		_, err = tx.exec(`INSERT INTO site_summaries (site_id, schedule, due_at) VALUES (?, ?, ?)
			ON CONFLICT (site_id) DO UPDATE SET schedule = excluded.schedule, due_at = excluded.due_at`, v.site, plan.String(), millis(plan.Next(tx.now)))
	}
	return err
}

// BusiestPosts returns the posts of a site that got most comments in a span of
// time, without those that were stopped, the busiest first.
func (s *Store) BusiestPosts(ctx context.Context, site postil.SiteID, from, to time.Time, limit int) ([]postil.BusyPost, error) {
	scan := func(r scanner) (p postil.BusyPost, err error) {
		return p, r.Scan(&p.Site, &p.ID, &p.Title, &p.URL, &p.N)
	}
	return list(ctx, s, scan, `SELECT p.site_id, p.post_id, p.title, p.url, n.n
		FROM (SELECT c.site_id, c.post_id, count(*) AS n FROM comments c
			WHERE c.site_id = ? AND c.created_at >= ? AND c.created_at < ? AND c.status IN ('pending', 'approved') GROUP BY c.post_id
			ORDER BY n DESC, c.post_id LIMIT ?) n
		JOIN posts p ON p.site_id = n.site_id AND p.post_id = n.post_id ORDER BY n.n DESC, n.post_id`, site, millis(from), millis(to), limit)
}
