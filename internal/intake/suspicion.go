package intake

import (
	"context"

	"github.com/postil/postil/internal/postil"
)

// Trail remembers what people left behind.
type Trail interface {
	Traces(ctx context.Context, actor, network string) (postil.Traces, error)
}

// Suspicion asks for work only where somebody has behaved like a machine lately:
// spam, filled traps, bursts, or one form after another. It refuses nobody, and
// a reader whom a neighbour has made suspect loses a second.
type Suspicion struct {
	trail Trail
	// greedy counts a form that an actor opens and reports whether those were
	// more lately than a house full of readers opens.
	greedy func(ctx context.Context, actor string) bool
}

// NewSuspicion returns a suspicion that reads a trail.
func NewSuspicion(trail Trail, greedy func(ctx context.Context, actor string) bool) *Suspicion {
	return &Suspicion{trail, greedy}
}

// How much is too much, in what Traces counts, and what it costs.
const (
	burst      = 5 // comments of one address in ten minutes: a quick talker has sent three
	crowd      = 12
	nearbySpam = 3 // of a network, where one may be a mistake or a stranger

	firstWork = 15 // bits: a blink on a computer, a second on an old phone
	moreWork  = 1  // for each further reason, and for each further spam
)

// Work returns the bits of work to ask for.
func (s *Suspicion) Work(ctx context.Context, actor, network string) (int, error) {
	greedy := s.greedy(ctx, actor)
	t, err := s.trail.Traces(ctx, actor, network)
	if err != nil {
		return 0, err
	}
	reasons := t.Spam + t.Traps
	for _, so := range []bool{greedy, t.Burst >= burst, t.Nearby >= nearbySpam, t.Crowded >= crowd} {
		if so {
			reasons++
		}
	}
	if reasons == 0 {
		return 0, nil
	}
	return firstWork + moreWork*reasons, nil // a token asks for no more than token.MaxWork
}
