package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// published empties the outbox, as if the broker had everything, and returns
// what was in it.
func published(t testing.TB, s *Store) (kinds []postil.EventKind) {
	t.Helper()
	events, err := s.PendingEvents(ctx, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var ids []postil.EventID
	for _, ev := range events {
		ids, kinds = append(ids, ev.ID), append(kinds, ev.Kind)
	}
	if err := s.MarkPublished(ctx, ids); err != nil {
		t.Fatal(err)
	}
	return kinds
}

func reannounce(t testing.TB, s *Store, before time.Time) int {
	t.Helper()
	n, err := s.Reannounce(ctx, before, 100)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func checked(t testing.TB, s *Store, id postil.CommentID) {
	t.Helper()
	_, err := s.Change(ctx, id, func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
		return &postil.Change{To: c.Status, Checks: &postil.Conclusion{Verdict: postil.VerdictHold}, Review: postil.OpenReview}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatTheBrokerLostIsAnnouncedAgain(t *testing.T) {
	t.Parallel()
	s, now := setting(t)
	c := say(t, s, "hello", 0)
	published(t, s)
	if n := reannounce(t, s, now.Add(-time.Second)); n != 0 {
		t.Errorf("what was stored a moment ago counts as lost: %d", n)
	}
	if n := reannounce(t, s, *now); n != 1 {
		t.Errorf("%d events for one unchecked comment", n)
	}
	if got := published(t, s); !slices.Equal(got, []postil.EventKind{postil.CommentSubmitted}) {
		t.Errorf("announced %v", got)
	}
	checked(t, s, c.ID)
	published(t, s)
	if n := reannounce(t, s, *now); n != 1 {
		t.Errorf("%d events for one review that nobody was told of", n)
	}
	if got := published(t, s); !slices.Equal(got, []postil.EventKind{postil.ReviewRequested}) {
		t.Errorf("announced %v", got)
	}
	if err := s.Announced(ctx, c.ID); err != nil {
		t.Fatal(err)
	}
	if n := reannounce(t, s, *now); n != 0 || total(t, s, "reviews") != 1 {
		t.Errorf("%d events for what a moderator was told of", n)
	}
}

func TestMOD_04_WhatIsOnItsWayIsNotLost(t *testing.T) {
	t.Parallel()
	s, now := setting(t)
	c := say(t, s, "the broker is down", 0)
	for range 5 {
		*now = now.Add(time.Minute)
		if n := reannounce(t, s, *now); n != 0 {
			t.Fatalf("%d more events for what waits in the outbox", n)
		}
	}
	published(t, s)
	checked(t, s, c.ID)
	published(t, s)
	if err := s.WantCard(ctx, c.ID, []int64{7}); err != nil {
		t.Fatal(err)
	}
	*now = now.Add(time.Minute)
	if n := reannounce(t, s, *now); n != 0 {
		t.Errorf("%d events for a comment whose card is due", n)
	}
}

func TestACardThatNobodySendsAnymoreTellsNobody(t *testing.T) {
	t.Parallel()
	s, now := setting(t)
	c := say(t, s, "asked for in Telegram, which was then turned off", 0)
	checked(t, s, c.ID)
	published(t, s)
	if err := s.WantCard(ctx, c.ID, []int64{7}); err != nil {
		t.Fatal(err)
	}
	s.opt.NoCards = true
	*now = now.Add(time.Minute)
	if n := reannounce(t, s, *now); n != 1 {
		t.Errorf("%d events for a comment whose card nobody sends", n)
	}
}

func TestACardThatShowsAnOldStateIsMadeDue(t *testing.T) {
	t.Parallel()
	s, now := setting(t)
	c := say(t, s, "hello", 0)
	if err := s.WantCard(ctx, c.ID, []int64{7}); err != nil {
		t.Fatal(err)
	}
	sent := func(shows string) {
		t.Helper()
		due, err := s.DueCards(ctx, 10)
		if err != nil || len(due) != 1 {
			t.Fatalf("%d cards are due, %v", len(due), err)
		}
		due[0].Message, due[0].Shows = 5, shows
		if err := s.CardDone(ctx, due[0], *now); err != nil {
			t.Fatal(err)
		}
	}
	stale := func(want int64) {
		t.Helper()
		if n, err := s.StaleCards(ctx); err != nil || n != want {
			t.Errorf("%d stale cards, %v; not %d", n, err, want)
		}
	}
	sent("pending:1:0:hash")
	stale(0)
	d := to(t, s, c.ID, postil.Approved).Decision.ID // and the event is lost
	stale(1)
	stale(0) // it is due already
	sent(fmt.Sprintf("approved:1:%d:hash", d))
	stale(0)
	to(t, s, c.ID, postil.Rejected)
	d = to(t, s, c.ID, postil.Approved).Decision.ID
	stale(1) // it names the wrong person
	sent(fmt.Sprintf("approved:1:%d:hash", d))
	stale(0)
	if _, err := s.Change(ctx, c.ID, func(postil.Comment, postil.Decision) (*postil.Change, error) {
		return &postil.Change{To: postil.Approved, NewDraft: &postil.TextChange{Text: "new", HTML: "<p>new</p>"}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	stale(1) // it shows the old text alone
	sent(fmt.Sprintf("approved:2:%d:hash", d))
	stale(0)
}
