package limit

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ulule/limiter/v3"

	"github.com/postil/postil/internal/apptest/cluster"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/queue"
)

// patience is how long a broker may take to come up on a busy machine.
const patience = 2 * time.Minute

var quiet = slog.New(slog.DiscardHandler)

// plainName is how tests name counters.
func plainName(parts ...string) string {
	return strings.NewReplacer(" ", "-", "\n", "_").Replace("of-" + strings.Join(parts, "-"))
}

// node returns a limiter over the counters of one broker, which is up.
func node(t testing.TB, now func(context.Context) time.Time, cfg queue.Config) (*Limiter, *queue.Broker) {
	t.Helper()
	b := queue.New(quiet, cfg)
	far := b.Counters()
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	for deadline := time.Now().Add(patience); b.Status() != nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(b.Status())
		}
	}
	return NewOver(NewShared(now, far, plainName, 0)), b
}

func alone(t testing.TB, now func(context.Context) time.Time) *Limiter {
	t.Helper()
	l, _ := node(t, now, queue.Config{Dir: t.TempDir()})
	return l
}

// threeNodes are limiters at the three servers of a cluster.
func threeNodes(t testing.TB) (nodes []*Limiter) {
	t.Helper()
	c := cluster.Start(t, 3)
	for i := range 3 {
		l, _ := node(t, wall, queue.Config{URL: c.URL(i), Replicas: 3})
		nodes = append(nodes, l)
	}
	return nodes
}

func wall(context.Context) time.Time { return time.Now() }

// storm has many clients ask at once, spread over the nodes, and returns how
// many were let in.
func storm(t testing.TB, nodes []*Limiter, rule Rule, key string, clients, each int) int {
	t.Helper()
	var allowed atomic.Int64
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i := range clients {
		wg.Go(func() {
			<-begin
			for range each {
				r, err := nodes[i%len(nodes)].Take(t.Context(), rule, key)
				if err != nil {
					t.Error(err)
				} else if r.Allowed {
					allowed.Add(1)
				}
			}
		})
	}
	close(begin)
	wg.Wait()
	return int(allowed.Load())
}

func TestThreeNodesLetInExactlyAsManyAsOneWindowAllows(t *testing.T) {
	if testing.Short() {
		t.Skip("a cluster of three servers")
	}
	nodes := threeNodes(t)
	for run := range 100 {
		n := 1 + run%40
		rule := Rule{Name: "storm", Rates: []Rate{{n, 10 * time.Minute}}}
		if got := storm(t, nodes, rule, fmt.Sprint("run", run), 64, 1); got != n {
			t.Fatalf("run %d: %d of 64 clients are let in, not %d", run, got, n)
		}
	}
}

func TestThreeNodesAgreeOnBothWindowsOfARule(t *testing.T) {
	if testing.Short() {
		t.Skip("a cluster of three servers")
	}
	nodes := threeNodes(t)
	rule := Rule{Name: "comments", Rates: []Rate{{7, 10 * time.Minute}, {30, time.Hour}}}
	if got := storm(t, nodes, rule, "ann", 64, 2); got != 7 {
		t.Errorf("%d are let in, not 7", got)
	}
	// What the first window refused took nothing from the second.
	wide := Rule{Name: "comments", Rates: []Rate{{1_000, 10 * time.Minute}, {30, time.Hour}}}
	if got := storm(t, nodes, wide, "ann", 64, 2); got != 23 {
		t.Errorf("%d more are let in within the hour, not 23", got)
	}
}

func TestSixtyFourClientsOfOneNodeGetOneHundredOfOneHundred(t *testing.T) {
	t.Parallel()
	rule := Rule{Name: "hundred", Rates: []Rate{{100, 10 * time.Minute}}}
	for name, l := range map[string]*Limiter{"shared": alone(t, wall), "memory": New(wall, 0)} {
		if got := storm(t, []*Limiter{l}, rule, "all of it", 50, 2); got != 100 {
			t.Errorf("%s: %d of 100 requests are let in within a limit of 100", name, got)
		}
		if got := storm(t, []*Limiter{l}, rule, "beyond", 64, 4); got != 100 {
			t.Errorf("%s: %d of 256 requests are let in within a limit of 100", name, got)
		}
	}
}

