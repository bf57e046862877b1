package limit

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestWhoFloodsAPlaceLocksOutNobodyElse(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := New(c.now, 0)
	rule := Rule{Name: "site", Rates: []Rate{{20, time.Minute}}}
	take := func(who string) bool {
		s, err := l.TakeShare(t.Context(), rule, "blog", who)
		if err != nil {
			t.Fatal(err)
		}
		return s.Err() == nil
	}
	got := 0
	for range 100 {
		if take("flood") {
			got++
		}
	}
	if got != 20 {
		t.Errorf("one alone gets %d of 20", got)
	}
	for i := range 50 { // everybody gets a word in, whatever has happened
		if !take(fmt.Sprint("reader ", i)) {
			t.Errorf("reader %d is locked out", i)
		}
	}
	if take("flood") || take("reader 1") {
		t.Error("somebody gets more than a share of a full place")
	}
	if s, _ := l.TakeShare(t.Context(), rule, "other", "flood"); s.Err() != nil {
		t.Error("another place is full, too")
	}
	c.add(time.Minute)
	if !take("flood") {
		t.Error("the next window is closed")
	}
}

func TestAShareIsExactAndCanBeGivenBack(t *testing.T) {
	t.Parallel()
	l := New(newClock().now, 0)
	rule := Rule{Name: "site", Rates: []Rate{{40, time.Minute}}}
	var allowed atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for range 4 {
				if s, err := l.TakeShare(t.Context(), rule, "blog", "one"); err == nil && s.Err() == nil {
					allowed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if allowed.Load() != 40 {
		t.Errorf("%d of 256 allowed, want 40", allowed.Load())
	}
	s, _ := l.TakeShare(t.Context(), rule, "shop", "one")
	l.ReturnShare(t.Context(), s)
	for i := range 40 {
		if s, _ := l.TakeShare(t.Context(), rule, "shop", "one"); s.Err() != nil {
			t.Errorf("%d: what was given back is missing", i)
		}
	}
}
