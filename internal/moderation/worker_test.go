package moderation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/postil/postil/internal/postil"
)

func TestMOD_01_ACommentHandledThreeTimesIsDecidedAndAskedAboutOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.FirstComment)
	held := w.say("The first comment of somebody.")
	w.events()
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if err := w.worker.Handle(ctx, postil.Event{Kind: postil.CommentSubmitted, Comment: held.ID}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := kinds(w.events()); !slices.Equal(got, []postil.EventKind{postil.ReviewRequested}) || len(w.history(held.ID)) != 0 {
		t.Errorf("a held comment: events %v, history %v", got, w.history(held.ID))
	}
	w.decide(held.ID, postil.Approve)
	passed := w.say("The second comment of somebody.")
	w.events()
	for range 3 {
		all.Go(func() {
			if err := w.worker.Handle(ctx, postil.Event{Kind: postil.CommentSubmitted, Comment: passed.ID}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := kinds(w.events()); !slices.Equal(got, []postil.EventKind{postil.CommentDecided}) || len(w.history(passed.ID)) != 1 || w.now(passed.ID).Status != postil.Approved {
		t.Errorf("a passed comment: events %v, history %v", got, w.history(passed.ID))
	}
}

func TestAPersonWhoWasFasterThanTheChecksWins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.FirstComment)
	for verb, want := range map[postil.Verb]postil.Status{postil.Approve: postil.Approved, postil.Reject: postil.Rejected, postil.MarkSpam: postil.Spam, postil.Delete: postil.Deleted} {
		c := w.say("Decided at once: " + string(verb))
		w.decide(c.ID, verb)
		w.events()
		w.check(c.ID)
		if now := w.now(c.ID); now.Status != want || now.Checked.IsZero() || w.asks(c.ID) || len(w.events()) != 0 {
			t.Errorf("%s, then the checks: %s, asked %t", verb, now.Status, w.asks(c.ID))
		}
	}
}

func TestWhatReadersReportWhileTheChecksRunIsNotForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.FirstComment)
	c := w.say("Approved at once, and reported at once.")
	w.decide(c.ID, postil.Approve)
	w.worker.checks = append(Checks(), NamedCheck{"slow", func(Subject) []postil.Finding {
		for i := range postil.ReportThreshold {
			if err := w.AddReport(ctx, postil.Report{Site: "blog", Comment: c.ID, Person: postil.Person{ID: fmt.Sprint("reader ", i)}, Reason: "abuse"}, w.door.Reported("blog")); err != nil {
				t.Error(err)
			}
		}
		return nil
	}})
	w.check(c.ID)
	now := w.now(c.ID)
	if why := postil.Why(now.Verdict, now.Findings); !w.asks(c.ID) || now.Status != postil.Approved || !strings.HasPrefix(why, "held: 3 readers reported this") {
		t.Errorf("%s, asked %t: %s", now.Status, w.asks(c.ID), why)
	}
}

func TestAFailingCheckHoldsAndSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.FirstComment)
	known := w.at(postil.Approved)
	c := w.say("Nothing is wrong with these words.")
	w.worker.checks = append([]NamedCheck{{"broken", func(Subject) []postil.Finding { panic("a bug") }}}, Checks()...)
	w.check(c.ID)
	if now := w.now(c.ID); now.Status != postil.Pending || !w.asks(c.ID) || !strings.Contains(postil.Why(now.Verdict, now.Findings), "held: one of the checks failed") {
		t.Errorf("%s after %s: %v", now.Status, known.Status, now.Findings)
	}
}

func TestKnownSpamIsStoppedWithoutAskingAnybody_MOD_14(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.FirstComment)
	first := w.say("Cheap watches, only today, only here.")
	w.check(first.ID)
	w.decide(first.ID, postil.MarkSpam)
	second := w.say("cheap WATCHES, only today, only here.")
	w.events()
	w.check(second.ID)
	if now := w.now(second.ID); now.Status != postil.Spam || w.asks(second.ID) || !slices.Equal(kinds(w.events()), []postil.EventKind{postil.CommentDecided}) {
		t.Errorf("%s, asked %t", now.Status, w.asks(second.ID))
	}
}

func TestAnEventAboutNothingIsDoneAndATroubledStoreIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.FirstComment)
	w.check(999)
	c := w.say("hello there, everybody")
	down := postil.Busy("not-saved", "Later.", 0, nil)
	if err := NewWorker(quiet, broken{w, down}, nil).Handle(ctx, postil.Event{Comment: c.ID}); !errors.Is(err, down) {
		t.Errorf("reading fails and the worker says %v", err)
	}
	if now := w.now(c.ID); !now.Checked.IsZero() || now.Status != postil.Pending {
		t.Errorf("%s", now.Status)
	}
}

// broken is an archive that cannot be read.
type broken struct {
	*world
	reading error
}

func (b broken) Submitted(context.Context, postil.CommentID) (postil.Comment, postil.Memory, error) {
	return postil.Comment{}, postil.Memory{}, b.reading
}
