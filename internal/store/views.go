package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/postil/postil/internal/postil"
)

// maxCounted is how many posts of a site have numbers of their own. Nobody has
// so many; whoever invents paths must not fill the disk with them. What comes
// beyond counts for the site as a whole.
const maxCounted = 20_000

// AddViews adds a batch of sums in one transaction. batch is the number of it
// at this writer, growing by one each time: one that has been added before, as
// when its answer was lost, is not added again. Reads of a site that is gone
// are forgotten.
func (s *Store) AddViews(ctx context.Context, writer string, batch int64, sums []postil.HourViews) error {
	return s.writeBehind(ctx, func(tx *Tx) error {
		fresh, err := tx.exec(`INSERT INTO view_writers (writer, batch, at) VALUES (?, ?, ?)
			ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, at = excluded.at WHERE batch < excluded.batch`, writer, batch, millis(tx.now))
		if err != nil || fresh == 0 {
			return err
		}
		v := viewing{tx: tx, room: map[postil.SiteID]int64{}}
		for _, sum := range sums {
			if err := v.add(sum); err != nil {
				return err
			}
		}
		for _, whole := range wholeSites(sums) {
			if err := v.addWhole(whole); err != nil {
				return err
			}
		}
		return nil
	})
}

// wholeSites adds sums up by site and hour, for the numbers of sites as wholes,
// which stand under no post.
func wholeSites(sums []postil.HourViews) (whole []postil.HourViews) {
	type key struct {
		site postil.SiteID
		hour int64
	}
	at := map[key]int{}
	for _, sum := range sums {
		k := key{sum.Site, sum.Hour.Unix()}
		i, seen := at[k]
		if !seen {
			i = len(whole)
			at[k], whole = i, append(whole, postil.HourViews{Site: sum.Site, Hour: sum.Hour})
		}
		whole[i].N += sum.N
	}
	return whole
}

// viewing is one batch on its way into the tables.
type viewing struct {
	tx   *Tx
	room map[postil.SiteID]int64 // how many new posts a site may still have; -1: there is no such site
}

func (v viewing) add(sum postil.HourViews) error {
	room, err := v.roomOf(sum.Site)
	if err != nil || room < 0 {
		return err
	}
	known, err := v.known(sum)
	if err != nil || !known && room == 0 {
		return err
	}
	if !known {
		v.room[sum.Site]--
	}
	return v.bump(sum)
}

func (v viewing) addWhole(sum postil.HourViews) error {
	room, err := v.roomOf(sum.Site)
	if err != nil || room < 0 {
		return err
	}
	return v.bump(sum)
}

func (v viewing) roomOf(id postil.SiteID) (int64, error) {
	if room, ok := v.room[id]; ok {
		return room, nil
	}
	room, ok, err := one(context.Background(), v.tx, column[int64],
		"SELECT (SELECT count(*) FROM views v WHERE v.span = 'total' AND v.at = 0 AND v.site_id = s.site_id) FROM sites s WHERE s.site_id = ?", id)
	if room = max(0, maxCounted-room); !ok {
		room = -1
	}
	v.room[id] = room
	return room, err
}

func (v viewing) known(sum postil.HourViews) (bool, error) {
	_, ok, err := one(context.Background(), v.tx, column[int64],
		"SELECT n FROM views v WHERE v.site_id = ? AND v.post_id = ? AND v.span = 'total' AND v.at = 0", sum.Site, sum.Post)
	return ok, err
}

// bump adds to the hour, the day and the total of a post.
func (v viewing) bump(sum postil.HourViews) error {
	hour := sum.Hour.UTC().Truncate(time.Hour)
	day := hour.Truncate(24 * time.Hour)
	_, err := v.tx.exec(`INSERT INTO views (site_id, post_id, span, at, n) VALUES (?1, ?2, ?3, ?4, ?7), (?1, ?2, ?5, ?6, ?7), (?1, ?2, 'total', 0, ?7)
		ON CONFLICT (site_id, post_id, span, at) DO UPDATE SET n = n + excluded.n`, sum.Site, sum.Post, postil.ByHour, millis(hour), postil.ByDay, millis(day), sum.N)
	return err
}

// keysOf selects the keys of a post, old ones included: what was counted under
// them stays there, so that taking a merge back takes the numbers apart again.
const keysOf = "SELECT ? UNION ALL SELECT o.old_id FROM post_redirects o WHERE o.site_id = ? AND o.post_id = ?"

// Views returns how often a post was read at all, and the last batch of writer
// that is in this number.
func (s *Store) Views(ctx context.Context, site postil.SiteID, post postil.PostID, writer string) (n, batch int64, err error) {
	type row struct{ n, batch sql.NullInt64 }
	// One statement, so that both are from the same moment.
	v, _, err := one(ctx, s, func(r scanner) (v row, err error) { return v, r.Scan(&v.n, &v.batch) },
		`SELECT (SELECT sum(n) FROM views v WHERE v.site_id = ? AND v.post_id IN (`+keysOf+`) AND v.span = 'total' AND v.at = 0),
			(SELECT batch FROM view_writers WHERE writer = ?)`, site, post, site, post, writer)
	return v.n.Int64, v.batch.Int64, err
}

// Trend returns the numbers of a post, or with Post "" of the site, in order.
func (s *Store) Trend(ctx context.Context, q postil.TrendQuery) ([]postil.TrendPoint, error) {
	scan := func(r scanner) (p postil.TrendPoint, err error) {
		var at sql.NullInt64
		err = r.Scan(&at, &p.N)
		p.At = when(at)
		return p, err
	}
	return list(ctx, s, scan, "SELECT at, sum(n) FROM views v WHERE v.site_id = ? AND v.post_id IN ("+keysOf+") AND v.span = ? AND v.at >= ? AND v.at < ? GROUP BY v.at ORDER BY v.at",
		q.Site, q.Post, q.Site, q.Post, q.By, millis(q.From), millis(q.To))
}

// TopPosts returns the posts of a site that were read most in a time, the most
// read first.
func (s *Store) TopPosts(ctx context.Context, q postil.TrendQuery, limit int) ([]postil.PostViews, error) {
	scan := func(r scanner) (p postil.PostViews, err error) { return p, r.Scan(&p.Post, &p.N) }
	return list(ctx, s, scan, `SELECT coalesce(o.post_id, v.post_id) AS post, sum(v.n) AS reads FROM views v LEFT JOIN post_redirects o ON o.site_id = v.site_id AND o.old_id = v.post_id WHERE v.span = ? AND v.at >= ? AND v.at < ? AND v.site_id = ? AND v.post_id <> ''
		GROUP BY post ORDER BY reads DESC, post LIMIT ?`, q.By, millis(q.From), millis(q.To), q.Site, limit)
}
