package limit

import (
	"context"
	"time"
)

// take is Limiter.Take in the memory of this process.
func (s *Store) take(_ context.Context, rule Rule, e entry, now time.Time) (Result, error) {
	id := s.ids.Add(1)
	var result Result
	s.change(e, func(state counters) counters {
		result, state = take(state, rule, now, id)
		return state
	})
	result.entry = e
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

// refund is Limiter.Refund in the memory of this process.
func (s *Store) refund(_ context.Context, taken Result) error {
	s.change(taken.entry, func(state counters) counters {
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

// count tells how much of the first window of e is used.
func (s *Store) count(_ context.Context, e entry, per time.Duration, now time.Time) (int, error) {
	state, _ := s.cache.GetIfPresent(e)
	return int(state.windows[0].at(now.UnixMicro(), per).count), nil
}

func (s *Store) size() int { return s.cache.EstimatedSize() }
