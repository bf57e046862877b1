package outbox

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/postil/postil/internal/postil"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// shelf is an outbox in memory.
type shelf struct {
	mu     sync.Mutex
	events []postil.Event
	marked map[postil.EventID]int
	broken bool // marking fails
}

func (s *shelf) add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range n {
		s.events = append(s.events, postil.Event{ID: postil.EventID(len(s.events) + 1), Kind: postil.CommentSubmitted})
	}
}

func (s *shelf) PendingEvents(_ context.Context, after postil.EventID, limit int) (out []postil.Event, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		if e.ID > after && s.marked[e.ID] == 0 && len(out) < limit {
			out = append(out, e)
		}
	}
	return out, nil
}

func (s *shelf) MarkPublished(_ context.Context, ids []postil.EventID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return errors.New("the disk is full")
	}
	for _, id := range ids {
		s.marked[id]++
	}
	return nil
}

func (s *shelf) unmarked() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		if s.marked[e.ID] == 0 {
			n++
		}
	}
	return n
}

// broker is one that recognises what it has, and may refuse.
type broker struct {
	mu     sync.Mutex
	got    []postil.EventID
	takes  int // how many it takes before it refuses; -1: all
	refuse bool
}

func (b *broker) Publish(_ context.Context, events []postil.Event) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, e := range events {
		if b.refuse || b.takes == 0 {
			return i, errors.New("full")
		}
		b.takes--
		if !slices.Contains(b.got, e.ID) {
			b.got = append(b.got, e.ID)
		}
	}
	return len(events), nil
}

func (b *broker) set(refuse bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse, b.takes = refuse, -1
}

func (b *broker) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.got)
}

// run starts a relay and returns how to stop it.
func run(s *shelf, b *broker) (*Relay, func()) {
	r := NewRelay(quiet, s, b, Options{Batch: 10})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); r.Run(ctx) }()
	return r, func() { cancel(); <-done }
}

func TestAWakeUpIsEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := &shelf{marked: map[postil.EventID]int{}}, &broker{takes: -1}
		r, stop := run(s, b)
		defer stop()
		synctest.Wait()
		s.add(35)
		r.Wake()
		synctest.Wait() // no time passes
		if b.count() != 35 || s.unmarked() != 0 {
			t.Fatalf("%d published, %d unmarked", b.count(), s.unmarked())
		}
	})
}

func TestWhatNobodyWokeForIsFoundWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := &shelf{marked: map[postil.EventID]int{}}, &broker{takes: -1}
		_, stop := run(s, b)
		defer stop()
		synctest.Wait()
		s.add(3)
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		if b.count() != 3 {
			t.Fatalf("%d published", b.count())
		}
	})
}

func TestMOD_04_WhatTheBrokerRefusesWaitsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := &shelf{marked: map[postil.EventID]int{}}, &broker{takes: 7}
		s.add(20)
		_, stop := run(s, b)
		defer stop()
		synctest.Wait()
		if b.count() != 7 || s.unmarked() != 13 {
			t.Fatalf("%d published, %d unmarked while the broker is full", b.count(), s.unmarked())
		}
		time.Sleep(time.Minute)
		b.set(false)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if b.count() != 20 || s.unmarked() != 0 || !slices.IsSorted(b.got) {
			t.Fatalf("published %v, %d unmarked", b.got, s.unmarked())
		}
	})
}

func TestAFailureToMarkPublishesAgainAndMarksLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := &shelf{marked: map[postil.EventID]int{}, broken: true}, &broker{takes: -1}
		s.add(5)
		_, stop := run(s, b)
		defer stop()
		time.Sleep(5 * time.Second)
		s.mu.Lock()
		s.broken = false
		s.mu.Unlock()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if b.count() != 5 || s.unmarked() != 0 {
			t.Fatalf("%d at the broker, %d unmarked", b.count(), s.unmarked())
		}
	})
}

func TestTheLastCommitsArePublishedBeforeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := &shelf{marked: map[postil.EventID]int{}}, &broker{takes: -1}
		_, stop := run(s, b)
		synctest.Wait()
		s.add(12)
		stop()
		if b.count() != 12 || s.unmarked() != 0 {
			t.Fatalf("%d published, %d unmarked", b.count(), s.unmarked())
		}
	})
}
