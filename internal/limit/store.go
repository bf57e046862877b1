package limit

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/ulule/limiter/v3"
)

const defaultSize = 200_000

// entry says whose counters and of which rule.
type entry struct{ rule, key string }

// Store keeps counters in bounded memory and is a limiter.Store: exact, one
// fixed window a key. See the package comment for what that interface cannot do.
type Store struct {
	now   func(context.Context) time.Time
	cache *otter.Cache[entry, counters]
	ids   atomic.Uint32
}

var _ limiter.Store = (*Store)(nil)

// NewStore returns an empty store of at most size keys (0: 200,000).
func NewStore(now func(context.Context) time.Time, size int) *Store {
	if size <= 0 {
		size = defaultSize
	}
	return &Store{now: now, cache: otter.Must(&otter.Options[entry, counters]{
		MaximumSize:      size,
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[entry, counters]) time.Duration { return e.Value.keep }),
		Clock:            steady{time.Now()},
	})}
}

// Get counts one hit of key.
func (s *Store) Get(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	return s.Increment(ctx, key, 1, rate)
}

// Peek tells how key stands and counts nothing.
func (s *Store) Peek(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	now := s.now(ctx)
	state, _ := s.cache.GetIfPresent(entry{key: key})
	return state.windows[0].at(now.UnixMicro(), rate.Period).context(now, own(rate), 0), nil
}

// Reset forgets every hit of key.
func (s *Store) Reset(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	s.cache.Invalidate(entry{key: key})
	return window{}.context(s.now(ctx), own(rate), 0), nil
}

// Increment counts count hits of key, past the limit too; below 1 it counts none.
func (s *Store) Increment(ctx context.Context, key string, count int64, rate limiter.Rate) (limiter.Context, error) {
	if count < 1 {
		return s.Peek(ctx, key, rate)
	}
	now, id := s.now(ctx), s.ids.Add(1)
	var after window
	s.change(entry{key: key}, func(state counters) counters {
		after = state.windows[0].at(now.UnixMicro(), rate.Period)
		room := math.MaxUint32 - int64(after.count)
		after = after.add(uint32(min(count, room)), now.UnixMicro(), id)
		state.windows[0], state.keep = after, max(state.keep, rate.Period)
		return state
	})
	return after.context(now, own(rate), 0), nil
}

func own(rate limiter.Rate) Rate { return Rate{N: int(rate.Limit), Per: rate.Period} }

// change replaces the counters of e in one step that no other change of e can
// come between.
func (s *Store) change(e entry, next func(counters) counters) {
	s.cache.Compute(e, func(old counters, found bool) (counters, otter.ComputeOp) {
		state := next(old)
		switch {
		case state == old:
			return old, otter.CancelOp
		case found && !state.begun():
			return state, otter.InvalidateOp
		}
		return state, otter.WriteOp
	})
}

// steady is the cache's own clock, for forgetting only. It is not the clock of
// requests: that one may jump, and a jump must not make the cache forget. It
// never ticks, because writes clean up and the size is bounded anyway, so the
// cache keeps no goroutine.
type steady struct{ since time.Time }

func (c steady) NowNano() int64                      { return int64(time.Since(c.since)) }
func (c steady) Tick(time.Duration) <-chan time.Time { return nil }
