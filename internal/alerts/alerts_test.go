package alerts

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/postil/postil/internal/apptest/storetest"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

var quiet = slog.New(slog.DiscardHandler)

// house is a watch over one value, with a clock that is set by hand.
type house struct {
	store *store.Store
	watch *Watch
	at    time.Time
	value float64
	deaf  bool // nobody can be told
	told  []string
}

func build(t *testing.T) *house {
	t.Helper()
	h := &house{at: time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC)}
	now := func(context.Context) time.Time { return h.at }
	var err error
	if h.store, err = store.Open(t.Context(), quiet, storetest.Path(t), store.Options{}); err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.store.Run(running) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-done, h.store.Close()); err != nil {
			t.Error(err)
		}
	})
	h.watch = h.again(now)
	return h
}

// again is the watch after a restart.
func (h *house) again(now func(context.Context) time.Time) *Watch {
	rule := Rule{Name: "backlog", Lasts: 5 * time.Minute, Over: func() float64 { return 100 },
		Value: func(context.Context) (float64, bool) { return h.value, h.value >= 0 }, Says: func(float64) string { return "Too much waits." }}
	tell := func(_ context.Context, i postil.Incident, phase postil.Phase) error {
		if h.deaf {
			return errors.New("nobody there")
		}
		h.told = append(h.told, string(phase))
		return nil
	}
	return New(quiet, h.store, tell, now, func() time.Duration { return time.Hour }, []Rule{rule})
}

// pass lets time pass with a value.
func (h *house) pass(t *testing.T, d time.Duration, value float64) {
	t.Helper()
	h.value = value
	for end := h.at.Add(d); h.at.Before(end); h.at = h.at.Add(lookEvery) {
		h.watch.Look(t.Context())
	}
}

func (h *house) want(t *testing.T, told ...string) {
	t.Helper()
	if !slices.Equal(h.told, told) {
		t.Fatalf("told %v, want %v", h.told, told)
	}
}

func TestTroubleIsToldOnceAtItsBeginNowAndThenAndAtItsEnd(t *testing.T) {
	t.Parallel()
	h := build(t)
	if _, err := h.store.AddWebhook(t.Context(), postil.Webhook{Name: "ops", URL: "https://hooks.example/", Format: postil.PlainJSON, Active: true}, postil.By{Channel: postil.ByREST}); err != nil {
		t.Fatal(err)
	}
	h.pass(t, 4*time.Minute, 500)
	h.pass(t, time.Minute, 50) // it went by itself
	h.want(t)
	h.pass(t, 50*time.Minute, 150)
	h.want(t, "begun")
	h.pass(t, 30*time.Minute, 150)
	h.want(t, "begun", "updated")
	h.pass(t, time.Minute, 600) // much worse is worth a word
	h.want(t, "begun", "updated", "updated")
	h.pass(t, time.Minute, 50)
	h.pass(t, time.Minute, -1) // not to be measured
	h.pass(t, time.Minute, 150)
	h.want(t, "begun", "updated", "updated")
	h.pass(t, 10*time.Minute, 50)
	h.want(t, "begun", "updated", "updated", "ended")

	all, err := h.store.SignalsAfter(t.Context(), 0, 100)
	if err != nil || len(all) != 4 {
		t.Errorf("signals: %+v, %v", all, err)
	}
	due, err := h.store.DueDeliveries(t.Context(), 1, 100)
	if err != nil || len(due) != 1 || due[0].Event.Phase != postil.IncidentBegins { // the others follow in order
		t.Errorf("deliveries: %+v, %v", due, err)
	}
	past, err := h.store.Incidents(t.Context(), h.at.Add(-24*time.Hour), h.at)
	if err != nil || len(past) != 1 || past[0].Worst != 600 || past[0].Ended.IsZero() {
		t.Errorf("incidents: %+v, %v", past, err)
	}
}

func TestARestartRepeatsNothingAndTellsTheEnd(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.pass(t, 6*time.Minute, 500)
	h.watch = h.again(h.watch.now)
	h.pass(t, 20*time.Minute, 500)
	h.want(t, "begun")
	h.watch = h.again(h.watch.now)
	h.pass(t, 5*time.Minute, 0)
	h.want(t, "begun", "ended")
}

func TestWhatNobodyHeardIsToldLater(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.deaf = true
	h.pass(t, 3*time.Hour, 500)
	h.pass(t, 5*time.Minute, 0)
	h.want(t)
	h.deaf = false
	h.pass(t, time.Minute, 0)
	h.want(t, "begun", "ended")
}
