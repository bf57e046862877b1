package limit

import (
	"fmt"
	"strings"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Result is the answer to one Take. Limit, Remaining and Reset are those of the
// binding window: the fullest one, or the one that refuses longest.
type Result struct {
	Allowed    bool
	Limit      int
	Remaining  int
	Reset      time.Duration // until the binding window is over
	RetryAfter time.Duration // when exactly the request would be allowed; 0 when it is

	rule    Rule
	entry   entry
	binding int
	windows [maxRates]uint32 // what was taken from, for Refund; 0: nothing
	day     time.Time        // the day in a ledger that was taken from; zero: none
	far     [maxRates]string // the same, where nodes share their counters; "": nothing
}

// bind fills in the window that a client must heed. refused is 1 for a request
// that was not counted.
func (r *Result) bind(state counters, now time.Time, refused int64) {
	for i, rate := range r.rule.Rates {
		seen := state.windows[i].context(now, rate, refused)
		reset := state.windows[i].left(now.UnixMicro(), rate.Per)
		// Of a refused rule only the window that holds longest counts; of an
		// allowed one the fullest, and of equally full ones the longer.
		binds := int(seen.Remaining) < r.Remaining || int(seen.Remaining) == r.Remaining && reset > r.Reset
		if !r.Allowed {
			binds = seen.Reached && reset == r.RetryAfter
		}
		if i == 0 || binds {
			r.binding, r.Limit, r.Remaining, r.Reset = i, int(seen.Limit), int(seen.Remaining), reset
		}
	}
}

// PolicyHeader returns the value of RateLimit-Policy: every window of the rule.
func (r Result) PolicyHeader() string {
	items := make([]string, len(r.rule.Rates))
	for i, rate := range r.rule.Rates {
		items[i] = fmt.Sprintf("%q;q=%d;w=%d", r.rule.label(i), rate.N, seconds(rate.Per))
	}
	return strings.Join(items, ", ")
}

// StateHeader returns the value of RateLimit: what the binding window has left
// and in how many seconds it is over. "" for the zero Result.
func (r Result) StateHeader() string {
	if len(r.rule.Rates) == 0 {
		return ""
	}
	return fmt.Sprintf("%q;r=%d;t=%d", r.rule.label(r.binding), r.Remaining, seconds(r.Reset))
}

// ReturnedHeader is StateHeader for when the request was given back.
func (r Result) ReturnedHeader() string {
	if r.Allowed {
		r.Remaining = min(r.Remaining+1, r.Limit)
	}
	return r.StateHeader()
}

// RetryAfterSeconds returns the value of Retry-After: whole seconds, rounded
// up, so that whoever waits that long is let in. 0 when the request is allowed.
func (r Result) RetryAfterSeconds() int { return seconds(r.RetryAfter) }

// Err returns the refusal as a Throttled error with a sentence for the person,
// nil when the request is allowed.
func (r Result) Err() error {
	if r.Allowed {
		return nil
	}
	return &postil.Error{Kind: postil.Throttled, Slug: "rate-limited", Limit: r.Limit, RetryAfter: r.RetryAfter,
		Sentence: "That was a little too much at once. Nothing was lost; try again in " + words(r.RetryAfterSeconds()) + "."}
}

// words says n seconds as a person would.
func words(n int) string {
	switch {
	case n == 1:
		return "a second"
	case n < 120:
		return fmt.Sprintf("%d seconds", n)
	case n < 2*3600:
		return fmt.Sprintf("%d minutes", (n+59)/60)
	}
	return fmt.Sprintf("%d hours", (n+3599)/3600)
}

// seconds rounds d up to whole seconds.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
