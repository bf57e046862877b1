package moderation_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/storetest"
	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
)

// waitingRoom is a store with its own clock in which comments wait.
type waitingRoom struct {
	t    *testing.T
	s    *store.Store
	door *moderation.Door
	at   time.Time
	last postil.EventID
}

func newWaitingRoom(t *testing.T) *waitingRoom {
	t.Helper()
	w := &waitingRoom{t: t, at: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)}
	s, err := store.Open(context.Background(), slog.New(slog.DiscardHandler), storetest.Path(t), store.Options{Now: func(context.Context) time.Time { return w.at }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done; _ = s.Close() })
	w.s, w.door = s, moderation.NewDoor(s, time.Minute, s.Now)
	for _, id := range []postil.SiteID{"blog", "other"} {
		if _, err := s.AddSite(ctx, postil.Site{ID: id, Policy: postil.HoldAll}, postil.By{Channel: postil.ByREST, Actor: "t"}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *waitingRoom) write(site postil.SiteID) postil.CommentID {
	w.t.Helper()
	out, err := w.s.AddComment(context.Background(), postil.NewComment{Site: site, Post: postil.PostRef{ID: "/p"}, Text: "x", HTML: "x", Nonce: "n"}, nil)
	if err == nil {
		_, err = w.s.Change(context.Background(), out.Comment.ID, func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
			return &postil.Change{To: c.Status, Review: postil.OpenReview, Checks: &postil.Conclusion{Verdict: postil.VerdictHold}}, nil
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Comment.ID
}

// look lets a fresh workflow, as after a restart, do what is due, twice, and
// returns the notices.
func (w *waitingRoom) look(p moderation.Patience) (notices []postil.Event) {
	w.t.Helper()
	for range 2 {
		flow := moderation.NewWorkflow(slog.New(slog.DiscardHandler), w.s, w.door, func() moderation.Patience { return p })
		if err := w.s.LookAgain(context.Background()); err != nil {
			w.t.Fatal(err)
		}
		if err := flow.Look(context.Background(), p); err != nil {
			w.t.Fatal(err)
		}
	}
	events, err := w.s.PendingEvents(context.Background(), w.last, 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, ev := range events {
		w.last = ev.ID
		if ev.Kind == postil.NoticeRaised {
			notices = append(notices, ev)
		}
	}
	return notices
}

func TestAReminderComesOnceForAllThatWaitAndAgainTheNextDay(t *testing.T) {
	t.Parallel()
	w := newWaitingRoom(t)
	p := moderation.Patience{Remind: 8 * time.Hour}
	for range 3 {
		w.write("blog")
	}
	w.write("other")
	for _, step := range []struct {
		pass time.Duration
		want int
	}{{0, 0}, {7*time.Hour + 59*time.Minute, 0}, {time.Minute, 2}, {time.Hour, 0}, {22 * time.Hour, 0}, {time.Hour, 2}, {time.Minute, 0}} {
		w.at = w.at.Add(step.pass)
		got := w.look(p)
		if len(got) != step.want {
			t.Errorf("at %s: %d notices", w.at.Format(time.DateTime), len(got))
		}
		sites := map[postil.SiteID]bool{}
		for _, ev := range got {
			if ev.Notice != postil.Reminder || sites[ev.Site] {
				t.Errorf("%+v", ev)
			}
			sites[ev.Site] = true
		}
	}
	late := w.write("blog") // counted by the reminder that comes for the others
	w.at = w.at.Add(24 * time.Hour)
	if got := w.look(p); len(got) != 2 {
		t.Errorf("%d notices after comment %d", len(got), late)
	}
}

func TestWhatNobodyDecidesIsPassedOnOnce(t *testing.T) {
	t.Parallel()
	w := newWaitingRoom(t)
	p := moderation.Patience{Escalate: 24 * time.Hour}
	a := w.write("blog")
	w.at = w.at.Add(time.Hour)
	b := w.write("blog")
	w.at = w.at.Add(23 * time.Hour)
	if got := w.look(p); len(got) != 1 || got[0].Comment != a || got[0].Notice != postil.Escalation {
		t.Errorf("%+v", got)
	}
	if _, err := w.door.Decide(context.Background(), postil.DecisionRequest{Comment: b, Verb: postil.Approve, By: postil.By{Channel: postil.ByREST, Actor: "t"}}); err != nil {
		t.Fatal(err)
	}
	w.at = w.at.Add(48 * time.Hour)
	if got := w.look(p); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestWhatExpiresIsRejectedForThatReasonAndCanBeTakenBack(t *testing.T) {
	t.Parallel()
	w := newWaitingRoom(t)
	ctx := context.Background()
	id := w.write("blog")
	w.at = w.at.Add(30 * 24 * time.Hour)
	w.look(moderation.Patience{}) // off by default
	if c, _ := w.s.Comment(ctx, id); c.Status != postil.Pending {
		t.Fatal("it expired though nothing expires")
	}
	p := moderation.Patience{Expire: 30 * 24 * time.Hour}
	w.look(p)
	h, err := w.s.History(ctx, id)
	if err != nil || len(h) != 1 || h[0].To != postil.Rejected || h[0].Reason != "expired" || h[0].By.Person() {
		t.Fatalf("%+v, %v", h, err)
	}
	out, err := w.door.Undo(ctx, h[0].ID, postil.By{Channel: postil.ByREST, Actor: "t"}, "")
	if err != nil || out.Status != postil.Pending {
		t.Fatalf("%+v, %v", out, err)
	}
	w.at = w.at.Add(29 * 24 * time.Hour)
	w.look(p) // it has its time anew
	if c, _ := w.s.Comment(ctx, id); c.Status != postil.Pending {
		t.Error("it expired again at once")
	}
}

func TestAnEditThatWaitsNeverExpires(t *testing.T) {
	t.Parallel()
	w := newWaitingRoom(t)
	ctx := context.Background()
	id := w.write("blog")
	if _, err := w.door.Decide(ctx, postil.DecisionRequest{Comment: id, Verb: postil.Approve, By: postil.By{Channel: postil.ByREST, Actor: "t"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.s.Change(ctx, id, func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
		return &postil.Change{To: c.Status, NewDraft: &postil.TextChange{Text: "new", HTML: "new"}, Review: postil.OpenReview}, nil
	}); err != nil {
		t.Fatal(err)
	}
	w.at = w.at.Add(100 * 24 * time.Hour)
	w.look(moderation.Patience{Expire: time.Hour})
	if c, err := w.s.Comment(ctx, id); err != nil || c.Status != postil.Approved || c.Draft == nil {
		t.Errorf("%+v, %v", c, err)
	}
}
