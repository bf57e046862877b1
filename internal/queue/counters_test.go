package queue

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

func counting(t testing.TB) (*Broker, *Counters) {
	t.Helper()
	b := newBroker(t, Config{Dir: t.TempDir()})
	c := b.Counters()
	start(t, b)
	return b, c
}

func wantValue(t *testing.T, c *Counters, name string, keep time.Duration, want int64) {
	t.Helper()
	if n, err := c.Value(t.Context(), name, keep); err != nil || n != want {
		t.Errorf("%s is %d, %v; want %d", name, n, err, want)
	}
}

func TestCountersAddUpAndAreApart(t *testing.T) {
	t.Parallel()
	_, c := counting(t)
	for i, step := range []struct {
		name  string
		delta int64
		keep  time.Duration
		want  int64
	}{
		{"a", 2, time.Hour, 2}, {"a", 3, time.Minute, 5}, {"a.b", 1, time.Hour, 1}, {"a", -4, time.Hour, 1}, {"a", -4, time.Hour, -3},
		{"a", 1, 24 * time.Hour, 1}, {"a", 1, 31 * 24 * time.Hour, 1}, {"much", 1 << 62, time.Hour, 1 << 62}, {"much", 1 << 62, time.Hour, 1<<63 - 1},
	} {
		if n, err := c.Add(t.Context(), step.name, step.delta, step.keep); err != nil || n != step.want {
			t.Errorf("step %d: %d, %v; want %d", i, n, err, step.want)
		}
	}
	wantValue(t, c, "a", time.Hour, -3)
	wantValue(t, c, "a", 24*time.Hour, 1)
	wantValue(t, c, "nobody", time.Hour, 0)
	if _, err := c.Add(t.Context(), "a", 1, 400*24*time.Hour); err == nil {
		t.Error("a counter is kept for longer than any stream keeps one")
	}
}

func TestCountersAndAgreementsGoByThemselves(t *testing.T) {
	t.Parallel()
	b, c := counting(t)
	s, err := b.current()
	if err != nil {
		t.Fatal(err)
	}
	for i := range tallies {
		have, err := s.js.Stream(t.Context(), tallies[i].name)
		if err != nil {
			t.Fatal(err)
		}
		cfg := have.CachedInfo().Config
		if cfg.MaxAge != tallies[i].keep || cfg.MaxMsgsPerSubject != 1 || cfg.MaxMsgs != maxCounters || !cfg.AllowMsgCounter {
			t.Errorf("%s keeps everything: %+v", tallies[i].name, cfg)
		}
	}
	// The age that is too long for a test, shortened: nothing else removes them.
	short := tallies[0].config(b.cfg)
	short.MaxAge, short.Duplicates = time.Second, time.Second
	if _, err := s.js.UpdateStream(t.Context(), short); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Add(t.Context(), "a", 5, time.Minute); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Agree(t.Context(), "a", []byte("one"), time.Second, never); err != nil {
		t.Fatal(err)
	}
	for _, stream := range []string{tallies[0].name, agreementStream} {
		eventually(t, stream+" is empty", func() bool { return messages(t, b, stream) == 0 })
	}
	if n, err := c.Add(t.Context(), "a", 1, time.Minute); err != nil || n != 1 {
		t.Errorf("a counter that is gone goes on at %d, %v", n, err)
	}
	if said, err := c.Agree(t.Context(), "a", nil, time.Second, never); err != nil || said != nil {
		t.Errorf("an agreement that is over says %q, %v", said, err)
	}
}

func TestOneOfManyAtOnceIsHeard(t *testing.T) {
	t.Parallel()
	_, c := counting(t)
	always := func([]byte) bool { return true }
	heard := make(chan string, 64)
	for i := range 64 {
		go func() {
			said, err := c.Agree(context.Background(), "window", []byte(fmt.Sprint(i)), time.Hour, always)
			if err != nil {
				said = []byte(err.Error())
			}
			heard <- string(said)
		}()
	}
	first := <-heard
	for range 63 {
		if next := <-heard; next != first {
			t.Fatalf("two are heard: %q and %q", first, next)
		}
	}
	said, err := c.Agree(t.Context(), "window", []byte("later"), time.Hour, never)
	if err != nil || string(said) != "later" {
		t.Errorf("what is over was not replaced: %q, %v", said, err)
	}
}

func TestCountersThatSomebodyDeletedAreMadeAgain(t *testing.T) {
	t.Parallel()
	b, c := counting(t)
	if _, err := c.Add(t.Context(), "a", 1, time.Hour); err != nil {
		t.Fatal(err)
	}
	s, err := b.current()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.js.DeleteStream(t.Context(), tallies[0].name); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Add(t.Context(), "a", 1, time.Hour); err == nil {
		t.Errorf("a number without a stream: %d", n)
	}
	eventually(t, "the stream is back", func() bool {
		n, err := c.Add(t.Context(), "a", 1, time.Hour)
		return err == nil && n == 1
	})
}

func TestNobodyCountsWithoutABroker(t *testing.T) {
	t.Parallel()
	b, c := counting(t)
	b.Stop()
	if _, err := c.Add(t.Context(), "a", 1, time.Hour); err == nil {
		t.Error("a number was invented")
	}
	if _, err := c.Value(t.Context(), "a", time.Hour); err == nil {
		t.Error("a number was invented")
	}
	if _, err := c.Agree(t.Context(), "a", []byte("x"), time.Hour, never); err == nil {
		t.Error("somebody agreed")
	}
}

func TestWithoutCountersTheBrokerHasNoStreamsForThem(t *testing.T) {
	t.Parallel()
	b := newBroker(t, Config{Dir: t.TempDir()})
	start(t, b)
	s, err := b.current()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.js.Stream(t.Context(), agreementStream); err != jetstream.ErrStreamNotFound {
		t.Errorf("the stream of agreements is there: %v", err)
	}
}
