package store

import (
	"context"

	"github.com/postil/postil/internal/postil"
)

// Model returns what the classifier of a site had learned, and up to which
// decision; nothing and 0 when it never learned.
func (s *Store) Model(ctx context.Context, site postil.SiteID) (model []byte, learnedTo postil.DecisionID, err error) {
	type row struct {
		model []byte
		to    int64
	}
	v, _, err := one(ctx, s, func(r scanner) (v row, err error) { return v, r.Scan(&v.model, &v.to) },
		"SELECT model, learned_to FROM models WHERE site_id = ?", site)
	return v.model, postil.DecisionID(v.to), err
}

// SaveModel keeps what the classifier of a site has learned. A site that is
// gone meanwhile is no error.
func (s *Store) SaveModel(ctx context.Context, site postil.SiteID, model []byte, learnedTo postil.DecisionID) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(`INSERT INTO models (site_id, model, learned_to, updated_at) SELECT s.site_id, ?, ?, ? FROM sites s WHERE s.site_id = ?
			ON CONFLICT (site_id) DO UPDATE SET model = excluded.model, learned_to = excluded.learned_to, updated_at = excluded.updated_at`,
			model, int64(learnedTo), millis(tx.now), site)
		return err
	})
}

// Lessons returns what persons decided about comments of a site after a given
// decision and what of it was taken back, the first one first. What the blog's
// own author wrote teaches nothing. upTo is how far the log was read: whoever
// goes on from there reads nothing twice, decisions of the checks included.
func (s *Store) Lessons(ctx context.Context, site postil.SiteID, after postil.DecisionID, limit int) (lessons []postil.Lesson, upTo postil.DecisionID, err error) {
	if int64(after) >= s.memory.taught.Load() {
		return nil, after, nil // nobody has taught anything since; every comment asks
	}
	end, err := s.LastDecision(ctx) // before the log is read, so that nothing between the two is missed
	if err != nil {
		return nil, after, err
	}
	// The log is walked from the decision on; "|| ''" keeps SQLite from going
	// through all comments of the site instead.
	decided, err := list(ctx, s, scanDecision, "SELECT "+decisionColumns+fromDecisions+`WHERE d.decision_id > ? AND c.site_id || '' = ? AND c.author_badge = ''
			AND d.channel NOT IN ('check', 'author')
			AND (d.verb IN ('approve', 'spam') OR d.verb = 'undo' AND (SELECT u.verb FROM decisions u WHERE u.decision_id = d.undoes) IN ('approve', 'spam'))
		ORDER BY d.decision_id LIMIT ?`, int64(after), site, limit)
	if err != nil {
		return nil, after, err
	}
	upTo = max(after, end)
	if n := len(decided); n == limit {
		upTo = decided[n-1].ID
	} else if n > 0 {
		upTo = max(upTo, decided[n-1].ID)
	}
	lessons = make([]postil.Lesson, len(decided))
	for i, d := range decided {
		c, err := s.Comment(ctx, d.Comment)
		if err != nil && postil.KindOf(err) != postil.NotFound {
			return nil, after, err
		}
		c.ID = d.Comment // erased since: its text teaches nothing, an undo still counts
		lessons[i] = postil.Lesson{Decision: d.ID, Comment: c, Spam: d.Verb == postil.MarkSpam, Undone: d.Verb == postil.UndoneVerb}
	}
	return lessons, upTo, nil
}
