package moderation

import (
	"context"
	"fmt"
	"time"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// Ledger applies a rule to a comment in one transaction and keeps the log of
// decisions.
type Ledger interface {
	Change(ctx context.Context, id postil.CommentID, rule postil.Rule) (postil.Outcome, error)
	Decision(ctx context.Context, id postil.DecisionID) (postil.Decision, error)
}

// Door is the one door: every decision goes through it, whoever takes it.
type Door struct {
	ledger Ledger
	window func(postil.SiteID) time.Duration
	now    func(context.Context) time.Time

	threshold func(postil.SiteID) int // see AskAfter
}

// NewDoor returns the door to a ledger. window is how long commenters may edit.
func NewDoor(ledger Ledger, window time.Duration, now func(context.Context) time.Time) *Door {
	return &Door{ledger: ledger, window: func(postil.SiteID) time.Duration { return window }, now: now}
}

// EditWithin makes window say, at each edit, how long the commenters of a site
// may change what they wrote.
func (d *Door) EditWithin(window func(postil.SiteID) time.Duration) { d.window = window }

// Decide takes a decision. Repeating one changes nothing and is no error. When
// the comment is not what the caller has seen (Expect, Revision, Latest), the outcome
// says how it stands and who decided, beside an error of kind Conflict.
func (d *Door) Decide(ctx context.Context, r postil.DecisionRequest) (postil.Outcome, error) {
	return d.apply(ctx, r.Comment, func(c postil.Comment, last postil.Decision) (*postil.Change, error) {
		if err := asSeen(r, c, last); err != nil {
			return nil, err
		}
		return Decided(c, r), nil
	})
}

// AtOnce is the rule for a new comment of somebody who needs no asking: it is
// approved in the transaction that stores it, by a decision like any other.
func (d *Door) AtOnce(by postil.By) postil.Rule {
	return func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
		ch := Decided(c, postil.DecisionRequest{Comment: c.ID, Verb: postil.Approve, By: by, Reason: "written by the blog's author"})
		ch.Checks = &postil.Conclusion{Verdict: postil.VerdictApprove}
		return ch, nil
	}
}

// apply runs a rule and reports how the comment stands even when the rule
// refuses.
func (d *Door) apply(ctx context.Context, id postil.CommentID, rule postil.Rule) (postil.Outcome, error) {
	var seen postil.Outcome
	out, err := d.ledger.Change(ctx, id, func(c postil.Comment, last postil.Decision) (*postil.Change, error) {
		seen = postil.Outcome{Comment: id, Status: c.Status, Decision: last}
		return rule(c, last)
	})
	if err != nil {
		return seen, err
	}
	return out, nil
}

// asSeen refuses a decision about something that the caller has not seen.
func asSeen(r postil.DecisionRequest, c postil.Comment, last postil.Decision) error {
	if r.Expect != "" && r.Expect != c.Status {
		return conflict("The comment is %s already%s. Look at it again and decide anew.", c.Status, whose(last))
	}
	if r.Latest != nil && *r.Latest != last.ID {
		return conflict("Somebody has decided about this comment meanwhile%s. Look at it again and decide anew.", whose(last))
	}
	if r.Revision != 0 && r.Revision != c.Revision {
		return conflict("The author has changed the text meanwhile. Read it again and decide anew.")
	}
	return nil
}

func whose(last postil.Decision) string {
	if last.By.Name == "" {
		return ""
	}
	return fmt.Sprintf(", decided by %s at %s UTC", last.By.Name, last.At.UTC().Format("15:04"))
}

func conflict(format string, args ...any) *postil.Error {
	return &postil.Error{Kind: postil.Conflict, Sentence: fmt.Sprintf(format, args...)}
}

