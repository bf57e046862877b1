package apptest

import (
	"testing"
	"time"
)

// Eventually waits until ok holds and fails the test, naming what it waited
// for, when that takes longer than within. It returns how long it took.
func Eventually(t testing.TB, within time.Duration, what string, ok func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for w := (watch{limit: within}); !ok(); {
		if w.over() {
			t.Fatalf("after %v still not: %s", within, what)
		}
	}
	return time.Since(began)
}

const (
	glance = 5 * time.Millisecond  // between two looks
	stall  = 50 * time.Millisecond // no look takes as long where there is a processor for it
)

// watch measures how long something may take. What a look takes beyond stall is
// the delay of a machine that has other things to do, and is not held against
// the product, but only so often.
type watch struct {
	limit, spent, all time.Duration
	last              time.Time
}

// over pauses between two looks and tells whether the time is up.
func (w *watch) over() bool {
	if !w.last.IsZero() {
		took := time.Since(w.last)
		w.spent += min(took, stall)
		w.all += took
	}
	w.last = time.Now()
	time.Sleep(glance) // the pause between two looks, not a guess
	return w.spent > w.limit || w.all > 10*w.limit
}
