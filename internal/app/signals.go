package app

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/settings"
	"github.com/postil/postil/internal/signals"
	"github.com/postil/postil/internal/token"
)

// noticed is what the service notices about itself.
type noticed struct {
	recorder *signals.Recorder
	slow     func() time.Duration // from which a request counts as slow

	answers, wrong, limited, busy, failed atomic.Int64
}

// buildSignals connects what is noticed with the store and the broker.
func (a *App) buildSignals(context.Context) error {
	a.noticed.slow = func() time.Duration { return settings.SlowAfter.Get(a.settings.Now(), "") }
	a.noticed.recorder = signals.NewRecorder(a.lg, a.store, a.clock.now, a.turnedAway)
	a.tasks = append(a.tasks,
		namedTask{"signals", a.noticed.recorder.Run},
		namedTask{"figures", signals.NewSampler(a.lg, a.store, token.NewNonce(), a.clock.now, a.figures).Run},
		namedTask{"copy of signals", signals.NewCopier(a.lg, a.store, a.broker).Run})
	return nil
}

// turnedAway counts readers and writers for whom there was no room.
func (a *App) turnedAway() int64 { return a.cache.Stats().Refused + a.noticed.busy.Load() }

// figures reads the counters that others keep anyway.
func (a *App) figures(ctx context.Context) postil.Figures {
	s, n := a.cache.Stats(), &a.noticed
	f := postil.Figures{
		Requests: s.Hits + s.Stale + s.Misses + n.answers.Load(), Hits: s.Hits + s.Stale, Loads: s.Loads, TurnedAway: s.Refused,
		Wrong: n.wrong.Load(), Limited: n.limited.Load(), Busy: n.busy.Load(), Failed: n.failed.Load(),
		Views: a.light.views.Total(), Streams: a.hub.Count(),
	}
	f.Posts, f.Decisions = a.store.Written()
	waiting, oldest, err := a.store.OpenReviews(ctx)
	if err == nil && waiting > 0 {
		f.Queue, f.QueueAge = waiting, max(0, a.clock.now(ctx).Sub(oldest))
	}
	if n, err := a.store.Backlog(ctx); err == nil {
		f.Backlog = n
	}
	if n, err := a.store.UndeliveredCards(ctx); err == nil {
		f.Undelivered = n
	}
	return f
}

// patientRoutes take as long as they take: streams and files.
var patientRoutes = []string{"/stream", "/events", "/exports", "/export", "/backups", "/demo/*"}

// answered counts an answer by its class, and notes what somebody will ask
// about: limits that were hit and requests that were slow.
func (n *noticed) answered(route string, status int, took time.Duration) {
	n.answers.Add(1)
	switch {
	case status == 429:
		n.limited.Add(1)
		n.recorder.Limited(route)
	case status == 503:
		n.busy.Add(1)
	case status >= 500:
		n.failed.Add(1)
	case status >= 400:
		n.wrong.Add(1)
	}
	if took < time.Second || took < n.slow() { // the second is the least that can be set
		return
	}
	for _, path := range patientRoutes {
		if strings.HasSuffix(route, path) {
			return
		}
	}
	n.recorder.Slow(route, took)
}

// classes are the answers that were no success.
func (n *noticed) classes() map[string]int64 {
	return map[string]int64{"wrong": n.wrong.Load(), "limited": n.limited.Load(), "busy": n.busy.Load(), "failed": n.failed.Load()}
}

// backup notes a backup that was made or not.
func (n *noticed) backup(ctx context.Context, which string, err error) {
	g := postil.Signal{Kind: postil.SignalBackup, Detail: which}
	switch {
	case ctx.Err() != nil:
		return // the service stops
	case err != nil:
		g.Kind, g.Detail = postil.SignalNoBackup, which+": the log says why"
	}
	n.recorder.Note(g)
}
