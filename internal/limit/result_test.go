package limit

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/postil/postil/internal/postil"
)

func TestHeadersFollowTheHTTPAPIDraft(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := New(c.now, 0)
	rule := Defaults()["comments"]
	var states []string
	for range 4 {
		states = append(states, mustTake(t, l, rule, "ann").StateHeader())
		c.add(1500 * time.Millisecond)
	}
	want := []string{`"comments";r=2;t=10`, `"comments";r=1;t=9`, `"comments";r=0;t=7`, `"comments";r=0;t=6`}
	if d := cmp.Diff(want, states); d != "" {
		t.Error(d)
	}
	r := mustTake(t, l, rule, "ann")
	if got, want := r.PolicyHeader(), `"comments";q=3;w=10, "comments-hour";q=30;w=3600`; got != want {
		t.Errorf("RateLimit-Policy: %s, want %s", got, want)
	}
	if r.RetryAfter != 4*time.Second || r.RetryAfterSeconds() != 4 {
		t.Errorf("retry after %s", r.RetryAfter)
	}
	if (Result{}).StateHeader() != "" || (Result{}).PolicyHeader() != "" {
		t.Error("the zero result has headers")
	}
}

func TestTheLongWindowBindsWhenItIsTheFullerOne(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := New(c.now, 0)
	rule := Rule{Name: "x", Rates: []Rate{{3, 10 * time.Second}, {4, 90 * time.Second}}}
	for range 3 {
		mustTake(t, l, rule, "k")
	}
	c.add(10 * time.Second)
	if got := mustTake(t, l, rule, "k").StateHeader(); got != `"x-90s";r=0;t=80` {
		t.Errorf("RateLimit: %s", got)
	}
}

func TestARefusalIsAThrottledErrorWithASentence(t *testing.T) {
	t.Parallel()
	l := New(newClock().now, 0)
	rule := Rule{Name: "x", Rates: []Rate{{1, 10 * time.Second}}}
	if err := mustTake(t, l, rule, "k").Err(); err != nil {
		t.Fatal(err)
	}
	err := mustTake(t, l, rule, "k").Err()
	e, ok := errors.AsType[*postil.Error](err)
	want := &postil.Error{Kind: postil.Throttled, Slug: "rate-limited", Limit: 1, RetryAfter: 10 * time.Second,
		Sentence: "That was a little too much at once. Nothing was lost; try again in 10 seconds."}
	if d := cmp.Diff(want, e); !ok || d != "" {
		t.Error(d)
	}
}

func TestWaitsAreSaidInWords(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "a second", 9: "9 seconds", 119: "119 seconds", 121: "3 minutes", 3540: "59 minutes", 7201: "3 hours"} {
		if got := words(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestEveryDefaultRuleIsUsableAndNamedLikeItsKey(t *testing.T) {
	t.Parallel()
	for name, rule := range Defaults() {
		if err := rule.Check(); err != nil || rule.Name != name {
			t.Errorf("%s: %+v %v", name, rule, err)
		}
	}
	for n, want := range map[time.Duration]string{time.Minute: "x-minute", 24 * time.Hour: "x-day"} {
		if got := (Rule{Name: "x", Rates: []Rate{{}, {1, n}}}).label(1); got != want {
			t.Errorf("%s: %s", n, got)
		}
	}
}
