package limit

import (
	"context"
	"time"

	"github.com/ulule/limiter/v3"
)

// Get counts one hit of key.
func (s *Shared) Get(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	return s.Increment(ctx, key, 1, rate)
}

// Peek tells how key stands and counts nothing.
func (s *Shared) Peek(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	now := s.now(ctx)
	w, err := s.look(ctx, place{entry{key: key}, 0}, rate.Period, now)
	return w.context(now, own(rate), 0), err
}

// Reset forgets every hit of key: it says that the window is over.
func (s *Shared) Reset(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	now, p := s.now(ctx), place{entry{key: key}, 0}
	over := newSpan(now.Add(-rate.Period), rate.Period)
	_, err := s.far.Agree(ctx, s.placeName(p), []byte(over.said), rate.Period, func([]byte) bool { return false })
	s.known.Invalidate(p)
	return window{}.context(now, own(rate), 0), err
}

// Increment counts count hits of key, past the limit too; below 1 it counts none.
func (s *Shared) Increment(ctx context.Context, key string, count int64, rate limiter.Rate) (limiter.Context, error) {
	if count < 1 {
		return s.Peek(ctx, key, rate)
	}
	now, p := s.now(ctx), place{entry{key: key}, 0}
	sp, running, err := s.open(ctx, p, rate.Period, now, true)
	if err != nil || !running {
		return limiter.Context{}, err
	}
	n, err := s.far.Add(ctx, s.counter(p, sp), count, rate.Period)
	if err != nil {
		return limiter.Context{}, err
	}
	return sp.window(now, n).context(now, own(rate), 0), nil
}

var _ keeper = (*Shared)(nil)
var _ keeper = (*Store)(nil)

// keeper is what a limiter counts in.
type keeper interface {
	limiter.Store
	// take counts one request in every window of a rule, or in none.
	take(ctx context.Context, rule Rule, e entry, now time.Time) (Result, error)
	// refund takes back what an allowed take counted.
	refund(ctx context.Context, taken Result) error
	// count tells how much of the first window of e is used.
	count(ctx context.Context, e entry, per time.Duration, now time.Time) (int, error)
	size() int
}
