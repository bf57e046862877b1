package limit

import (
	"context"
	"time"
)

// Limiter takes from allowances. It is safe for many goroutines.
type Limiter struct {
	now   func(context.Context) time.Time
	store *Store
}

// New returns a limiter that reads the time of a request from now and remembers
// at most size keys (0: 200,000, about 35 MB). Beyond that the keys that were
// least used are forgotten, which gives them a fresh allowance.
func New(now func(context.Context) time.Time, size int) *Limiter {
	return &Limiter{now: now, store: NewStore(now, size)}
}

// Store returns the limiter's memory behind ulule's interface. Its counters are
// apart from those of rules.
func (l *Limiter) Store() *Store { return l.store }

// Len returns about how many keys are remembered.
func (l *Limiter) Len() int { return l.store.cache.EstimatedSize() }

// Take asks for one request of rule by key and counts it in every window when
// all of them have room, else in none. On an error nothing is known and the
// caller refuses the request.
func (l *Limiter) Take(ctx context.Context, rule Rule, key string) (Result, error) {
	if err := rule.Check(); err != nil {
		return Result{}, err
	}
	now := l.now(ctx)
	id := l.store.ids.Add(1)
	var result Result
	l.store.change(entry{rule.Name, key}, func(state counters) counters {
		result, state = take(state, rule, now, id)
		return state
	})
	result.entry = entry{rule.Name, key}
	return result, nil
}

// take is the rule itself, without a lock: what state becomes at now, and what
// to tell the caller.
func take(state counters, rule Rule, now time.Time, id uint32) (Result, counters) {
	micros, result := now.UnixMicro(), Result{Allowed: true, rule: rule}
	for i, rate := range rule.Rates {
		state.keep = max(state.keep, rate.Per)
		state.windows[i] = state.windows[i].at(micros, rate.Per)
		if int(state.windows[i].count) >= rate.N {
			result.Allowed = false
			result.RetryAfter = max(result.RetryAfter, state.windows[i].left(micros, rate.Per))
		}
	}
	refused := int64(1)
	if result.Allowed {
		refused = 0
		for i := range rule.Rates {
			state.windows[i] = state.windows[i].add(1, micros, id)
			result.windows[i] = state.windows[i].id
		}
	}
	result.bind(state, now, refused)
	return result, state
}

// Refund gives back what taken consumed, because a later step refused the
// request. A window that has ended meanwhile gets nothing, so a refund never
// enlarges the next one. Call it once, and only with an allowed result; else it
// does nothing.
func (l *Limiter) Refund(_ context.Context, taken Result) error {
	if !taken.Allowed {
		return nil
	}
	l.store.change(taken.entry, func(state counters) counters {
		for i, id := range taken.windows {
			if id == 0 || state.windows[i].id != id {
				continue
			}
			// The last refund leaves no window: a refused request does not
			// start the clock either.
			if state.windows[i].count--; state.windows[i].count == 0 {
				state.windows[i] = window{}
			}
		}
		return state
	})
	return nil
}
