package moderation

import (
	"context"
	"log/slog"

	"github.com/postil/postil/internal/postil"
)

// Archive is what the worker reads, and where it writes what was found:
// Conclude applies a rule in one transaction, as Ledger.Change does, without
// hurry.
type Archive interface {
	Comment(ctx context.Context, id postil.CommentID) (postil.Comment, error)
	Memory(ctx context.Context, c postil.Comment) (postil.Memory, error)
	Conclude(ctx context.Context, id postil.CommentID, rule postil.Rule) (postil.Outcome, error)
}

// Judge is an opinion that was learned: how it finds a comment that is to show
// a text. Its finding bears the name Learned.
type Judge func(ctx context.Context, c postil.Comment, text string) (postil.Finding, error)

// Learned is the name of the check that a Judge is.
const Learned = "learned"

// Worker runs the checks of submitted comments.
type Worker struct {
	lg      *slog.Logger
	archive Archive
	checks  []NamedCheck
	judge   Judge // nil: nobody has learned anything
}

// NewWorker returns a worker with all checks and, unless it is nil, a judge.
func NewWorker(lg *slog.Logger, archive Archive, judge Judge) *Worker {
	return &Worker{lg, archive, Checks(), judge}
}

var theChecks = postil.By{Channel: postil.ByCheck, Actor: "check", Name: "automatic checks"}

// Handle checks the comment of a comment.submitted event. It may be called any
// number of times: what has been checked, changed or erased meanwhile is left
// alone. An error means that it should be called again.
func (w *Worker) Handle(ctx context.Context, ev postil.Event) error {
	c, err := w.archive.Comment(ctx, ev.Comment)
	if postil.KindOf(err) == postil.NotFound || err == nil && !c.Checked.IsZero() {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := w.archive.Memory(ctx, c)
	if err != nil {
		return err
	}
	s := Subject{Comment: c, Text: c.Text, HTML: c.HTML, Memory: m}
	if c.Draft != nil {
		s.Text, s.HTML = c.Draft.Text, c.Draft.HTML
	}
	conclusion := Conclude(m, append(Examine(w.checks, s), w.opinion(ctx, s)...))
	_, err = w.archive.Conclude(ctx, c.ID, func(now postil.Comment, _ postil.Decision) (*postil.Change, error) {
		if !now.Checked.IsZero() || now.Revision != c.Revision {
			return nil, nil // another worker was faster, or a newer text has its own event
		}
		return concluded(now, conclusion), nil
	})
	if postil.KindOf(err) == postil.NotFound {
		return nil
	}
	return err
}

// opinion asks the judge. One who cannot answer has objected: what could not be
// judged waits for a person.
func (w *Worker) opinion(ctx context.Context, s Subject) (found []postil.Finding) {
	if w.judge == nil {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			w.lg.Error("the classifier failed", "comment", s.Comment.ID, "panic", r)
			found = []postil.Finding{{Check: Learned, Weight: Objection, Reason: "one of the checks failed"}}
		}
	}()
	f, err := w.judge(ctx, s.Comment, s.Text)
	if err != nil {
		w.lg.Warn("the classifier could not judge a comment; it waits for a person", "comment", s.Comment.ID, "err", err)
		f = postil.Finding{Weight: Objection, Reason: "one of the checks failed"}
	}
	f.Check = Learned
	return []postil.Finding{f}
}

// concluded says what a conclusion does to a comment. The checks publish or
// stop only what is pending, and of an approved comment they may clear a
// waiting edit; everything else is a person's.
func concluded(c postil.Comment, conclusion postil.Conclusion) *postil.Change {
	reason := postil.Why(conclusion.Verdict, conclusion.Findings)
	ch := &postil.Change{To: c.Status}
	waits := c.Status == postil.Pending || c.Status == postil.Approved && c.Draft != nil
	switch {
	case !waits:
	case conclusion.Verdict == postil.VerdictApprove:
		ch = &postil.Change{Verb: postil.Approve, To: postil.Approved, By: theChecks, Reason: reason, Review: postil.CloseReview}
		if c.Draft != nil {
			ch.Draft = postil.ApplyDraft
		}
	case conclusion.Verdict == postil.VerdictSpam && c.Status == postil.Pending:
		ch = &postil.Change{Verb: postil.MarkSpam, To: postil.Spam, By: theChecks, Reason: reason, Review: postil.CloseReview}
	default:
		ch.Review = postil.OpenReview
	}
	ch.Checks = &conclusion
	return ch
}
