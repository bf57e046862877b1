package limit

import "context"

// Share is what was taken from what many have in common.
type Share struct {
	whole, own Result
	present    Result
}

// TakeShare asks for one request of what everybody at a place has in common, in
// the name of who. As long as there is room for all, everybody is let in. Beyond
// that only those are who have had less than their share, which is the whole
// divided by those who are there, and one at least: so whoever floods a place
// locks out himself and nobody who has not come yet. The rule has one rate.
func (l *Limiter) TakeShare(ctx context.Context, rule Rule, place, who string) (s Share, err error) {
	if s.whole, err = l.Take(ctx, rule, place); err != nil {
		return s, err
	}
	rate := rule.Rates[0]
	mine := Rule{Name: rule.Name, Rates: []Rate{rate}}
	if !s.whole.Allowed {
		present, err := l.keeper.count(ctx, entry{rule.Name, place + "\n"}, rate.Per, l.now(ctx))
		if err != nil {
			return s, err
		}
		mine.Rates[0].N = max(1, rate.N/max(1, present))
	}
	if s.own, err = l.Take(ctx, mine, place+"\n"+who); err != nil {
		return s, err
	}
	if s.own.Allowed && s.own.Limit-s.own.Remaining == 1 { // the first time in this window
		s.present, err = l.Take(ctx, Rule{Name: rule.Name, Rates: []Rate{{N: 1_000_000, Per: rate.Per}}}, place+"\n")
	}
	return s, err
}

// Err returns the refusal, nil when the request is allowed.
func (s Share) Err() error { return s.own.Err() }

// ReturnShare gives back what a request took that a later step refused.
func (l *Limiter) ReturnShare(ctx context.Context, s Share) {
	for _, r := range []Result{s.whole, s.own, s.present} {
		_ = l.Refund(ctx, r)
	}
}
