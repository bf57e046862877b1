package moderation

import (
	"context"
	"log/slog"
	"time"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// Archive is what the worker reads, and where it writes what was found:
// Conclude applies a rule in one transaction, as Ledger.Change does, without
// hurry.
type Archive interface {
	// Submitted returns a comment, perhaps as it was stored first, with what the
	// checks may know beside it.
	Submitted(ctx context.Context, id postil.CommentID) (postil.Comment, postil.Memory, error)
	Conclude(ctx context.Context, id postil.CommentID, rule postil.Rule) (postil.Outcome, error)
	// ApprovedOf returns the latest approved comments of the author of c, found
	// by account or device.
	ApprovedOf(ctx context.Context, c postil.Comment, limit int) ([]postil.Comment, error)
	ListShelf
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
	library *library
	outside []Outside
	config  func(site postil.SiteID) (rulings []postil.Ruling, mark any)
}

// NewWorker returns a worker with all checks and, unless it is nil, a judge.
func NewWorker(lg *slog.Logger, archive Archive, judge Judge) *Worker {
	return &Worker{lg: lg, archive: archive, checks: Checks(), judge: judge, library: &library{shelf: archive}}
}

// Configured adds rules that are configuration: mark is another whenever they
// may have changed. Call it before the first comment.
func (w *Worker) Configured(config func(site postil.SiteID) (rulings []postil.Ruling, mark any)) {
	w.config = config
}

var theChecks = postil.By{Channel: postil.ByCheck, Actor: "check", Name: "automatic checks"}

// Handle checks the comment of a comment.submitted event. It may be called any
// number of times: what has been checked, changed or erased meanwhile is left
// alone. An error means that it should be called again.
func (w *Worker) Handle(ctx context.Context, ev postil.Event) error {
	c, memory, err := w.archive.Submitted(ctx, ev.Comment)
	if postil.KindOf(err) == postil.NotFound || err == nil && !c.Checked.IsZero() {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := w.subject(ctx, c, memory)
	if err != nil {
		return err
	}
	found := append(Examine(w.checks, s), w.opinion(ctx, s)...)
	found = w.consulted(ctx, s, found)
	_, err = w.archive.Conclude(ctx, c.ID, func(now postil.Comment, _ postil.Decision) (*postil.Change, error) {
		if !now.Checked.IsZero() || now.Revision != c.Revision {
			return nil, nil // another worker was faster, or a newer text has its own event
		}
		return concluded(now, Conclude(s.Memory, withReports(now, found))), nil // readers may have reported it meanwhile
	})
	if postil.KindOf(err) == postil.NotFound {
		return nil
	}
	return err
}

// knownComments is how many approved comments of an author are read for the
// hosts that he links to.
const knownComments = 50

// subject gathers what the checks look at.
func (w *Worker) subject(ctx context.Context, c postil.Comment, memory postil.Memory) (s Subject, err error) {
	s = Subject{Comment: c, Text: c.Text, HTML: c.HTML, Memory: memory}
	if c.Draft != nil {
		s.Text, s.HTML = c.Draft.Text, c.Draft.HTML
	}
	if s.Lists, err = w.library.lists(ctx, c.Site, s.Memory.RulesMark, c.Created); err != nil {
		return s, err
	}
	if w.config != nil {
		w.addConfigured(&s)
	}
	if s.Memory.Record.Approved == 0 || len(hostsOf(s)) == 0 {
		return s, nil
	}
	before, err := w.archive.ApprovedOf(ctx, c, knownComments)
	for _, b := range before {
		s.KnownHosts = append(s.KnownHosts, hostsOf(Subject{Comment: b, HTML: b.HTML})...)
	}
	return s, err
}

// addConfigured adds the rules that are configuration.
func (w *Worker) addConfigured(s *Subject) {
	rulings, mark := w.config(s.Comment.Site)
	if len(rulings) == 0 {
		return
	}
	for _, r := range rulings {
		if r.Subject.Kind == postil.OnNetwork && r.Subject.Value == s.Comment.Origin.Network && r.Subject.Value != "" {
			s.Memory.Rulings = append(s.Memory.Rulings, r)
		}
	}
	s.Lists = append(s.Lists, w.library.configured(s.Comment.Site, rulings, mark, s.Comment.Created))
}

// Outside is a check that asks another service. It says nothing (a zero
// finding), or what it has found.
type Outside struct {
	Name  string
	Ask   func(ctx context.Context, c postil.Comment, text string, links []string) (postil.Finding, error)
	Limit func() time.Duration // how long it may take
}

// Consult adds a check that asks another service. It is asked last, and not
// about what is stopped anyway. Call it before the first comment.
func (w *Worker) Consult(o Outside) { w.outside = append(w.outside, o) }

// consulted asks the other services. One that cannot answer in time has
// objected: its outage publishes nothing and loses nothing.
func (w *Worker) consulted(ctx context.Context, s Subject, found []postil.Finding) []postil.Finding {
	for _, o := range w.outside {
		if b := weigh(found); b.banned || b.clear {
			break
		}
		asking, done := context.WithTimeout(ctx, o.Limit())
		f, err := o.Ask(asking, s.Comment, s.Text, markup.LinksHTML(s.HTML))
		done()
		if err != nil {
			w.lg.Warn("a check of another service gave no answer; the comment waits for a person", "check", o.Name, "comment", s.Comment.ID, "err", err)
			f = postil.Finding{Weight: Objection, Reason: "a check of another service gave no answer"}
		}
		if f != (postil.Finding{}) {
			f.Check = o.Name
			found = append(found, f)
		}
	}
	return found
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
	if f == (postil.Finding{}) {
		return nil // nobody wants its opinion
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
