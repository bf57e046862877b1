package moderation

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/postil/postil/internal/postil"
)

func TestWhatTheQueueLostComesAgainAndNobodyIsAskedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	woken := 0
	r := NewReconciler(quiet, w, func(context.Context) time.Time { return w.clock }, func() { woken++ })
	lose := func() { // the broker had everything and forgot it
		t.Helper()
		events, err := w.PendingEvents(ctx, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		var ids []postil.EventID
		for _, ev := range events {
			ids = append(ids, ev.ID)
		}
		if err := w.MarkPublished(ctx, ids); err != nil {
			t.Fatal(err)
		}
		w.events()
	}
	c := w.say("hello there, everybody")
	lose()
	r.once(ctx, w.clock.Add(-reconcileGrace))
	if woken != 0 || len(w.events()) != 0 {
		t.Error("what may still be on its way counts as lost")
	}
	r.once(ctx, w.clock)
	if got := kinds(w.events()); !slices.Equal(got, []postil.EventKind{postil.CommentSubmitted}) || woken != 1 {
		t.Errorf("announced %v", got)
	}
	w.check(c.ID)
	w.check(c.ID)
	lose()
	w.clock = w.clock.Add(time.Minute)
	r.once(ctx, w.clock.Add(-reconcileGrace))
	if got := kinds(w.events()); !slices.Equal(got, []postil.EventKind{postil.ReviewRequested}) || woken != 2 {
		t.Errorf("announced %v", got)
	}
	if n, _, err := w.OpenReviews(ctx); err != nil || n != 1 {
		t.Errorf("%d tasks for one comment, %v", n, err)
	}
	if err := w.Announced(ctx, c.ID); err != nil {
		t.Fatal(err)
	}
	lose()
	w.clock = w.clock.Add(time.Hour)
	r.once(ctx, w.clock.Add(-reconcileGrace))
	if woken != 2 || len(w.events()) != 0 {
		t.Error("a moderator was told and is told again")
	}
}

// lossy is a store that loses something every time and is in trouble now and then.
type lossy struct {
	grace []time.Duration
	fail  error
	swept int
}

func (l *lossy) Reannounce(_ context.Context, before time.Time, _ int) (int, error) {
	l.grace = append(l.grace, time.Since(before))
	return 1, l.fail
}
func (l *lossy) StaleCards(context.Context) (int64, error) { return 0, l.fail }
func (l *lossy) Sweep(context.Context) error               { l.swept++; return l.fail }

func TestTheReconcilerLooksAtOnceAndThenEveryMinuteWhateverHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		l, woken := &lossy{fail: errors.New("no disk")}, 0
		r := NewReconciler(slog.New(slog.NewTextHandler(&log, nil)), l, func(context.Context) time.Time { return time.Now() }, func() { woken++ })
		running, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.Run(running) }()
		time.Sleep(2*reconcileEvery + time.Second)
		synctest.Wait()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if !slices.Equal(l.grace, []time.Duration{0, reconcileGrace, reconcileGrace}) || woken != 3 || l.swept != 3 {
			t.Errorf("grace %v, woken %d, swept %d", l.grace, woken, l.swept)
		}
		if !strings.Contains(log.String(), "no disk") || !strings.Contains(log.String(), "tried again in a minute") {
			t.Errorf("log %q", log.String())
		}
	})
}