// Decided says what a decision does to a comment, nil for nothing. A decision
// of the checks applies only to what is pending, so that a person always wins.
// While an edit waits, approve publishes it and restore forgets it.
func Decided(c postil.Comment, r postil.DecisionRequest) *postil.Change {
	if !r.By.Person() && c.Status != postil.Pending {
		return nil
	}
	next, changed := c.Status.After(r.Verb, c.Before)
	ch := &postil.Change{Verb: r.Verb, To: next, By: r.By, Reason: r.Reason, Batch: r.Batch, Review: postil.CloseReview}
	switch {
	case c.Draft != nil && r.Verb == postil.Approve:
		ch.Draft = postil.ApplyDraft
	case c.Draft != nil && r.Verb == postil.Restore && c.Status != postil.Deleted:
		ch.Draft = postil.DropDraft
	case !changed && (r.Verb != postil.Approve || c.Reports == 0): // readers have asked again: to keep it is a decision
		return nil
	}
	return reopen(c, ch)
}

// reopen asks a person about what waits after the change, a comment or an
// edit of a public one; what was never checked goes through the checks first.
func reopen(c postil.Comment, ch *postil.Change) *postil.Change {
	edit := ch.NewDraft != nil || c.Draft != nil && ch.Draft == postil.KeepDraft
	if ch.To != postil.Pending && (ch.To != postil.Approved || !edit) {
		return ch
	}
	ch.Review = postil.OpenReview
	if c.Checked.IsZero() {
		ch.Review, ch.Resubmit = postil.KeepReview, true
	}
	return ch
}

// Undo takes a decision back: status and text are what they were before, and a
// task that it closed is open again. It is refused with Conflict when a later
// decision exists, or a text that nobody has approved; undoing the same one twice changes nothing. An undo is a
// decision, too, and can be undone.
func (d *Door) Undo(ctx context.Context, id postil.DecisionID, by postil.By, batch string) (postil.Outcome, error) {
	old, err := d.ledger.Decision(ctx, id)
	if err != nil {
		return postil.Outcome{}, err
	}
	return d.apply(ctx, old.Comment, func(c postil.Comment, last postil.Decision) (*postil.Change, error) {
		if last.Undoes == old.ID {
			return nil, nil
		}
		if last.ID != old.ID {
			return nil, conflict("A later decision exists%s, so this one can no longer be taken back. Decide anew instead.", whose(last))
		}
		if promotes(c, old) {
			return nil, conflict("The author has changed the text since that decision. Read it and decide anew.")
		}
		return undone(c, old, by, batch), nil
	})
}

// promotes reports whether taking a decision back would publish a text that the
// author has put in since: of what is not public, an edit replaces the text.
func promotes(c postil.Comment, old postil.Decision) bool {
	return old.From == postil.Approved && c.Status != postil.Approved && !c.Edited.IsZero() && !c.Edited.Before(old.At)
}

func undone(c postil.Comment, old postil.Decision, by postil.By, batch string) *postil.Change {
	ch := &postil.Change{Verb: postil.UndoneVerb, To: old.From, By: by, Batch: batch, Undoes: old.ID, Review: postil.CloseReview}
	waiting := old.TextAfter
	if forgotEdit(old) {
		waiting = old.TextBefore
	} else if old.TextBefore != old.TextAfter {
		ch.Text, ch.Edited = rendered(old.TextBefore), &old.EditedBefore
	}
	if old.NameBefore != old.NameAfter {
		ch.Name = old.NameBefore
	}
	if old.Moved {
		ch.Parent = &old.ParentBefore
	}
	switch {
	case c.Draft == nil && old.TextBefore != old.TextAfter:
		ch.NewDraft = rendered(waiting)
	case c.Draft != nil && old.Verb == postil.UndoneVerb && c.Draft.At.Equal(old.At): // the undo brought it back
		ch.Draft = postil.DropDraft
	} // else a newer edit waits, and stays
	if old.ReviewWasOpen {
		ch.Review = postil.OpenReview
	}
	return reopen(c, ch)
}

// forgotEdit reports whether a decision left the public text alone and dropped
// the edit that waited: restore of what is not deleted does nothing else.
func forgotEdit(d postil.Decision) bool { return d.Verb == postil.Restore && d.From != postil.Deleted }

func rendered(text string) *postil.TextChange {
	html := markup.Render(text)
	return &postil.TextChange{Text: text, HTML: html, Hash: markup.FingerprintHTML(html)}
}
