package limit

import (
	"context"
	"time"

	"github.com/postil/postil/internal/postil"
)

// aDay is from which length on a window must outlive a restart.
const aDay = 24 * time.Hour

// Ledger keeps counts by the day where a restart does not reach them.
type Ledger interface {
	// TakeDay counts one use of a quota on a day, such as 2026-11-30, unless
	// most are used, and returns how many are used then.
	TakeDay(ctx context.Context, quota, actor, day string, most int) (used int, ok bool, err error)
	// ReturnDay gives one use back.
	ReturnDay(ctx context.Context, quota, actor, day string) error
}

// Daily returns a limiter that counts the days of its rules in a ledger, as days
// of the calendar in UTC: for one that counts in memory, where a day is longer
// than many a process lives. Only the last rate of a rule can be a day.
func (l *Limiter) Daily(book Ledger) *Limiter {
	return &Limiter{l.now, l.keeper, book}
}

// byDay reports whether the last window of a rule is counted in the ledger.
func (l *Limiter) byDay(rule Rule) bool {
	return l.ledger != nil && rule.Rates[len(rule.Rates)-1].Per == aDay
}

// takeDay takes from the shorter window first, which costs nothing, and gives it
// back when the day has no room.
func (l *Limiter) takeDay(ctx context.Context, rule Rule, e entry, now time.Time) (Result, error) {
	last := len(rule.Rates) - 1
	result := Result{Allowed: true, rule: rule, entry: e}
	if last > 0 {
		var err error
		short := Rule{Name: rule.Name, Rates: rule.Rates[:last]}
		if result, err = l.keeper.take(ctx, short, e, now); err != nil || !result.Allowed {
			return result.of(rule), err
		}
	}
	day := now.UTC().Truncate(aDay)
	used, ok, err := l.ledger.TakeDay(ctx, e.rule, e.key, day.Format(time.DateOnly), rule.Rates[last].N)
	if err != nil {
		_ = l.giveBack(ctx, result)
		return Result{}, postil.Busy("overloaded", "We cannot take that at the moment. Nothing was lost; try again in a few seconds.", 5*time.Second, err)
	}
	state := counters{windows: [maxRates]window{}}
	state.windows[last] = window{start: day.UnixMicro(), count: uint32(used)}
	if !ok {
		_ = l.giveBack(ctx, result)
		refused := Result{rule: rule, entry: e, RetryAfter: day.Add(aDay).Sub(now)}
		refused.bind(state, now, 1)
		return refused, nil
	}
	result = result.of(rule)
	result.day = day
	if last == 0 || rule.Rates[last].N-used < result.Remaining {
		result.binding, result.Limit, result.Remaining, result.Reset = last, rule.Rates[last].N, rule.Rates[last].N-used, day.Add(aDay).Sub(now)
	}
	return result, nil
}

// of makes the result of a part of a rule that of the whole.
func (r Result) of(rule Rule) Result {
	r.rule = rule
	return r
}

// giveBack returns what was taken from windows and, if it was, from a day.
func (l *Limiter) giveBack(ctx context.Context, taken Result) error {
	if !taken.day.IsZero() {
		if err := l.ledger.ReturnDay(ctx, taken.entry.rule, taken.entry.key, taken.day.Format(time.DateOnly)); err != nil {
			return err
		}
	}
	return l.keeper.refund(ctx, taken)
}
