package postil

import (
	"fmt"
	"time"
)

// SummaryRhythm is how often a site gets a summary.
type SummaryRhythm string

// The rhythms; any other means never.
const (
	SummaryDaily  SummaryRhythm = "daily"
	SummaryWeekly SummaryRhythm = "weekly" // on Mondays
)

// Notice is how a summary of this rhythm is announced.
func (r SummaryRhythm) Notice() NoticeKind {
	if r == SummaryDaily {
		return DailySummary
	}
	return WeeklySummary
}

// SummarySchedule is when a site gets its summary.
type SummarySchedule struct {
	Every SummaryRhythm
	Hour  int // of the day
	Zone  *time.Location
}

// Never reports whether there is none.
func (s SummarySchedule) Never() bool { return s.Every != SummaryDaily && s.Every != SummaryWeekly }

// String tells one schedule from another.
func (s SummarySchedule) String() string { return fmt.Sprintf("%s %d %s", s.Every, s.Hour, s.Zone) }

// Next returns the first time of the schedule after a moment. An hour that the
// clocks leap over is the one after it.
func (s SummarySchedule) Next(after time.Time) time.Time {
	y, m, d := after.In(s.Zone).Date()
	for n := 0; ; n++ {
		at := time.Date(y, m, d+n, s.Hour, 0, 0, 0, s.Zone)
		if at.After(after) && (s.Every != SummaryWeekly || at.Weekday() == time.Monday) {
			return at.UTC()
		}
	}
}

// BusyPost is a post with how many comments it got in a span of time.
type BusyPost struct {
	Post
	N int
}
