package moderation

import (
	"context"
	"log/slog"
	"time"

	"github.com/postil/postil/internal/postil"
)

// SummaryBook keeps when each site gets its next summary, and announces those
// that are due.
type SummaryBook interface {
	Summaries(ctx context.Context, schedule func(postil.SiteID) postil.SummarySchedule) error
}

// Summaries tells the moderators of each site from time to time how it is
// doing. What is to come stands in the store; the desk says it.
type Summaries struct {
	lg       *slog.Logger
	book     SummaryBook
	schedule func(postil.SiteID) postil.SummarySchedule
}

// NewSummaries returns the task; schedule is asked at each look.
func NewSummaries(lg *slog.Logger, book SummaryBook, schedule func(postil.SiteID) postil.SummarySchedule) *Summaries {
	return &Summaries{lg, book, schedule}
}

// Run looks at once and then every half minute until ctx ends.
func (s *Summaries) Run(ctx context.Context) error {
	tick := time.NewTicker(workflowEvery)
	defer tick.Stop()
	for {
		if err := s.book.Summaries(ctx, s.schedule); err != nil && ctx.Err() == nil {
			s.lg.Error("the summaries that are due could not be announced; it is tried again", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
