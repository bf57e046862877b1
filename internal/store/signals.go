package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/postil/postil/internal/postil"
)

const signalColumns = "g.signal_id, g.at, g.kind, g.site_id, g.comment_id, g.outcome, g.channel, g.actor_name, g.detail, g.took, g.n"

func scanSignal(r scanner) (g postil.Signal, err error) {
	var at sql.NullInt64
	var took int64
	err = r.Scan(&g.ID, &at, &g.Kind, &g.Site, &g.Comment, &g.Outcome, &g.Channel, &g.By, &g.Detail, &took, &g.N)
	g.At, g.After = when(at), time.Duration(took)*time.Millisecond
	return g, err
}

// signal writes down what happens with this transaction.
func (tx *Tx) signal(g postil.Signal) error {
	if g.At.IsZero() {
		g.At = tx.now
	}
	switch g.Kind {
	case postil.SignalReceived:
		tx.posts++
	case postil.SignalDecided:
		tx.decisions++
	}
	_, err := tx.exec("INSERT INTO signals (at, kind, site_id, comment_id, outcome, channel, actor_name, detail, took, n) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		millis(g.At), string(g.Kind), g.Site, int64(g.Comment), g.Outcome, string(g.Channel), g.By, g.Detail, g.After.Milliseconds(), max(1, g.N))
	return err
}

// AddSignals writes down what was noticed outside any transaction.
func (s *Store) AddSignals(ctx context.Context, all []postil.Signal) error {
	return s.writeBehind(ctx, func(tx *Tx) error {
		for _, g := range all {
			if err := tx.signal(g); err != nil {
				return err
			}
		}
		return nil
	})
}

// Written returns how many comments and decisions this process has stored.
func (s *Store) Written() (posts, decisions int64) { return s.posts.Load(), s.decisions.Load() }

// received tells that a comment came in, whose transaction this is.
func (tx *Tx) received(c postil.Comment) error {
	return tx.signal(postil.Signal{Kind: postil.SignalReceived, Site: c.Site, Comment: c.ID})
}

// signals tells what a change does to a comment.
func (a *application) signals() error {
	g := postil.Signal{Site: a.now.Site, Comment: a.now.ID}
	var all []postil.Signal
	if a.now.Status != a.was.Status {
		d := g
		d.Kind, d.Outcome, d.Channel, d.After = postil.SignalDecided, string(a.now.Status), a.ch.By.Channel, max(0, a.tx.now.Sub(a.was.Created))
		if a.ch.By.Channel != postil.ByAuthor { // whose name goes with the comment
			d.By = a.ch.By.Name
		}
		d.Detail = string(a.ch.Verb) + ": " + string(a.was.Status) + " → " + string(a.now.Status)
		all = append(all, d)
		if a.now.Status == postil.Approved {
			g.Kind = postil.SignalPublished
			all = append(all, g)
		}
	}
	if a.ch.Checks != nil && a.ch.Review == postil.OpenReview {
		g.Kind, g.Detail = postil.SignalHeld, checksOf(a.now.Findings)
		all = append(all, g)
	}
	for _, g := range all {
		if err := a.tx.signal(g); err != nil {
			return err
		}
	}
	return nil
}

// checksOf names the checks that spoke against a comment.
func checksOf(findings []postil.Finding) string {
	var names []string
	for _, f := range findings {
		if f.Weight > 0 && !slices.Contains(names, f.Check) {
			names = append(names, f.Check)
		}
	}
	return strings.Join(names, ", ")
}

// maxSignals is how many signals a page has at most.
const maxSignals = 1000

// Signals returns what happened in a span of time, in order. Another page
// follows while there are as many as the limit.
func (s *Store) Signals(ctx context.Context, f postil.SignalFilter) ([]postil.Signal, error) {
	w := &where{}
	w.and("g.at >= ?", millis(f.From))
	w.and("g.at < ?", millis(f.To))
	if f.After > 0 {
		last, ok, err := one(ctx, s, scanSignal, "SELECT "+signalColumns+" FROM signals g WHERE g.signal_id = ?", f.After)
		if err != nil {
			return nil, err
		}
		if ok {
			w.and("(g.at, g.signal_id) > (?, ?)", millis(last.At), last.ID)
		}
	}
	w.in("+g.kind", anys(f.Kinds))
	w.in("+g.site_id", anys(f.Sites))
	return list(ctx, s, scanSignal, "SELECT "+signalColumns+" FROM signals g"+w.String()+" ORDER BY g.at, g.signal_id LIMIT ?",
		append(w.args, min(max(f.Limit, 1), maxSignals))...)
}

// SignalsAfter returns what was written down after a signal, in that order.
func (s *Store) SignalsAfter(ctx context.Context, id int64, limit int) ([]postil.Signal, error) {
	return list(ctx, s, scanSignal, "SELECT "+signalColumns+" FROM signals g WHERE g.signal_id > ? ORDER BY g.signal_id LIMIT ?", id, limit)
}

// CountSignals counts in each part of a span of time what happened to comments;
// the parts begin at from.
func (s *Store) CountSignals(ctx context.Context, from, to time.Time, part time.Duration, sites []postil.SiteID) ([]postil.SignalCount, error) {
	w := &where{}
	w.and("g.kind IN ('comment.received', 'comment.held', 'comment.decided', 'comment.published')")
	w.and("g.at >= ?", millis(from))
	w.and("g.at < ?", millis(to))
	w.in("g.site_id", anys(sites))
	scan := func(r scanner) (c postil.SignalCount, err error) {
		var nth int64
		err = r.Scan(&nth, &c.Kind, &c.Outcome, &c.Channel, &c.N)
		c.At = from.Add(time.Duration(nth) * part)
		return c, err
	}
	return list(ctx, s, scan, "SELECT (g.at - ?) / ?, g.kind, g.outcome, g.channel, sum(g.n) FROM signals g"+w.String()+" GROUP BY 1, 2, 3, 4 ORDER BY 1",
		append([]any{millis(from), part.Milliseconds()}, w.args...)...)
}

// decisionsLooked is how many decisions are looked at for how long they took.
const decisionsLooked = 10_000

// DecisionTimes returns how long comments waited for a person who decided in a
// span of time: of the latest ones, when there were many.
func (s *Store) DecisionTimes(ctx context.Context, from, to time.Time, sites []postil.SiteID) ([]time.Duration, error) {
	w := &where{}
	w.and("g.kind = 'comment.decided' AND g.channel <> 'check' AND g.channel <> 'author' AND g.detail LIKE '%: pending →%'")
	w.and("g.at >= ?", millis(from))
	w.and("g.at < ?", millis(to))
	w.in("g.site_id", anys(sites))
	scan := func(r scanner) (d time.Duration, err error) {
		var ms int64
		err = r.Scan(&ms)
		return time.Duration(ms) * time.Millisecond, err
	}
	return list(ctx, s, scan, "SELECT g.took FROM signals g"+w.String()+" ORDER BY g.at DESC LIMIT ?", append(w.args, decisionsLooked)...)
}
