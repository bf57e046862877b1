package limit

import (
	"context"
	"time"

	"github.com/ulule/limiter/v3"
)

// Limiter takes from allowances. It is safe for many goroutines.
type Limiter struct {
	now    func(context.Context) time.Time
	keeper keeper
	ledger Ledger // of days; nil: they are windows like all others
}

// New returns a limiter of this process alone that reads the time of a request
// from now and remembers at most size keys (0: 200,000, about 35 MB). Beyond
// that the keys that were least used are forgotten, which gives them a fresh
// allowance.
func New(now func(context.Context) time.Time, size int) *Limiter {
	return &Limiter{now: now, keeper: NewStore(now, size)}
}

// NewOver returns a limiter that shares its counters with other nodes.
func NewOver(s *Shared) *Limiter { return &Limiter{now: s.now, keeper: s} }

// Store returns what is counted in behind ulule's interface. Its counters are
// apart from those of rules.
func (l *Limiter) Store() limiter.Store { return l.keeper }

// Len returns about how many keys are remembered in this process.
func (l *Limiter) Len() int { return l.keeper.size() }

// Take asks for one request of rule by key and counts it in every window when
// all of them have room, else in none. On an error nothing is known and the
// caller refuses the request.
func (l *Limiter) Take(ctx context.Context, rule Rule, key string) (Result, error) {
	if err := rule.Check(); err != nil {
		return Result{}, err
	}
	if l.byDay(rule) {
		return l.takeDay(ctx, rule, entry{rule.Name, key}, l.now(ctx))
	}
	return l.keeper.take(ctx, rule, entry{rule.Name, key}, l.now(ctx))
}

// Refund gives back what taken consumed, because a later step refused the
// request. A window that has ended meanwhile gets nothing, so a refund never
// enlarges the next one. Call it once, and only with an allowed result; else it
// does nothing.
func (l *Limiter) Refund(ctx context.Context, taken Result) error {
	if !taken.Allowed {
		return nil
	}
	return l.giveBack(ctx, taken)
}
