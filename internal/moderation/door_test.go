package moderation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/postil/postil/internal/postil"
)

var verbs = map[postil.Status]postil.Verb{postil.Approved: postil.Approve, postil.Rejected: postil.Reject, postil.Spam: postil.MarkSpam, postil.Deleted: postil.Delete}

// at stores a comment that was checked and decided into a status.
func (w *world) at(status postil.Status) postil.Comment {
	w.Helper()
	c := w.say("A comment that will be " + string(status))
	w.check(c.ID)
	if status != postil.Pending {
		w.decide(c.ID, verbs[status])
	}
	w.events()
	return w.now(c.ID)
}

// From every status each decision is allowed, and each is a row: what becomes
// of the status, and whether a person is still asked.
func TestEveryDecisionFromEveryStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	for _, from := range postil.Statuses() {
		for _, verb := range []postil.Verb{postil.Approve, postil.Reject, postil.MarkSpam, postil.Delete, postil.Restore} {
			c := w.at(from)
			want, changed := from.After(verb, c.Before)
			out := w.decide(c.ID, verb)
			if out.Status != want || out.Changed != changed || w.now(c.ID).Status != want {
				t.Errorf("%s of %s: %+v", verb, from, out)
			}
			if asks := w.asks(c.ID); asks != (want == postil.Pending) {
				t.Errorf("%s of %s leaves a person asked: %t", verb, from, asks)
			}
			if changed && (out.Decision.From != from || out.Decision.To != want || out.Decision.By != mo || out.Decision.Verb != verb) {
				t.Errorf("%s of %s is logged as %+v", verb, from, out.Decision)
			}
			if again := w.decide(c.ID, verb); again.Changed && verb != postil.Restore {
				t.Errorf("%s of %s twice changes something", verb, from)
			}
		}
	}
}

func TestMOD_13_TheSameTransitionCausesTheSameEventsWhoeverTakesIt(t *testing.T) {
	t.Parallel()
	channels := []postil.By{mo, {Channel: postil.ByREST, Actor: "key:7", Name: "Desk"}, {Channel: postil.ByConsole, Actor: "console", Name: "Console"}}
	var first []postil.Event
	for _, by := range channels {
		w := newWorld(t, postil.HoldAll) // the same steps give the same ids in each
		var all []postil.Event
		for _, from := range postil.Statuses() {
			for _, to := range []postil.Status{postil.Approved, postil.Rejected, postil.Spam, postil.Deleted} {
				c := w.at(from)
				var events []postil.Event
				for range 3 { // once, twice, and late
					if _, err := w.door.Decide(ctx, postil.DecisionRequest{Comment: c.ID, Verb: verbs[to], By: by}); err != nil {
						t.Fatal(err)
					}
					events = append(events, w.events()...)
				}
				if len(events) != count(from != to) {
					t.Errorf("from %s to %s by %s: %d events", from, to, by.Channel, len(events))
				}
				all = append(all, events...)
			}
		}
		if first == nil {
			first = all
		}
		if diff := cmp.Diff(first, all); diff != "" {
			t.Errorf("%s causes other events than %s:\n%s", by.Channel, channels[0].Channel, diff)
		}
	}
}

func TestTheChecksApproveWithTheSameEventAsAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.FirstComment)
	byHand := w.at(postil.Pending)
	w.decide(byHand.ID, postil.Approve)
	hand := w.events()
	auto := w.say("Something else, by the same hand.")
	w.events()
	w.check(auto.ID)
	checks := w.events()
	if len(hand) != 1 || len(checks) != 1 || hand[0].Kind != checks[0].Kind || hand[0].PublicChange() != checks[0].PublicChange() || checks[0].Decision == 0 {
		t.Errorf("a person: %+v; the checks: %+v", hand, checks)
	}
}

func TestMOD_11_AStaleRequestGetsAConflictThatSaysWhoWasFaster(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	c := w.at(postil.Pending)
	if _, err := w.door.Decide(ctx, postil.DecisionRequest{Comment: c.ID, Verb: postil.Reject, By: mo, Expect: postil.Pending, Revision: c.Revision}); err != nil {
		t.Fatal(err)
	}
	w.events()
	for _, by := range []postil.By{{Channel: postil.ByREST, Actor: "key:7", Name: "Desk"}, {Channel: postil.ByTelegram, Actor: "moderator:2", Name: "Kim"}, {Channel: postil.ByConsole, Actor: "console"}} {
		out, err := w.door.Decide(ctx, postil.DecisionRequest{Comment: c.ID, Verb: postil.Approve, By: by, Expect: postil.Pending})
		if postil.KindOf(err) != postil.Conflict || !strings.Contains(err.Error(), "rejected already, decided by Mo at 22:13 UTC") {
			t.Errorf("%s is told %v", by.Channel, err)
		}
		if out.Status != postil.Rejected || out.Changed || out.Decision.By != mo {
			t.Errorf("%s: %+v", by.Channel, out)
		}
	}
	if w.now(c.ID).Status != postil.Rejected || len(w.events()) != 0 || len(w.history(c.ID)) != 1 {
		t.Error("a stale request changed something")
	}
	if _, err := w.door.Decide(ctx, postil.DecisionRequest{Comment: 999, Verb: postil.Approve, By: mo}); postil.KindOf(err) != postil.NotFound {
		t.Errorf("an unknown comment: %v", err)
	}
}

