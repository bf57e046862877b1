package signals

import (
	"context"
	"log/slog"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Book keeps figures.
type Book interface {
	AddFigures(ctx context.Context, node string, minutes []postil.Figures) error
}

// Reading is how counters and states stand at a moment. The sums have grown
// since the start of the process.
type Reading func(ctx context.Context) postil.Figures

// maxHeld is how many minutes are held while they cannot be stored.
const maxHeld = 240

// Sampler stores the figures of each minute.
type Sampler struct {
	lg   *slog.Logger
	book Book
	node string
	now  func(context.Context) time.Time
	read Reading

	before postil.Figures
	held   []postil.Figures
}

// NewSampler returns a sampler. node is the name of this process, which no
// other process ever has.
func NewSampler(lg *slog.Logger, book Book, node string, now func(context.Context) time.Time, read Reading) *Sampler {
	return &Sampler{lg: lg, book: book, node: node, now: now, read: read}
}

// Run stores the figures of each minute at its end, until ctx ends, and then
// those of the minute that was cut short.
func (s *Sampler) Run(ctx context.Context) error {
	for {
		t := time.NewTimer(untilMinute(time.Now()))
		select {
		case <-ctx.Done():
			t.Stop()
			last, done := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
			defer done()
			s.Sample(last, s.now(last))
			return nil
		case <-t.C:
			s.Sample(ctx, s.now(ctx).Add(-time.Minute/2)) // of the minute that just ended
		}
	}
}

func untilMinute(now time.Time) time.Duration {
	return now.Truncate(time.Minute).Add(time.Minute).Sub(now)
}

// Sample stores what has grown since the last sample as figures of the minute
// that at is in.
func (s *Sampler) Sample(ctx context.Context, at time.Time) {
	now := s.read(ctx)
	f := grown(now, s.before)
	s.before = now
	f.Minute = at.UTC().Truncate(time.Minute)
	if s.held = append(s.held, f); len(s.held) > maxHeld {
		s.held = s.held[1:]
	}
	if err := s.book.AddFigures(ctx, s.node, s.held); err != nil {
		s.lg.Warn("the figures of a minute cannot be stored; it is tried again", "minutes", len(s.held), "err", err)
		return
	}
	s.held = nil
}

// grown subtracts sums; states stay what they are.
func grown(now, before postil.Figures) postil.Figures {
	f := now
	f.Requests -= before.Requests
	f.Hits -= before.Hits
	f.Loads -= before.Loads
	f.TurnedAway -= before.TurnedAway
	f.Wrong -= before.Wrong
	f.Limited -= before.Limited
	f.Busy -= before.Busy
	f.Failed -= before.Failed
	f.Posts -= before.Posts
	f.Decisions -= before.Decisions
	f.Views -= before.Views
	return f
}
