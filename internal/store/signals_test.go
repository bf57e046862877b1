package store

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// signals calls what is told of operations.
func (e exerciser) signals() {
	s, now := e.s, e.s.Now(ctx)
	e.done(s.AddSignals(ctx, []postil.Signal{{Kind: postil.SignalLimit, Detail: "POST comments", N: 3}}))
	all, err := s.Signals(ctx, postil.SignalFilter{From: now.Add(-time.Hour), To: now.Add(time.Hour), Kinds: []postil.SignalKind{postil.SignalLimit}, Limit: 10})
	e.ok(all, err)
	for _, g := range all {
		e.ok(s.Signals(ctx, postil.SignalFilter{From: now.Add(-time.Hour), To: now.Add(time.Hour), Sites: []postil.SiteID{"blog"}, After: g.ID, Limit: 10}))
	}
	e.ok(s.SignalsAfter(ctx, 0, 10))
	e.ok(s.CountSignals(ctx, now.Add(-time.Hour), now.Add(time.Hour), time.Minute, nil))
	e.ok(s.CountSignals(ctx, now.Add(-time.Hour), now.Add(time.Hour), time.Minute, []postil.SiteID{"blog"}))
	e.ok(s.DecisionTimes(ctx, now.Add(-time.Hour), now, nil))
	e.done(s.AddFigures(ctx, "a", []postil.Figures{{Minute: now.Truncate(time.Minute), Requests: 5}}))
	e.ok(s.Figures(ctx, now.Add(-time.Hour), now.Add(time.Hour), time.Minute))
	i, err := s.TellIncident(ctx, postil.Incident{Alert: "backlog", Began: now, Told: now, Value: 5, Worst: 5, Detail: "5 events wait"}, postil.IncidentBegins)
	e.ok(i, err)
	e.ok(s.OpenIncidents(ctx))
	e.ok(s.Incident(ctx, i.ID))
	e.ok(s.Incidents(ctx, now.Add(-time.Hour), now.Add(time.Hour)))
	i.Ended = now
	e.ok(s.TellIncident(ctx, i, postil.IncidentEnds))
	by := postil.By{Channel: postil.ByREST, Actor: "key:1"}
	p, err := s.PlanSetting(ctx, postil.SettingPlan{SettingKey: postil.SettingKey{Kind: postil.ConfigSetting, Name: "policy.slow"}, Value: []byte("true"), Due: now, By: by})
	e.ok(p, err)
	e.ok(s.PlannedSettings(ctx))
	e.ok(s.DropPlan(ctx, p.ID, by))
	e.done(s.PlanDone(ctx, p.ID))
	schedule := postil.SummarySchedule{Every: postil.SummaryDaily, Zone: time.UTC}
	e.done(s.Summaries(ctx, func(postil.SiteID) postil.SummarySchedule { return schedule }))
	schedule.Every = "off"
	e.done(s.Summaries(ctx, func(postil.SiteID) postil.SummarySchedule { return schedule }))
	e.ok(s.BusiestPosts(ctx, "blog", now.Add(-time.Hour), now, 3))
}

// kinds returns what was told of a comment, in order.
func kinds(t *testing.T, s *Store, id postil.CommentID) (out []postil.SignalKind) {
	t.Helper()
	all, err := s.SignalsAfter(ctx, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		if g.Comment == id {
			out = append(out, g.Kind)
		}
	}
	return out
}

func TestWhatHappensToACommentIsToldInTheSameTransaction(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	c := say(t, s, "Hello.", 0)
	change := func(ch *postil.Change) {
		t.Helper()
		if _, err := s.Change(ctx, c.ID, func(postil.Comment, postil.Decision) (*postil.Change, error) { return ch, nil }); err != nil {
			t.Fatal(err)
		}
	}
	hold := &postil.Change{To: postil.Pending, Review: postil.OpenReview, Checks: &postil.Conclusion{Verdict: postil.VerdictHold, Findings: []postil.Finding{{Check: "links", Weight: 1, Reason: "two links"}}}}
	change(hold)
	change(&postil.Change{Verb: postil.Approve, To: postil.Approved, By: postil.By{Channel: postil.ByREST, Name: "Ann"}, Review: postil.CloseReview})
	want := []postil.SignalKind{postil.SignalReceived, postil.SignalHeld, postil.SignalDecided, postil.SignalPublished}
	if got := kinds(t, s, c.ID); !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	if posts, decisions := s.Written(); posts != 1 || decisions != 1 {
		t.Errorf("%d posts and %d decisions were counted", posts, decisions)
	}
	if _, err := s.Change(ctx, c.ID, func(postil.Comment, postil.Decision) (*postil.Change, error) {
		return nil, postil.Missing()
	}); err == nil {
		t.Fatal("a refused change was made")
	}
	if got := kinds(t, s, c.ID); len(got) != 4 {
		t.Errorf("a change that was refused is told of: %v", got)
	}
	held, err := s.Signals(ctx, postil.SignalFilter{From: time.Unix(0, 0), To: s.Now(ctx).Add(time.Hour), Kinds: []postil.SignalKind{postil.SignalHeld}, Limit: 5})
	if err != nil || len(held) != 1 || held[0].Detail != "links" || held[0].Site != "blog" {
		t.Errorf("held: %+v, %v", held, err)
	}
}

func TestFiguresOfManyProcessesAddUpExactly(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	minute := time.Date(2026, 11, 30, 21, 3, 0, 0, time.UTC)
	for node, n := range map[string]int64{"a": 3, "b": 40, "c": 500} {
		f := postil.Figures{Minute: minute, Requests: n, Failed: n, Posts: n, Queue: 7, QueueAge: time.Duration(n) * time.Second, Streams: int(n)}
		if err := s.AddFigures(ctx, node, []postil.Figures{f, {Minute: minute.Add(time.Minute), Requests: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Figures(ctx, minute.Add(-3*time.Minute), minute.Add(7*time.Minute), time.Minute)
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	f := got[0]
	if !f.Minute.Equal(minute) || f.Requests != 543 || f.Failed != 543 || f.Posts != 543 || f.Queue != 7 || f.QueueAge != 500*time.Second || f.Streams != 543 || got[1].Requests != 3 {
		t.Errorf("%+v", got)
	}
	whole, err := s.Figures(ctx, minute.Add(-3*time.Minute), minute.Add(7*time.Minute), 10*time.Minute)
	if err != nil || len(whole) != 1 || whole[0].Requests != 546 || whole[0].Streams != 543 {
		t.Errorf("ten minutes as one: %+v, %v", whole, err)
	}
}

func TestSignalsAndFiguresAreForgottenAfterTheirTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s := open(t, Options{Now: func(context.Context) time.Time { return now }})
	if err := s.AddSignals(ctx, []postil.Signal{{Kind: postil.SignalBackup, At: now.Add(-31 * 24 * time.Hour)}, {Kind: postil.SignalBackup}}); err != nil {
		t.Fatal(err)
	}
	if err := s.AddFigures(ctx, "a", []postil.Figures{{Minute: now.Add(-31 * 24 * time.Hour)}, {Minute: now}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	left, _ := s.SignalsAfter(ctx, 0, 10)
	figures, _ := s.Figures(ctx, now.Add(-40*24*time.Hour), now.Add(time.Hour), time.Hour)
	if len(left) != 1 || len(figures) != 1 {
		t.Errorf("%d signals and %d figures are left", len(left), len(figures))
	}
}
