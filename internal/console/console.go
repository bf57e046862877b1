package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Desk is the one door for decisions.
type Desk interface {
	Decide(ctx context.Context, r postil.DecisionRequest) (postil.Outcome, error)
	Undo(ctx context.Context, id postil.DecisionID, by postil.By, batch string) (postil.Outcome, error)
}

// Lister knows what waits, and wants to know what was shown.
type Lister interface {
	ListComments(ctx context.Context, f postil.CommentFilter) (postil.CommentPage, error)
	Detail(ctx context.Context, id postil.CommentID) (postil.Detail, error)
	Announced(ctx context.Context, id postil.CommentID) error
}

// glance is how often the list is looked at without being woken.
const glance = 15 * time.Second

// most is how many waiting comments are looked at together.
const most = 200

// Reviewer asks one person at a terminal. Use one for each terminal.
type Reviewer struct {
	lg     *slog.Logger
	desk   Desk
	lister Lister
	in     io.Reader
	out    io.Writer
	awake  chan struct{}

	shown     postil.Comment            // what the person is asked about, zero for nothing
	latest    postil.DecisionID         // about it, when it was shown; 0 for none
	told      map[postil.CommentID]bool // what was announced and still waits
	idle      bool                      // "nothing waits" was said
	paused    bool                      // what was shown went away by itself: an answer may still be meant for it
	decisions []postil.DecisionID       // taken here, the last one last
}

// New returns a reviewer that reads answers from in and writes to out.
func New(lg *slog.Logger, desk Desk, lister Lister, in io.Reader, out io.Writer) *Reviewer {
	return &Reviewer{lg: lg, desk: desk, lister: lister, in: in, out: out, awake: make(chan struct{}, 1), told: map[postil.CommentID]bool{}}
}

// Wake makes the reviewer look at the list now: something came or was decided.
// It never blocks.
func (r *Reviewer) Wake() {
	select {
	case r.awake <- struct{}{}:
	default:
	}
}

var by = postil.By{Channel: postil.ByConsole, Actor: "console", Name: "the console"}

// answers are what can be typed.
var answers = []struct {
	key, words string
}{
	{"y", "approve"}, {"n", "reject"}, {"s", "spam"}, {"u", "undo the last"}, {"q", "stop asking"}, {"?", "help"},
}

