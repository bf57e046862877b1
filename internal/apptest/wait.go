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
	for !ok() {
		if time.Since(began) > within {
			t.Fatalf("after %v still not: %s", within, what)
		}
		time.Sleep(5 * time.Millisecond) // the pause between two looks, not a guess
	}
	return time.Since(began)
}
