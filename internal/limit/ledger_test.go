package limit

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// book is a ledger in memory.
type book struct {
	mu      sync.Mutex
	used    map[string]int
	trouble error
}

func (b *book) TakeDay(_ context.Context, quota, actor, day string, most int) (int, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := quota + actor + day
	if b.trouble != nil || b.used[key] >= most {
		return b.used[key], false, b.trouble
	}
	b.used[key]++
	return b.used[key], true, nil
}

func (b *book) ReturnDay(_ context.Context, quota, actor, day string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used[quota+actor+day]--
	return nil
}

var keyRule = Rule{Name: "keys", Rates: []Rate{{5, time.Minute}, {8, 24 * time.Hour}}}

func TestADayOutlivesTheProcessAndAMinuteDoesNot(t *testing.T) {
	t.Parallel()
	c, b := newClock(), &book{used: map[string]int{}}
	l := New(c.now, 0).Daily(b) // 18:17 in UTC
	for i := range 5 {
		r := mustTake(t, l, keyRule, "bot")
		wantAllowed(t, r, true)
		if r.PolicyHeader() != `"keys";q=5;w=60, "keys-day";q=8;w=86400` || r.Remaining != 4-i {
			t.Errorf("%d: %s %s", i, r.PolicyHeader(), r.StateHeader())
		}
	}
	r := mustTake(t, l, keyRule, "bot")
	wantAllowed(t, r, false)
	if r.RetryAfter != time.Minute || b.used["keysbot2026-11-30"] != 5 {
		t.Errorf("the minute refuses for %s and the day has %v", r.RetryAfter, b.used)
	}
	l = New(c.now, 0).Daily(b) // another process
	for range 3 {
		r = mustTake(t, l, keyRule, "bot")
		wantAllowed(t, r, true)
	}
	if r.StateHeader() != `"keys-day";r=0;t=20580` {
		t.Errorf("the last of the day says %s", r.StateHeader())
	}
	c.add(time.Hour)
	r = mustTake(t, l, keyRule, "bot")
	wantAllowed(t, r, false)
	if r.RetryAfter != 4*time.Hour+43*time.Minute || r.Limit != 8 || r.Err() == nil {
		t.Errorf("the day refuses for %s: %+v", r.RetryAfter, r)
	}
	wantAllowed(t, mustTake(t, l, keyRule, "another"), true)
	c.add(r.RetryAfter)
	wantAllowed(t, mustTake(t, l, keyRule, "bot"), true)
}

func TestWhatADayRefusesTakesNothingFromTheMinute(t *testing.T) {
	t.Parallel()
	b := &book{used: map[string]int{"keysbot2026-11-30": 8}}
	l := New(newClock().now, 0).Daily(b)
	for range 20 {
		wantAllowed(t, mustTake(t, l, keyRule, "bot"), false)
	}
	b.used = map[string]int{}
	var last Result
	for range 5 {
		last = mustTake(t, l, keyRule, "bot")
		wantAllowed(t, last, true)
	}
	if err := l.Refund(t.Context(), last); err != nil || b.used["keysbot2026-11-30"] != 4 {
		t.Errorf("after a refund the day has %v, %v", b.used, err)
	}
	wantAllowed(t, mustTake(t, l, keyRule, "bot"), true)
	wantAllowed(t, mustTake(t, l, keyRule, "bot"), false)
	b.trouble = errors.New("disk full")
	if _, err := l.Take(t.Context(), keyRule, "somebody"); postil.KindOf(err) != postil.Unavailable {
		t.Errorf("without a ledger: %v", err)
	}
	b.trouble = nil
	for range 5 {
		wantAllowed(t, mustTake(t, l, keyRule, "somebody"), true)
	}
}

func TestADayIsExactForManyAtOnce(t *testing.T) {
	t.Parallel()
	l := New(newClock().now, 0).Daily(&book{used: map[string]int{}})
	rule := Rule{Name: "keys", Rates: []Rate{{100, 24 * time.Hour}}}
	var allowed atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for range 4 {
				if r, err := l.Take(t.Context(), rule, "bot"); err == nil && r.Allowed {
					allowed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if allowed.Load() != 100 {
		t.Errorf("%d of 256 pass, not 100", allowed.Load())
	}
}