func TestAnAutomaticDecisionAppliesToPendingOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	for _, status := range postil.Statuses() {
		c := w.at(status)
		for _, verb := range verbs {
			out, err := w.door.Decide(ctx, postil.DecisionRequest{Comment: c.ID, Verb: verb, By: theChecks})
			if err != nil || out.Changed && status != postil.Pending {
				t.Errorf("the checks %s what is %s: %+v, %v", verb, status, out, err)
			}
		}
	}
}

func TestUndoBringsBackStatusAndTaskAndOnlyOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	for _, from := range postil.Statuses() {
		for to, verb := range verbs {
			if from == to {
				continue
			}
			c := w.at(from)
			asked := w.asks(c.ID)
			d := w.decide(c.ID, verb).Decision
			w.events()
			out, err := w.door.Undo(ctx, d.ID, mo, "")
			if err != nil || out.Status != from || !out.Changed || out.Decision.Undoes != d.ID || out.Decision.Verb != postil.UndoneVerb {
				t.Errorf("undo of %s from %s: %+v, %v", verb, from, out, err)
			}
			if w.asks(c.ID) != asked {
				t.Errorf("undo of %s from %s leaves a person asked: %t", verb, from, w.asks(c.ID))
			}
			events := kinds(w.events())
			if want := []postil.EventKind{postil.CommentDecided, postil.ReviewRequested}[:1+count(asked)]; !slices.Equal(events, want) {
				t.Errorf("undo of %s from %s emits %v", verb, from, events)
			}
			again, err := w.door.Undo(ctx, d.ID, mo, "")
			if err != nil || again.Changed || again.Status != from || len(w.events()) != 0 {
				t.Errorf("twice: %+v, %v", again, err)
			}
			if old, err := w.Decision(ctx, d.ID); err != nil || old.UndoneBy != out.Decision.ID {
				t.Errorf("the old decision does not say who took it back: %+v, %v", old, err)
			}
			redo, err := w.door.Undo(ctx, out.Decision.ID, mo, "")
			if err != nil || redo.Status != to || w.asks(c.ID) {
				t.Errorf("undo of the undo of %s from %s: %+v, %v", verb, from, redo, err)
			}
		}
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestUndoIsRefusedWhenALaterDecisionExists(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	c := w.at(postil.Pending)
	first := w.decide(c.ID, postil.Approve).Decision
	later := postil.By{Channel: postil.ByREST, Actor: "key:7", Name: "Desk"}
	if _, err := w.door.Decide(ctx, postil.DecisionRequest{Comment: c.ID, Verb: postil.MarkSpam, By: later}); err != nil {
		t.Fatal(err)
	}
	out, err := w.door.Undo(ctx, first.ID, mo, "")
	if postil.KindOf(err) != postil.Conflict || !strings.Contains(err.Error(), "decided by Desk") || out.Status != postil.Spam || w.now(c.ID).Status != postil.Spam {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := w.door.Undo(ctx, 999, mo, ""); postil.KindOf(err) != postil.NotFound {
		t.Errorf("an unknown decision: %v", err)
	}
}

func TestWhatWasNeverCheckedIsCheckedBeforeAPersonIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	c := w.say("decided before the checks came to it")
	d := w.decide(c.ID, postil.Delete).Decision
	w.events()
	if _, err := w.door.Undo(ctx, d.ID, mo, ""); err != nil {
		t.Fatal(err)
	}
	if got := kinds(w.events()); !slices.Equal(got, []postil.EventKind{postil.CommentDecided, postil.CommentSubmitted}) || w.asks(c.ID) {
		t.Errorf("emits %v, asks %t", got, w.asks(c.ID))
	}
	w.check(c.ID)
	if !w.asks(c.ID) {
		t.Error("nobody is asked after the checks")
	}
}

func TestTheBlogsAuthorIsPublicInTheTransactionThatStores(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	out, err := w.AddComment(ctx, postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/p"}, Text: "mine", HTML: "<p>mine</p>", Nonce: "n", Trusted: true}, w.door.AtOnce(mo))
	if err != nil || out.Comment.Status != postil.Approved || out.Comment.Checked.IsZero() || out.Version != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	if got := kinds(w.events()); fmt.Sprint(got) != "[comment.decided]" || len(w.history(out.Comment.ID)) != 1 {
		t.Errorf("emits %v, history %v", got, w.history(out.Comment.ID))
	}
}
