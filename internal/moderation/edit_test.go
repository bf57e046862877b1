package moderation

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

const (
	kind    = "Kind words about the weather."
	farm    = "Buy https://a.example https://b.example https://c.example now, my friends."
	another = "Other kind words about the sea."
)

func TestMOD_05_AnEditOfAPublicCommentWaitsBesideIt(t *testing.T) {
	t.Parallel()
	for _, policy := range []postil.Policy{postil.HoldAll, postil.FirstComment} {
		w := newWorld(t, policy)
		known := w.say("An older comment by the same hand.")
		w.check(known.ID)
		w.decide(known.ID, postil.Approve)
		c := w.say(kind)
		w.check(c.ID)
		w.decide(c.ID, postil.Approve)
		w.events()
		w.edit(c.ID, farm)
		if got := kinds(w.events()); !slices.Equal(got, []postil.EventKind{postil.CommentUpdated, postil.CommentSubmitted}) {
			t.Errorf("%s: an edit emits %v", policy, got)
		}
		w.check(c.ID)
		if w.public(c.ID) != kind || !w.asks(c.ID) {
			t.Fatalf("%s: readers see %q, and a person is asked: %t", policy, w.public(c.ID), w.asks(c.ID))
		}
		w.decide(c.ID, postil.Approve)
		if now := w.now(c.ID); !strings.HasPrefix(w.public(c.ID), "Buy") || now.Draft != nil || w.asks(c.ID) {
			t.Errorf("%s: after the approval readers see %q", policy, w.public(c.ID))
		}
		if last := w.history(c.ID); last[len(last)-1].TextBefore != kind || last[len(last)-1].TextAfter != farm {
			t.Errorf("%s: the log has %+v", policy, last[len(last)-1])
		}
	}
}

func TestMOD_05_ACleanEditOfAKnownHandIsClearedByTheChecks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.FirstComment)
	for _, s := range []string{"An older comment by the same hand.", kind} {
		c := w.say(s)
		w.check(c.ID)
		w.decide(c.ID, postil.Approve)
	}
	id := postil.CommentID(2)
	w.edit(id, another)
	if w.public(id) != kind {
		t.Fatalf("before the checks readers see %q", w.public(id))
	}
	w.check(id)
	if w.public(id) != another || w.asks(id) {
		t.Errorf("after the checks readers see %q; %s", w.public(id), postil.Why(w.now(id).Verdict, w.now(id).Findings))
	}
	d := w.history(id)[len(w.history(id))-1]
	if _, err := w.door.Undo(ctx, d.ID, mo, ""); err != nil {
		t.Fatal(err)
	}
	if w.public(id) != kind || w.now(id).Draft.Text != another || !w.asks(id) {
		t.Errorf("after the undo readers see %q, and a person is asked: %t", w.public(id), w.asks(id))
	}
}

func TestMOD_05_AnEditNeverPromotes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.FirstComment)
	known := w.say("An older comment by the same hand.")
	w.check(known.ID)
	w.decide(known.ID, postil.Approve)
	spam := w.at(postil.Spam)
	w.edit(spam.ID, kind)
	w.check(spam.ID)
	if now := w.now(spam.ID); now.Status != postil.Spam || now.Text != kind || w.asks(spam.ID) {
		t.Errorf("an edit of spam: %s, asked %t", now.Status, w.asks(spam.ID))
	}
	pending := w.say(farm)
	w.check(pending.ID)
	w.edit(pending.ID, farm+" And again.")
	w.check(pending.ID)
	if now := w.now(pending.ID); now.Status != postil.Pending || w.public(pending.ID) != "" {
		t.Errorf("an edit of what is pending: %s", now.Status)
	}
	for _, status := range []postil.Status{postil.Rejected, postil.Deleted} {
		c := w.at(status)
		if _, err := w.door.Edit(ctx, "blog", c.ID, text(another), anyKey); postil.KindOf(err) != postil.Forbidden || w.now(c.ID).Text != c.Text {
			t.Errorf("an edit of what is %s: %v", status, err)
		}
	}
}

