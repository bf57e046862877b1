package store

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// announced counts the notices of a kind.
func announced(t *testing.T, s *Store, kind postil.NoticeKind) int {
	t.Helper()
	n, _, err := one(ctx, s, column[int], "SELECT count(*) FROM outbox WHERE payload ->> '$.notice' = ?", string(kind))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestASummaryIsAnnouncedOnceByManyAndAfterARestart(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	clock := time.Date(2026, 12, 1, 7, 0, 0, 0, time.UTC) // a Tuesday
	now := func(context.Context) time.Time { mu.Lock(); defer mu.Unlock(); return clock }
	path := filepath.Join(t.TempDir(), "postil.db")
	s := openAt(t, path, Options{Now: now})
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	plan := postil.SummarySchedule{Every: postil.SummaryWeekly, Hour: 9, Zone: berlin}
	look := func() {
		t.Helper()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := s.Summaries(ctx, func(postil.SiteID) postil.SummarySchedule { return plan }); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	for _, step := range []struct {
		at     time.Time
		weekly int
	}{
		{clock, 0}, {time.Date(2026, 12, 7, 7, 59, 59, 0, time.UTC), 0}, {time.Date(2026, 12, 7, 8, 0, 0, 0, time.UTC), 1},
		{time.Date(2026, 12, 7, 8, 0, 30, 0, time.UTC), 1}, {time.Date(2027, 1, 20, 0, 0, 0, 0, time.UTC), 2}, // the service was away for weeks
		{time.Date(2027, 1, 25, 8, 0, 0, 0, time.UTC), 3},
	} {
		mu.Lock()
		clock = step.at
		mu.Unlock()
		look()
		if n := announced(t, s, postil.WeeklySummary); n != step.weekly {
			t.Errorf("at %s: %d summaries, want %d", step.at, n, step.weekly)
		}
	}
	plan.Every = "off"
	look()
	plan.Every = postil.SummaryDaily
	look()
	if n := announced(t, s, postil.DailySummary); n != 0 {
		t.Errorf("%d daily summaries before the first is due", n)
	}
}

func TestTheNextSummaryIsReckonedByTheClockOfItsZone(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		every       postil.SummaryRhythm
		hour        int
		after, want string
	}{
		{postil.SummaryDaily, 9, "2026-12-01T07:59:00Z", "2026-12-01T08:00:00Z"},
		{postil.SummaryDaily, 9, "2026-12-01T08:00:00Z", "2026-12-02T08:00:00Z"},
		{postil.SummaryDaily, 9, "2026-07-01T08:00:00Z", "2026-07-02T07:00:00Z"},
		{postil.SummaryDaily, 0, "2026-12-01T22:30:00Z", "2026-12-01T23:00:00Z"},
		{postil.SummaryDaily, 2, "2027-03-28T00:30:00Z", "2027-03-28T01:00:00Z"}, // there is no two o'clock that night
		{postil.SummaryWeekly, 9, "2026-12-01T07:59:00Z", "2026-12-07T08:00:00Z"},
		{postil.SummaryWeekly, 9, "2026-12-07T08:00:00Z", "2026-12-14T08:00:00Z"},
	} {
		after, err := time.Parse(time.RFC3339, row.after)
		if err != nil {
			t.Fatal(err)
		}
		if got := (postil.SummarySchedule{Every: row.every, Hour: row.hour, Zone: berlin}).Next(after).Format(time.RFC3339); got != row.want {
			t.Errorf("%s at %d after %s: %s, want %s", row.every, row.hour, row.after, got, row.want)
		}
	}
}

func TestTheBusiestPostsLeaveOutWhatWasStopped(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	to(t, s, say(t, s, "spam", 0).ID, postil.Spam)
	say(t, s, "one", 0)
	say(t, s, "two", 0)
	now := s.Now(ctx)
	busy, err := s.BusiestPosts(ctx, "blog", now.Add(-time.Hour), now.Add(time.Hour), 3)
	if err != nil || len(busy) != 1 || busy[0].N != 2 || busy[0].ID != "/p" {
		t.Errorf("%+v, %v", busy, err)
	}
}
