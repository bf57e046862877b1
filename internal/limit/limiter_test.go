package limit

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock is a hand-set time.
type clock struct{ micros atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.set(time.Date(2026, 11, 30, 18, 17, 0, 0, time.UTC))
	return c
}
func (c *clock) now(context.Context) time.Time { return time.UnixMicro(c.micros.Load()).UTC() }
func (c *clock) set(t time.Time)               { c.micros.Store(t.UnixMicro()) }
func (c *clock) add(d time.Duration)           { c.micros.Add(d.Microseconds()) }

func mustTake(t *testing.T, l *Limiter, rule Rule, key string) Result {
	t.Helper()
	r, err := l.Take(t.Context(), rule, key)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wantAllowed(t *testing.T, r Result, want bool) {
	t.Helper()
	if r.Allowed != want {
		t.Fatalf("allowed = %t, want %t: %+v", r.Allowed, want, r)
	}
}

func TestRL_07_ARefusedRequestConsumesNothingInAnyWindow(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := New(c.now, 0)
	rule := Rule{Name: "comments", Rates: []Rate{{3, 10 * time.Second}, {6, time.Hour}}}
	for range 2 {
		for range 3 {
			wantAllowed(t, mustTake(t, l, rule, "ann"), true)
		}
		c.add(10 * time.Second)
	}
	// Over the long window, with the short one empty: keep trying for an hour.
	first := mustTake(t, l, rule, "ann")
	wantAllowed(t, first, false)
	if first.RetryAfter != time.Hour-20*time.Second || first.Limit != 6 {
		t.Fatalf("want the hour to bind, got %+v", first)
	}
	start := c.now(t.Context())
	for c.now(t.Context()).Before(start.Add(first.RetryAfter - time.Second)) {
		wantAllowed(t, mustTake(t, l, rule, "ann"), false)
		c.add(time.Second)
	}
	c.set(start.Add(first.RetryAfter - time.Microsecond))
	wantAllowed(t, mustTake(t, l, rule, "ann"), false)
	// Exactly then, all three of the short window are there.
	c.set(start.Add(first.RetryAfter))
	for range 3 {
		wantAllowed(t, mustTake(t, l, rule, "ann"), true)
	}
	wantAllowed(t, mustTake(t, l, rule, "ann"), false)
}

func TestRL_07_AllowedAgainExactlyWhenRetryAfterSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newClock()
		l := New(c.now, 100)
		rule := Rule{Name: "x", Rates: []Rate{
			{rapid.IntRange(1, 4).Draw(t, "n1"), time.Duration(rapid.IntRange(1, 9).Draw(t, "s1")) * time.Second},
			{rapid.IntRange(1, 9).Draw(t, "n2"), time.Duration(rapid.IntRange(1, 60).Draw(t, "s2")) * time.Second},
		}}
		take := func() Result {
			r, err := l.Take(context.Background(), rule, "k")
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		for range 60 {
			// The clock goes backwards too.
			c.add(time.Duration(rapid.Int64Range(-1_000_000, 4_000_000).Draw(t, "step")) * time.Microsecond)
			r := take()
			if r.Allowed {
				if r.RetryAfter != 0 || r.Err() != nil {
					t.Fatalf("allowed, but to be retried: %+v", r)
				}
				continue
			}
			if r.RetryAfter <= 0 || r.RetryAfter > max(rule.Rates[0].Per, rule.Rates[1].Per) {
				t.Fatalf("retry after %s", r.RetryAfter)
			}
			c.add(r.RetryAfter - time.Microsecond)
			if take().Allowed {
				t.Fatal("allowed before Retry-After")
			}
			c.add(time.Microsecond)
			if !take().Allowed {
				t.Fatal("refused at Retry-After")
			}
		}
	})
}

func TestRL_05_RulesCountForThemselves(t *testing.T) {
	t.Parallel()
	l := New(newClock().now, 0)
	rules := Defaults()
	for range 40 * 5 { // forty people behind one address open pages
		mustTake(t, l, rules["form"], "nat")
		mustTake(t, l, rules["own"], "nat")
		mustTake(t, l, rules["preview"], "nat")
		if _, err := l.Store().Get(t.Context(), "nat", ulule(rules["form"].Rates[0])); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"comments", "reactions", "reports", "questions", "signin"} {
		r := mustTake(t, l, rules[name], "nat")
		wantAllowed(t, r, true)
		if r.Remaining != rules[name].Rates[0].N-1 {
			t.Errorf("%s: remaining %d", name, r.Remaining)
		}
	}
	wantAllowed(t, mustTake(t, l, rules["form"], "nat"), false)
	wantAllowed(t, mustTake(t, l, rules["form"], "somebody else"), true)
}

