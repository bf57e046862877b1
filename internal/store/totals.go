package store

import (
	"context"

	"github.com/postil/postil/internal/postil"
)

// StatusTotals returns how many comments there are in each status. It counts
// along an index, entry by entry: with a million comments it takes some tens of
// milliseconds, so its callers keep the answer for a while.
func (s *Store) StatusTotals(ctx context.Context) (map[postil.Status]int, error) {
	sites, err := s.Sites(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]postil.SiteID, len(sites))
	for i, site := range sites {
		ids[i] = site.ID
	}
	return s.TotalsOf(ctx, ids)
}

// TotalsOf is StatusTotals for some sites.
func (s *Store) TotalsOf(ctx context.Context, sites []postil.SiteID) (map[postil.Status]int, error) {
	totals := map[postil.Status]int{}
	for _, status := range postil.Statuses() {
		totals[status] = 0
		for _, site := range sites {
			n, _, err := one(ctx, s, column[int], "SELECT count(*) FROM comments c WHERE c.site_id = ? AND c.status = ?", site, status)
			if err != nil {
				return nil, err
			}
			totals[status] += n
		}
	}
	return totals, nil
}

// Taken is one decision as far as it is counted.
type Taken struct {
	ID      postil.DecisionID
	Channel postil.Channel
	Verb    postil.Verb
}

// Taken returns up to limit decisions after the given one, in order.
func (s *Store) Taken(ctx context.Context, after postil.DecisionID, limit int) ([]Taken, error) {
	return list(ctx, s, func(r scanner) (t Taken, err error) { return t, r.Scan(&t.ID, &t.Channel, &t.Verb) },
		"SELECT decision_id, channel, verb FROM decisions WHERE decision_id > ? ORDER BY decision_id LIMIT ?", int64(after), limit)
}

// LastDecision returns the id of the latest decision, 0 when there is none.
func (s *Store) LastDecision(ctx context.Context) (postil.DecisionID, error) {
	id, _, err := one(ctx, s, column[postil.DecisionID], "SELECT coalesce(max(decision_id), 0) FROM decisions")
	return id, err
}