// Run asks until ctx ends, the person has enough or the input ends. The line
// that is being typed when ctx ends is lost, and so is the goroutine that waits
// for it until the input gives it something: a read cannot be called off.
func (r *Reviewer) Run(ctx context.Context) error {
	lines := make(chan string)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go read(ctx, r.in, lines)
	look := time.NewTicker(glance)
	defer look.Stop()
	for {
		if err := r.look(ctx); err != nil && ctx.Err() == nil {
			r.lg.Error("what waits could not be read", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-r.awake:
		case <-look.C:
		case line, open := <-lines:
			if !open || !r.answer(ctx, strings.ToLower(strings.TrimSpace(line))) {
				r.say("Nobody is asked here any more. What waits stays in the lists of the service.\n")
				return nil
			}
		}
	}
}

// read passes lines on until the input or ctx ends.
func read(ctx context.Context, in io.Reader, lines chan<- string) {
	defer close(lines)
	for s := bufio.NewScanner(in); s.Scan(); {
		select {
		case lines <- s.Text():
		case <-ctx.Done():
			return
		}
	}
}

func (r *Reviewer) say(format string, args ...any) { fmt.Fprintf(r.out, format, args...) }

// look compares what is shown with what waits, and asks about the next comment.
func (r *Reviewer) look(ctx context.Context) error {
	page, err := r.lister.ListComments(ctx, postil.CommentFilter{NeedsYou: true, Limit: most})
	if err != nil {
		return err
	}
	fresh, still, told := 0, false, map[postil.CommentID]bool{}
	for _, c := range page.Comments {
		still = still || c.ID == r.shown.ID && c.Revision == r.shown.Revision && c.Status == r.shown.Status
		told[c.ID] = true
		if r.told[c.ID] {
			continue
		}
		if err := r.lister.Announced(ctx, c.ID); err != nil {
			return err
		}
		r.told[c.ID] = true
		fresh++
	}
	r.told = told // what is decided and opened again is told again
	if still {
		if fresh > 0 {
			r.say("\n(%d more came; %d wait.)\n", fresh, len(page.Comments))
			r.ask()
		}
		return nil
	}
	if r.shown.ID != 0 {
		r.paused = true
		return r.overtaken(ctx)
	}
	if r.paused {
		return nil
	}
	return r.next(ctx, page.Comments)
}

// overtaken says what became of the comment that was being asked about. The
// next one is shown only after Enter, so that an answer that is being typed
// does not hit a comment that nobody has read.
func (r *Reviewer) overtaken(ctx context.Context) error {
	id := r.shown.ID
	defer r.say("Press Enter to go on.\n")
	r.shown = postil.Comment{}
	d, err := r.lister.Detail(ctx, id)
	switch {
	case isKind(err, postil.NotFound):
		r.say("\nThis comment is gone.\n")
		return nil
	case err != nil:
		return err
	case d.Comment.Status == postil.Pending || d.Review.Open:
		r.say("\nThe author has changed the text.\n")
	case len(d.History) == 0:
		r.say("\nThis comment is %s now.\n", d.Comment.Status)
	case d.History[len(d.History)-1].ID == r.latest: // nobody decided: an edit was taken back by its author
		r.say("\nThere is nothing to decide any more: this comment is %s as before.\n", d.Comment.Status)
	default:
		r.say("\n%s\n", overtook(d))
	}
	return nil
}

// overtook says who decided about what was being asked, if a person did: nobody
// was faster where the checks or the author ended the question.
func overtook(d postil.Detail) string {
	last := d.History[len(d.History)-1]
	at := last.At.UTC().Format("15:04 UTC")
	switch last.By.Channel {
	case postil.ByCheck:
		return fmt.Sprintf("This comment is %s now: the checks decided at %s.", d.Comment.Status, at)
	case postil.ByAuthor:
		return fmt.Sprintf("This comment is %s now: its author changed it at %s.", d.Comment.Status, at)
	}
	return fmt.Sprintf("Somebody was faster: %s by %s at %s.", d.Comment.Status, inLine(last.By.Name), at)
}

func (r *Reviewer) next(ctx context.Context, waiting []postil.Comment) error {
	if len(waiting) == 0 {
		if !r.idle {
			r.say("\nNothing waits. New comments appear here.\n")
		}
		r.idle = true
		return nil
	}
	d, err := r.lister.Detail(ctx, waiting[0].ID)
	if err != nil {
		return err
	}
	r.idle, r.shown, r.latest = false, d.Comment, 0
	if n := len(d.History); n > 0 {
		r.latest = d.History[n-1].ID
	}
	r.say("%s", card(d))
	r.ask()
	return nil
}

func (r *Reviewer) ask() {
	for _, a := range answers {
		r.say("[%s] %s  ", a.key, a.words)
	}
	r.say("> ")
}

// answer does what was typed; false means that the person has enough.
func (r *Reviewer) answer(ctx context.Context, key string) (goOn bool) {
	if r.paused && key != "q" {
		r.paused = false
		if key != "" {
			r.say("That came too late for the comment above; nothing was changed.\n")
		}
		return true
	}
	verbs := map[string]postil.Verb{"y": postil.Approve, "n": postil.Reject, "s": postil.MarkSpam}
	verb, decides := verbs[key]
	switch {
	case decides && r.shown.ID == 0:
		r.say("There is nothing to decide at the moment.\n")
	case decides:
		r.decide(ctx, verb)
	case key == "u":
		r.undo(ctx)
	case key == "q":
		return false
	case key == "?":
		r.say("y approves, n rejects, s marks as spam; u takes back what was decided here last; q stops asking.\nEach letter is followed by Enter. Elsewhere decided comments disappear by themselves.\n")
		r.askAgain()
	default:
		r.say("Answer with one of these letters and Enter.\n")
		r.askAgain()
	}
	return true
}

func (r *Reviewer) askAgain() {
	if r.shown.ID != 0 {
		r.ask()
	}
}

// decide decides about what is shown, exactly as it is shown.
func (r *Reviewer) decide(ctx context.Context, verb postil.Verb) {
	c := r.shown
	if c.Draft != nil && verb == postil.Reject {
		verb = postil.Restore // the public text stays
	}
	out, err := r.desk.Decide(ctx, postil.DecisionRequest{Comment: c.ID, Verb: verb, By: by, Expect: c.Status, Revision: c.Revision})
	if err != nil {
		r.failed(err)
		if isKind(err, postil.Conflict) || isKind(err, postil.NotFound) {
			r.shown = postil.Comment{} // it has been said; the next look shows what is true
		}
		return
	}
	r.shown = postil.Comment{}
	if out.Changed {
		r.decisions = append(r.decisions, out.Decision.ID)
	}
	r.say("→ %s\n", out.Status)
}

// undo takes back the last decision that was taken here.
func (r *Reviewer) undo(ctx context.Context) {
	if len(r.decisions) == 0 {
		r.say("Nothing was decided here yet.\n")
		r.askAgain()
		return
	}
	last := r.decisions[len(r.decisions)-1]
	out, err := r.desk.Undo(ctx, last, by, "")
	if err != nil {
		r.failed(err)
		if !isKind(err, postil.Conflict) && !isKind(err, postil.NotFound) {
			return
		}
	} else {
		r.say("→ taken back: %s\n", out.Status)
		r.shown = postil.Comment{} // the oldest comes first, and that may be this one
	}
	r.decisions = r.decisions[:len(r.decisions)-1]
	r.askAgain()
}

// failed tells a person what did not work, and the log what was our fault.
func (r *Reviewer) failed(err error) {
	e, ok := errors.AsType[*postil.Error](err)
	if !ok || e.Kind == postil.Internal {
		r.lg.Error("a decision at the console failed", "err", err)
		r.say("Something went wrong on our side. Nothing was changed; answer again in a moment.\n")
		r.askAgain()
		return
	}
	r.say("Not done: %s\n", inLine(e.Sentence))
}

// isKind reports whether err is an error of the kind.
func isKind(err error, kind postil.Kind) bool {
	e, ok := errors.AsType[*postil.Error](err)
	return ok && e.Kind == kind
}
