package console_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"go.uber.org/goleak"

	"github.com/postil/postil/internal/apptest/storetest"
	"github.com/postil/postil/internal/console"
	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var carla = postil.By{Channel: postil.ByREST, Actor: "key:1", Name: "Carla"}

// screen is what the person sees.
type screen struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// terminal is a person in front of a reviewer with a real store and door.
type terminal struct {
	t     *testing.T
	store *store.Store
	door  *moderation.Door
	keys  *io.PipeWriter
	seen  *screen
	r     *console.Reviewer
	done  chan error
	stop  context.CancelFunc
	read  int // how much of the screen was looked at
}

func open(t *testing.T) *terminal {
	t.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, slog.New(slog.DiscardHandler), storetest.Path(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	running, stopStore := context.WithCancel(ctx)
	stored := make(chan error, 1)
	go func() { stored <- s.Run(running) }()
	if _, err := s.AddSite(ctx, postil.Site{ID: "blog", Name: "Blog", Policy: postil.HoldAll}, carla); err != nil {
		t.Fatal(err)
	}
	in, keys := io.Pipe()
	x := &terminal{t: t, store: s, door: moderation.NewDoor(s, time.Minute, s.Now), keys: keys, seen: &screen{}, done: make(chan error, 1)}
	x.r = console.New(slog.New(slog.DiscardHandler), x.door, s, in, x.seen)
	asking, stop := context.WithCancel(ctx)
	x.stop = stop
	t.Cleanup(func() {
		stop()
		_ = keys.Close()
		select {
		case err := <-x.done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(2 * time.Minute):
			t.Error("the reviewer does not stop")
		}
		stopStore()
		<-stored
		_ = s.Close()
	})
	go func() { x.done <- x.r.Run(asking); close(x.done) }()
	return x
}

func (x *terminal) write(name, text string) postil.CommentID {
	x.t.Helper()
	ctx := context.Background()
	out, err := x.store.AddComment(ctx, postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/p", Title: "Hello"}, Author: postil.Author{Name: name}, Text: text, HTML: "x", Nonce: "n"}, nil)
	if err != nil {
		x.t.Fatal(err)
	}
	_, err = x.store.Change(ctx, out.Comment.ID, func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
		return &postil.Change{To: c.Status, Review: postil.OpenReview, Checks: &postil.Conclusion{Verdict: postil.VerdictHold, Findings: []postil.Finding{{Reason: "2 links\x1b[2J"}}}}, nil
	})
	if err != nil {
		x.t.Fatal(err)
	}
	x.r.Wake()
	return out.Comment.ID
}

func (x *terminal) press(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.keys, keys); err != nil {
		x.t.Fatal(err)
	}
}

// sees waits until the words stand on the screen after everything seen before.
func (x *terminal) sees(words string) {
	x.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; <-time.After(2 * time.Millisecond) {
		all := x.seen.String()
		if at := strings.Index(all[x.read:], words); at >= 0 {
			x.read += at + len(words)
			return
		}
		if time.Now().After(deadline) {
			x.t.Fatalf("%q does not appear in:\n%s", words, all[x.read:])
		}
	}
}

func (x *terminal) wantStatus(id postil.CommentID, want postil.Status) {
	x.t.Helper()
	c, err := x.store.Comment(context.Background(), id)
	if err != nil || c.Status != want {
		x.t.Errorf("the comment is %s, want %s (%v)", c.Status, want, err)
	}
}

func TestEachAnswerDecidesAboutTheCommentThatIsShown(t *testing.T) {
	t.Parallel()
	x := open(t)
	x.sees("Nothing waits")
	var ids []postil.CommentID
	for i := range 3 {
		ids = append(ids, x.write("Ann", fmt.Sprint("comment ", i)))
	}
	for i, step := range []struct {
		key  string
		want postil.Status
	}{{"y\n", postil.Approved}, {" N \n", postil.Rejected}, {"s\n", postil.Spam}} {
		x.sees(fmt.Sprint("│ comment ", i))
		x.press(step.key)
		x.sees("→ " + string(step.want))
		x.wantStatus(ids[i], step.want)
	}
	x.sees("Nothing waits")
	for _, id := range ids {
		if v, err := x.store.Review(context.Background(), id); err != nil || v.Announced.IsZero() {
			t.Errorf("comment %d counts as unannounced", id)
		}
	}
	x.press("u\n")
	x.sees("taken back: pending")
	x.sees("│ comment 2")
	x.wantStatus(ids[2], postil.Pending)
}

func TestNewCommentsAreAnnouncedWhileOneIsShown(t *testing.T) {
	t.Parallel()
	x := open(t)
	x.write("Ann", "first")
	x.sees("│ first")
	id := x.write("Zoe", "second")
	x.sees("(1 more came; 2 wait.)")
	if v, err := x.store.Review(context.Background(), id); err != nil || v.Announced.IsZero() {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestAnAnswerNeverHitsACommentThatNobodyHasRead(t *testing.T) {
	t.Parallel()
	x := open(t)
	first := x.write("Ann", "first")
	x.sees("│ first")
	second := x.write("Zoe", "second")
	x.sees("1 more came")
	if _, err := x.door.Decide(context.Background(), postil.DecisionRequest{Comment: first, Verb: postil.MarkSpam, By: carla}); err != nil {
		t.Fatal(err)
	}
	x.r.Wake()
	x.sees("Somebody was faster: spam by Carla")
	x.press("y\n") // meant for the first
	x.sees("too late")
	x.wantStatus(second, postil.Pending)
	x.sees("│ second")
	x.press("y\n")
	x.sees("→ approved")
	x.wantStatus(second, postil.Approved)
	x.wantStatus(first, postil.Spam)
}

func TestAConflictIsToldAndChangesNothing(t *testing.T) {
	t.Parallel()
	x := open(t)
	id := x.write("Ann", "first")
	x.sees("│ first")
	if _, err := x.door.Decide(context.Background(), postil.DecisionRequest{Comment: id, Verb: postil.Reject, By: carla}); err != nil {
		t.Fatal(err)
	}
	x.press("y\n") // before the reviewer was woken
	x.sees("decided by Carla")
	x.wantStatus(id, postil.Rejected)
	x.sees("Nothing waits")
	x.press("y\nu\nx\n?\n")
	x.sees("nothing to decide")
	x.sees("Nothing was decided here yet")
	x.sees("one of these letters")
	x.sees("q stops asking")
}

func TestQuittingEndsTheReviewerAndTheEndOfTheInputToo(t *testing.T) {
	t.Parallel()
	for _, end := range []func(*terminal){func(x *terminal) { x.press("q\n") }, func(x *terminal) { _ = x.keys.Close() }} {
		x := open(t)
		id := x.write("Ann", "first")
		x.sees("│ first")
		end(x)
		x.sees("Nobody is asked here any more")
		x.wantStatus(id, postil.Pending)
	}
}

func TestSEC_05_NothingAVisitorWroteControlsTheTerminal(t *testing.T) {
	t.Parallel()
	x := open(t)
	x.write("Ann\x1b[31m\x07\u202eevil\r\nAnn · approved", "one\x1b]0;title\x07\ttab\u009b2J\rback\n[y] approve > y\n\u2066turned\u2028line")
	x.sees("[?] help")
	text := x.seen.String()
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' {
			t.Errorf("%q reaches the terminal", r)
		}
	}
	for _, want := range []string{`Ann\x1b[31m\x07\u202eevil\nAnn`, `one\x1b]0;title\x07    tab\x9b2J\x0dback`, "\n  │ [y] approve > y\n", `2 links\x1b[2J`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
}