// The rules of the package hold wherever is counted.
func TestASharedWindowIsFixedRefusesExactlyAndGivesBack(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := alone(t, c.now)
	rule := Rule{Name: "comments", Rates: []Rate{{3, 10 * time.Second}, {6, time.Hour}}}
	for range 2 {
		for range 3 {
			wantAllowed(t, mustTake(t, l, rule, "ann"), true)
		}
		r := mustTake(t, l, rule, "ann")
		wantAllowed(t, r, false)
		if r.Limit == 3 && (r.RetryAfter != 10*time.Second || r.Remaining != 0) {
			t.Errorf("the short window says %+v", r)
		}
		c.add(10 * time.Second)
	}
	hour := mustTake(t, l, rule, "ann")
	wantAllowed(t, hour, false)
	if hour.RetryAfter != time.Hour-20*time.Second || hour.Limit != 6 {
		t.Errorf("want the hour to bind, got %+v", hour)
	}
	wantAllowed(t, mustTake(t, l, rule, "bob"), true)
	c.add(hour.RetryAfter - time.Microsecond)
	wantAllowed(t, mustTake(t, l, rule, "ann"), false)
	c.add(time.Microsecond)
	var last Result
	for range 3 {
		last = mustTake(t, l, rule, "ann")
		wantAllowed(t, last, true)
	}
	wantAllowed(t, mustTake(t, l, rule, "ann"), false)
	if err := l.Refund(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	wantAllowed(t, mustTake(t, l, rule, "ann"), true)
	wantAllowed(t, mustTake(t, l, rule, "ann"), false)
	// What is given back late adds nothing to the next window.
	c.add(10 * time.Second)
	if err := l.Refund(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	got := 0
	for range 6 {
		if mustTake(t, l, Rule{Name: "comments", Rates: rule.Rates[:1]}, "ann").Allowed {
			got++
		}
	}
	if got != 3 {
		t.Errorf("after a late refund %d are let in, not 3", got)
	}
}

func TestASharedStoreServesUlulesOwnLimiter(t *testing.T) {
	t.Parallel()
	c := newClock()
	lim := limiter.New(alone(t, c.now).Store(), limiter.Rate{Period: time.Minute, Limit: 2})
	end := c.now(t.Context()).Add(time.Minute).Unix()
	get := func() (limiter.Context, error) { return lim.Get(t.Context(), "k") }
	for i, step := range []struct {
		do   func() (limiter.Context, error)
		want limiter.Context
	}{
		{func() (limiter.Context, error) { return lim.Peek(t.Context(), "k") }, limiter.Context{Limit: 2, Remaining: 2, Reset: end}},
		{get, limiter.Context{Limit: 2, Remaining: 1, Reset: end}},
		{get, limiter.Context{Limit: 2, Reset: end}},
		{get, limiter.Context{Limit: 2, Reset: end, Reached: true}},
		{func() (limiter.Context, error) { return lim.Peek(t.Context(), "k") }, limiter.Context{Limit: 2, Reset: end, Reached: true}},
		{func() (limiter.Context, error) { return lim.Reset(t.Context(), "k") }, limiter.Context{Limit: 2, Remaining: 2, Reset: end}},
		{func() (limiter.Context, error) { return lim.Increment(t.Context(), "k", 1<<40) }, limiter.Context{Limit: 2, Reset: end, Reached: true}},
	} {
		if got, err := step.do(); err != nil || got != step.want {
			t.Errorf("step %d: %+v, %v; want %+v", i, got, err, step.want)
		}
	}
}

func TestAShareIsTheSameOnEveryNode(t *testing.T) {
	t.Parallel()
	l := alone(t, newClock().now)
	rule := Rule{Name: "site", Rates: []Rate{{20, time.Minute}}}
	got := 0
	for range 60 {
		if s, err := l.TakeShare(t.Context(), rule, "blog", "flood"); err == nil && s.Err() == nil {
			got++
		}
	}
	if got != 20 {
		t.Errorf("one alone gets %d of 20", got)
	}
	for i := range 30 {
		if s, err := l.TakeShare(t.Context(), rule, "blog", fmt.Sprint("reader ", i)); err != nil || s.Err() != nil {
			t.Errorf("reader %d is locked out: %v %v", i, err, s.Err())
		}
	}
}

func TestWithoutABrokerNobodyIsLetInAndNothingIsClaimed(t *testing.T) {
	t.Parallel()
	l, b := node(t, wall, queue.Config{Dir: t.TempDir()})
	rule := Rule{Name: "questions", Rates: []Rate{{10, time.Minute}}}
	wantAllowed(t, mustTake(t, l, rule, "ann"), true)
	b.Stop()
	for _, key := range []string{"ann", "somebody new"} {
		r, err := l.Take(t.Context(), rule, key)
		if postil.KindOf(err) != postil.Unavailable || r.Allowed {
			t.Errorf("%s is answered %+v, %v", key, r, err)
		}
	}
}

func TestCountsAreKeptWhenTheBrokerStartsAgain(t *testing.T) {
	t.Parallel()
	dir, c := t.TempDir(), newClock()
	rule := Rule{Name: "quota", Rates: []Rate{{10, 24 * time.Hour}}}
	for range 5 {
		l, b := node(t, c.now, queue.Config{Dir: dir})
		wantAllowed(t, mustTake(t, l, rule, "bot"), true)
		wantAllowed(t, mustTake(t, l, rule, "bot"), true)
		b.Stop()
		c.add(time.Hour)
	}
	l, _ := node(t, c.now, queue.Config{Dir: dir})
	wantAllowed(t, mustTake(t, l, rule, "bot"), false)
}

func BenchmarkTakeShared(b *testing.B) {
	l := alone(b, wall)
	rule := Rule{Name: "bench", Rates: []Rate{{1_000_000, time.Hour}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Take(b.Context(), rule, "one"); err != nil {
			b.Fatal(err)
		}
	}
}