func TestMOD_05_TakingASpamDecisionBackPublishesNoTextThatNobodyRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.FirstComment)
	c := w.at(postil.Approved)
	w.clock = w.clock.Add(time.Second)
	spam := w.decide(c.ID, postil.MarkSpam).Decision
	w.edit(c.ID, kind)
	if _, err := w.door.Undo(ctx, spam.ID, mo, ""); postil.KindOf(err) != postil.Conflict || w.public(c.ID) != "" {
		t.Errorf("taken back after an edit: %v, public %q", err, w.public(c.ID))
	}
	w.clock = w.clock.Add(time.Second)
	w.decide(c.ID, postil.Approve)
	if w.public(c.ID) != kind || w.asks(c.ID) {
		t.Errorf("decided anew: %q, asked %t", w.public(c.ID), w.asks(c.ID))
	}
	again := w.decide(c.ID, postil.MarkSpam).Decision
	if _, err := w.door.Undo(ctx, again.ID, mo, ""); err != nil || w.public(c.ID) != kind {
		t.Errorf("taken back without an edit since: %v, public %q", err, w.public(c.ID))
	}
}

func TestAnEditOfWhatIsPendingIsCheckedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	c := w.say(kind)
	w.check(c.ID)
	w.edit(c.ID, "Buy viagra here, it is very cheap.")
	if !w.now(c.ID).Checked.IsZero() {
		t.Error("the new text counts as checked")
	}
	w.check(c.ID)
	if now := w.now(c.ID); !strings.Contains(postil.Why(now.Verdict, now.Findings), "viagra") || !w.asks(c.ID) || now.Edited.IsZero() {
		t.Errorf("found %v", now.Findings)
	}
	if out := w.edit(c.ID, "Buy viagra here, it is very cheap."); out.Changed {
		t.Error("the same text is an edit")
	}
}

func TestAnEditRacingWithTheChecksIsNotPassedWithTheOldVerdict(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.FirstComment)
	known := w.say("An older comment by the same hand.")
	w.check(known.ID)
	w.decide(known.ID, postil.Approve)
	c := w.say(kind)
	w.worker.checks = append(Checks(), NamedCheck{"slow", func(Subject) []postil.Finding {
		w.worker.checks = Checks()
		w.edit(c.ID, farm) // while this check thinks about the old text
		return nil
	}})
	w.check(c.ID)
	if now := w.now(c.ID); now.Status != postil.Pending || !now.Checked.IsZero() {
		t.Fatalf("the old verdict was used for the new text: %s", now.Status)
	}
	w.check(c.ID) // the edit's own event
	if now := w.now(c.ID); now.Status != postil.Pending || !w.asks(c.ID) {
		t.Errorf("the new text: %s, asked %t", now.Status, w.asks(c.ID))
	}
}

func TestADecisionAboutAnOlderTextIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	c := w.say(kind)
	w.edit(c.ID, farm)
	out, err := w.door.Decide(ctx, postil.DecisionRequest{Comment: c.ID, Verb: postil.Approve, By: mo, Expect: postil.Pending, Revision: c.Revision})
	if postil.KindOf(err) != postil.Conflict || !strings.Contains(err.Error(), "changed the text") || out.Status != postil.Pending {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := w.door.Decide(ctx, postil.DecisionRequest{Comment: c.ID, Verb: postil.Approve, By: mo, Revision: w.now(c.ID).Revision}); err != nil {
		t.Error(err)
	}
}

// waitingEdit is a public comment with an edit that a person is asked about.
func waitingEdit(w *world) postil.CommentID {
	w.Helper()
	c := w.say(kind)
	w.check(c.ID)
	w.decide(c.ID, postil.Approve)
	w.edit(c.ID, another)
	w.check(c.ID)
	w.events()
	return c.ID
}

func TestAWaitingEditIsNeverLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	waits := func(step string, id postil.CommentID) {
		t.Helper()
		if now := w.now(id); w.public(id) != kind || now.Draft == nil || now.Draft.Text != another || !w.asks(id) {
			t.Errorf("%s: readers see %q, waiting %+v, asked %t", step, w.public(id), now.Draft, w.asks(id))
		}
	}
	undo := func(d postil.Decision) postil.Decision {
		t.Helper()
		out, err := w.door.Undo(ctx, d.ID, mo, "")
		if err != nil || !out.Changed {
			t.Fatalf("%+v, %v", out, err)
		}
		return out.Decision
	}
	id := waitingEdit(w)
	waits("at first", id)
	w.decide(id, postil.Delete)
	w.decide(id, postil.Restore)
	waits("deleted and restored", id)
	undo(w.decide(id, postil.Reject).Decision)
	waits("rejected and taken back", id)
	back := undo(w.decide(id, postil.Restore).Decision)
	waits("forgotten and taken back", id)
	undo(back)
	if now := w.now(id); w.public(id) != kind || now.Draft != nil || w.asks(id) {
		t.Errorf("forgotten after all: readers see %q, %+v, asked %t", w.public(id), now.Draft, w.asks(id))
	}
	id = waitingEdit(w)
	back = undo(w.decide(id, postil.Approve).Decision)
	waits("cleared and taken back", id)
	undo(back)
	if now := w.now(id); w.public(id) != another || now.Draft != nil || w.asks(id) {
		t.Errorf("cleared after all: readers see %q, %+v, asked %t", w.public(id), now.Draft, w.asks(id))
	}
}

