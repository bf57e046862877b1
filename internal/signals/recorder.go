package signals

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Log keeps signals.
type Log interface {
	AddSignals(ctx context.Context, all []postil.Signal) error
}

const (
	recordEvery = 10 * time.Second
	maxKinds    = 200             // different lines that wait; rules and routes are a handful
	calmAfter   = 3               // looks without a refusal until an overload is over
	lastWords   = 5 * time.Second // for what is stored while the service stops
)

// Recorder writes down what was noticed, one line for all of the same kind.
type Recorder struct {
	lg      *slog.Logger
	log     Log
	now     func(context.Context) time.Time
	refused func() int64 // requests that were turned away since the start

	mu      sync.Mutex
	waiting map[string]*postil.Signal

	seen   int64 // of refused, at the last look
	calm   int   // looks since the last refusal
	loaded bool  // an overload has begun
}

// NewRecorder returns a recorder. refused counts requests that were turned
// away because there were too many of them; it only grows.
func NewRecorder(lg *slog.Logger, log Log, now func(context.Context) time.Time, refused func() int64) *Recorder {
	return &Recorder{lg: lg, log: log, now: now, refused: refused, waiting: map[string]*postil.Signal{}}
}

// Limited notes a request that was over the limit of a rule.
func (r *Recorder) Limited(rule string) {
	r.Note(postil.Signal{Kind: postil.SignalLimit, Detail: rule})
}

// Slow notes a request that took too long.
func (r *Recorder) Slow(route string, took time.Duration) {
	r.Note(postil.Signal{Kind: postil.SignalSlow, Detail: route, After: took})
}

// Note notes anything. It never waits; what it notes is stored within seconds.
func (r *Recorder) Note(g postil.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := string(g.Kind) + "\n" + g.Detail
	if have := r.waiting[key]; have != nil {
		have.N++
		have.After = max(have.After, g.After)
		return
	}
	if len(r.waiting) < maxKinds {
		g.N, g.At = 1, r.now(context.Background())
		r.waiting[key] = &g
	}
}

// Run stores what was noted every few seconds until ctx ends, and then the rest.
func (r *Recorder) Run(ctx context.Context) error {
	tick := time.NewTicker(recordEvery)
	defer tick.Stop()
	r.seen = r.refused()
	for {
		select {
		case <-ctx.Done():
			last, done := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
			defer done()
			r.Flush(last)
			return nil
		case <-tick.C:
			r.look()
			r.Flush(ctx)
		}
	}
}

// look notices that an overload begins or ends.
func (r *Recorder) look() {
	now := r.refused()
	grown := now - r.seen
	r.seen = now
	switch {
	case grown > 0:
		r.calm = 0
		if !r.loaded {
			r.loaded = true
			r.Note(postil.Signal{Kind: postil.SignalOverload, Detail: "requests are turned away"})
		}
	case r.loaded:
		if r.calm++; r.calm >= calmAfter {
			r.loaded = false
			r.Note(postil.Signal{Kind: postil.SignalOverloadEnd})
		}
	}
}

// Flush stores what waits. What cannot be stored waits on.
func (r *Recorder) Flush(ctx context.Context) {
	r.mu.Lock()
	waiting := r.waiting
	r.waiting = map[string]*postil.Signal{}
	r.mu.Unlock()
	if len(waiting) == 0 {
		return
	}
	all := make([]postil.Signal, 0, len(waiting))
	for _, g := range waiting {
		all = append(all, *g)
	}
	err := r.log.AddSignals(ctx, all)
	if err == nil {
		return
	}
	r.lg.Warn("what was noticed cannot be stored; it is tried again", "signals", len(all), "err", err)
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, g := range waiting {
		if have := r.waiting[key]; have != nil {
			have.N, have.After, have.At = have.N+g.N, max(have.After, g.After), g.At
		} else {
			r.waiting[key] = g
		}
	}
}
