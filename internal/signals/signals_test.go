package signals

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
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

func clock(context.Context) time.Time { return time.Now() }

func openStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), quiet, storetest.Path(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(running) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-done, s.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestAThousandRefusalsAreOneLine(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	r := NewRecorder(quiet, s, clock, func() int64 { return 0 })
	for i := range 1000 {
		r.Limited("POST /comments")
		r.Slow("GET /slow", time.Duration(i)*time.Millisecond)
	}
	r.Flush(t.Context())
	all, err := s.SignalsAfter(t.Context(), 0, 100)
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, g := range all {
		if g.N != 1000 || g.Kind == postil.SignalSlow && g.After != 999*time.Millisecond {
			t.Errorf("%+v", g)
		}
	}
}

func TestAnOverloadIsToldAtItsBeginAndItsEnd(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	var refused atomic.Int64
	r := NewRecorder(quiet, s, clock, refused.Load)
	for range 4 {
		refused.Add(5)
		r.look()
	}
	r.Flush(t.Context())
	for range 2 * calmAfter {
		r.look()
	}
	r.Flush(t.Context())
	all, err := s.SignalsAfter(t.Context(), 0, 100)
	if err != nil || len(all) != 2 || all[0].Kind != postil.SignalOverload || all[1].Kind != postil.SignalOverloadEnd {
		t.Fatalf("%+v, %v", all, err)
	}
}

func TestTheFiguresOfAMinuteAreWhatHasGrown(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	var n int64
	p := NewSampler(quiet, s, "node", clock, func(context.Context) postil.Figures {
		n += 10
		return postil.Figures{Requests: n, Failed: n / 10, Queue: int(n)}
	})
	first := time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC)
	for i := range 3 {
		p.Sample(t.Context(), first.Add(time.Duration(i)*time.Minute+29*time.Second))
	}
	got, err := s.Figures(t.Context(), first, first.Add(time.Hour), time.Minute)
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, f := range got {
		if f.Requests != 10 || f.Failed != 1 || f.Queue != 10*(i+1) {
			t.Errorf("minute %d: %+v", i, f)
		}
	}
}

// carrier is a broker that goes away now and then.
type carrier struct {
	down bool
	got  []int64
}

func (c *carrier) PublishSignals(_ context.Context, all []postil.Signal) (int, error) {
	for i, g := range all {
		if c.down && i == 2 {
			return i, errors.New("down")
		}
		c.got = append(c.got, g.ID)
	}
	return len(all), nil
}

func TestSignalsAreHandedOnInOrderAlsoAfterTheBrokerWasAway(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	for range 5 {
		if err := s.AddSignals(t.Context(), []postil.Signal{{Kind: postil.SignalBackup}}); err != nil {
			t.Fatal(err)
		}
	}
	to := &carrier{down: true}
	if err := NewCopier(quiet, s, to).Copy(t.Context()); err == nil {
		t.Fatal("the broker was away, and nothing is said")
	}
	to.down = false
	if err := NewCopier(quiet, s, to).Copy(t.Context()); err != nil { // after a restart
		t.Fatal(err)
	}
	if len(to.got) != 5 {
		t.Fatalf("handed on: %v", to.got)
	}
	for i, id := range to.got {
		if id != int64(i+1) {
			t.Errorf("handed on: %v", to.got)
		}
	}
}