func TestSixtyFourGoroutinesGetExactlyTheAllowance(t *testing.T) {
	t.Parallel()
	l := New(newClock().now, 0)
	rule := Rule{Name: "x", Rates: []Rate{{100, time.Minute}, {150, time.Hour}}}
	for run := range 100 {
		var allowed atomic.Int64
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				for range 4 {
					r, err := l.Take(context.Background(), rule, fmt.Sprint(run))
					if err == nil && r.Allowed {
						allowed.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if allowed.Load() != 100 {
			t.Fatalf("run %d: %d of 256 allowed, want 100", run, allowed.Load())
		}
	}
}

func TestTakesAndRefundsOfManyGoroutinesAddUp(t *testing.T) {
	t.Parallel()
	l := New(newClock().now, 0)
	rule := Rule{Name: "x", Rates: []Rate{{100, time.Minute}, {150, time.Hour}}}
	var kept atomic.Int64
	var wg sync.WaitGroup
	for g := range 64 {
		wg.Go(func() {
			for range 50 {
				r, err := l.Take(context.Background(), rule, "k")
				switch {
				case err != nil || !r.Allowed:
				case g%2 == 0:
					_ = l.Refund(context.Background(), r)
				default:
					kept.Add(1)
				}
			}
		})
	}
	wg.Wait()
	for mustTake(t, l, rule, "k").Allowed {
		kept.Add(1)
	}
	if kept.Load() != 100 {
		t.Fatalf("%d kept, want 100", kept.Load())
	}
}

func TestARefundGivesOneBackInEveryWindow(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := New(c.now, 0)
	rule := Rule{Name: "x", Rates: []Rate{{2, 10 * time.Second}, {3, time.Minute}}}
	mustTake(t, l, rule, "k")
	second := mustTake(t, l, rule, "k")
	refused := mustTake(t, l, rule, "k")
	wantAllowed(t, refused, false)
	if err := l.Refund(t.Context(), refused); err != nil {
		t.Fatal(err)
	}
	wantAllowed(t, mustTake(t, l, rule, "k"), false)
	if err := l.Refund(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	wantAllowed(t, mustTake(t, l, rule, "k"), true)
	wantAllowed(t, mustTake(t, l, rule, "k"), false)
	c.add(10 * time.Second)
	wantAllowed(t, mustTake(t, l, rule, "k"), true) // the third of the minute
	wantAllowed(t, mustTake(t, l, rule, "k"), false)
}

func TestARefundNeverEnlargesTheNextWindow(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := New(c.now, 0)
	rule := Rule{Name: "x", Rates: []Rate{{2, 10 * time.Second}}}
	old := mustTake(t, l, rule, "k")
	c.add(10 * time.Second)
	mustTake(t, l, rule, "k")
	mustTake(t, l, rule, "k")
	_ = l.Refund(t.Context(), old)
	wantAllowed(t, mustTake(t, l, rule, "k"), false)
	_ = l.Refund(t.Context(), Result{})
}

func TestAFullRefundDoesNotStartTheClock(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := New(c.now, 0)
	rule := Rule{Name: "x", Rates: []Rate{{1, 10 * time.Second}}}
	_ = l.Refund(t.Context(), mustTake(t, l, rule, "k"))
	if l.Len() != 0 {
		t.Errorf("%d keys are kept for nothing", l.Len())
	}
	c.add(5 * time.Second)
	wantAllowed(t, mustTake(t, l, rule, "k"), true)
	if r := mustTake(t, l, rule, "k"); r.RetryAfter != 10*time.Second {
		t.Errorf("retry after %s, want the whole window", r.RetryAfter)
	}
}

func TestAWindowBeginsWithItsFirstHitAndEndsOnTime(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := New(c.now, 0)
	rule := Rule{Name: "x", Rates: []Rate{{1, 10 * time.Second}}}
	c.add(7 * time.Second)
	wantAllowed(t, mustTake(t, l, rule, "k"), true)
	c.add(10*time.Second - time.Microsecond)
	if r := mustTake(t, l, rule, "k"); r.Allowed || r.RetryAfter != time.Microsecond || r.RetryAfterSeconds() != 1 {
		t.Fatalf("just before the end: %+v", r)
	}
	c.add(time.Microsecond)
	wantAllowed(t, mustTake(t, l, rule, "k"), true)
}

func TestAClockSetBackNeverLocksOutForLongerThanTheWindow(t *testing.T) {
	t.Parallel()
	for _, back := range []time.Duration{time.Microsecond, 9 * time.Second, 10 * time.Second, time.Hour, 40 * 365 * 24 * time.Hour} {
		c := newClock()
		l := New(c.now, 0)
		rule := Rule{Name: "x", Rates: []Rate{{1, 10 * time.Second}}}
		mustTake(t, l, rule, "k")
		c.add(-back)
		if r := mustTake(t, l, rule, "k"); !r.Allowed && r.RetryAfter > 10*time.Second {
			t.Errorf("back by %s: retry after %s", back, r.RetryAfter)
		}
		c.add(10 * time.Second)
		wantAllowed(t, mustTake(t, l, rule, "k"), true)
	}
}

func TestAHundredTimesMoreKeysThanFitStayWithinTheBound(t *testing.T) {
	t.Parallel()
	const size = 2000
	l := New(newClock().now, size)
	rule := Defaults()["comments"]
	for i := range 100 * size {
		if _, err := l.Take(context.Background(), rule, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
		// The cache evicts beside the writers, so it may be over for a moment.
		if i%size == 0 && l.Len() > 2*size {
			t.Fatalf("%d keys after %d, bound %d", l.Len(), i, size)
		}
	}
	l.keeper.(*Store).cache.CleanUp()
	if l.Len() > size {
		t.Fatalf("%d keys, bound %d", l.Len(), size)
	}
}

func TestAnUnusableRuleIsRefusedNotAllowed(t *testing.T) {
	t.Parallel()
	l := New(newClock().now, 0)
	for name, rule := range map[string]Rule{
		"no rates":      {Name: "x"},
		"three rates":   {Name: "x", Rates: make([]Rate, 3)},
		"nothing fits":  {Name: "x", Rates: []Rate{{0, time.Minute}}},
		"no window":     {Name: "x", Rates: []Rate{{1, 0}}},
		"endless":       {Name: "x", Rates: []Rate{{1, 1 << 62}}},
		"quote in name": {Name: `x"`, Rates: []Rate{{1, time.Minute}}},
		"no name":       {Rates: []Rate{{1, time.Minute}}},
	} {
		r, err := l.Take(t.Context(), rule, "k")
		if postil.KindOf(err) != postil.Invalid || r.Allowed {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}