func TestANewerEditIsNeverReplacedByAnOlderOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	id := waitingEdit(w)
	d := w.decide(id, postil.Approve).Decision
	w.edit(id, "The newest of my words on this.")
	if _, err := w.door.Undo(ctx, d.ID, mo, ""); err != nil {
		t.Fatal(err)
	}
	if now := w.now(id); w.public(id) != kind || now.Draft == nil || now.Draft.Text != "The newest of my words on this." {
		t.Errorf("readers see %q, waiting %+v", w.public(id), now.Draft)
	}
	id = waitingEdit(w)
	w.decide(id, postil.MarkSpam)
	w.edit(id, "The newest of my words on this.")
	w.decide(id, postil.Approve)
	if now := w.now(id); w.public(id) != "The newest of my words on this." || now.Draft != nil {
		t.Errorf("readers see %q, waiting %+v", w.public(id), now.Draft)
	}
}

func TestTakingAnEditBackEndsTheQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	id := waitingEdit(w)
	w.edit(id, kind)
	if now := w.now(id); now.Draft != nil || w.asks(id) || w.public(id) != kind || len(w.events()) != 1 {
		t.Errorf("waiting %+v, asked %t", now.Draft, w.asks(id))
	}
}

func TestTheRightToChangeEndsWithItsWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	c := w.say(kind)
	w.clock = w.clock.Add(window - time.Millisecond)
	w.edit(c.ID, another)
	w.clock = w.clock.Add(time.Millisecond)
	_, edited := w.door.Edit(ctx, "blog", c.ID, text(kind), anyKey)
	_, removed := w.door.Remove(ctx, "blog", c.ID, anyKey)
	for _, err := range []error{edited, removed} {
		if e, ok := err.(*postil.Error); !ok || e.Kind != postil.Forbidden || e.Slug != "edit-window-over" || !strings.Contains(e.Sentence, "15 minutes") {
			t.Errorf("%v", err)
		}
	}
	if w.now(c.ID).Text != another {
		t.Error("it was changed")
	}
}

func TestAWrongKeyAndAnUnknownCommentAreOneAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	c := w.say(kind)
	noKey := func(postil.Comment) bool { return false }
	var said []string
	for _, try := range []struct {
		site  postil.SiteID
		id    postil.CommentID
		proof func(postil.Comment) bool
	}{{"blog", c.ID, noKey}, {"blog", 999, anyKey}, {"other", c.ID, anyKey}} {
		_, edited := w.door.Edit(ctx, try.site, try.id, text(another), try.proof)
		_, removed := w.door.Remove(ctx, try.site, try.id, try.proof)
		for _, err := range []error{edited, removed} {
			if postil.KindOf(err) != postil.Forbidden {
				t.Fatalf("%+v: %v", try.id, err)
			}
			said = append(said, err.Error())
		}
	}
	if len(slices.Compact(said)) != 1 || w.now(c.ID).Status != postil.Pending || w.now(c.ID).Text != kind {
		t.Errorf("said %v", said)
	}
}

func TestRemovingTwiceIsFineAndLeavesATrace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	c := w.at(postil.Approved)
	for i := range 3 {
		out, err := w.door.Remove(ctx, "blog", c.ID, anyKey)
		if err != nil || out.Status != postil.Deleted || out.Changed != (i == 0) {
			t.Errorf("time %d: %+v, %v", i, out, err)
		}
	}
	last := w.history(c.ID)
	if d := last[len(last)-1]; len(last) != 2 || d.By.Channel != postil.ByAuthor || d.Verb != postil.Delete {
		t.Errorf("history %+v", last)
	}
}
