package limit

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ulule/limiter/v3"
)

func TestTheStoreServesUlulesOwnLimiter(t *testing.T) {
	t.Parallel()
	c := newClock()
	lim := limiter.New(NewStore(c.now, 10), limiter.Rate{Period: time.Minute, Limit: 2})
	end := c.now(t.Context()).Add(time.Minute).Unix()
	step := func(name string, do func() (limiter.Context, error), want limiter.Context) {
		t.Helper()
		got, err := do()
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
	ctx := t.Context()
	get := func() (limiter.Context, error) { return lim.Get(ctx, "k") }
	peek := func() (limiter.Context, error) { return lim.Peek(ctx, "k") }
	step("peek before", peek, limiter.Context{Limit: 2, Remaining: 2, Reset: end})
	step("first", get, limiter.Context{Limit: 2, Remaining: 1, Reset: end})
	c.add(10 * time.Second)
	step("second", get, limiter.Context{Limit: 2, Remaining: 0, Reset: end})
	step("third", get, limiter.Context{Limit: 2, Remaining: 0, Reset: end, Reached: true})
	step("reset", func() (limiter.Context, error) { return lim.Reset(ctx, "k") }, limiter.Context{Limit: 2, Remaining: 2, Reset: end + 10})
	step("many", func() (limiter.Context, error) { return lim.Increment(ctx, "k", 1<<40) }, limiter.Context{Limit: 2, Reset: end + 10, Reached: true})
	step("none", func() (limiter.Context, error) { return lim.Increment(ctx, "k", -5) }, limiter.Context{Limit: 2, Reset: end + 10, Reached: true})
	c.add(time.Minute)
	step("next window", get, limiter.Context{Limit: 2, Remaining: 1, Reset: end + 70})
}

func TestCountersAreForgottenWhenTheirLongestWindowIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New(newClock().now, 1000)
		mustTake(t, l, Defaults()["comments"], "hour")
		mustTake(t, l, Defaults()["preview"], "minute")
		for _, step := range []struct {
			wait time.Duration
			keys int
		}{{0, 2}, {10 * time.Minute, 1}, {2 * time.Hour, 0}} {
			time.Sleep(step.wait)
			l.keeper.(*Store).cache.CleanUp()
			if l.Len() != step.keys {
				t.Errorf("after another %s: %d keys, want %d", step.wait, l.Len(), step.keys)
			}
		}
	})
}
