package moderation

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/storetest"
	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
)

var (
	ctx   = context.Background()
	quiet = slog.New(slog.NewTextHandler(io.Discard, nil))
	mo    = postil.By{Channel: postil.ByTelegram, Actor: "moderator:1", Name: "Mo"}
	ann   = postil.Origin{Device: "ann's device"}
)

const window = 15 * time.Minute

// world is a real store with the room around it.
type world struct {
	testing.TB
	*store.Store
	door   *Door
	worker *Worker
	clock  time.Time
	heard  postil.EventID
}

func newWorld(t testing.TB, policy postil.Policy) *world {
	t.Helper()
	w := &world{TB: t, clock: time.UnixMilli(1_700_000_000_000).UTC()}
	now := func(context.Context) time.Time { return w.clock }
	s, err := store.Open(ctx, quiet, storetest.Path(t), store.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- s.Run(running) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	w.Store, w.door, w.worker = s, NewDoor(s, window, now), NewWorker(quiet, s, nil)
	if _, err := s.AddSite(ctx, postil.Site{ID: "blog", Policy: policy, MaxLinks: 2, Blocked: []string{"viagra"}}, mo); err != nil {
		t.Fatal(err)
	}
	w.events()
	return w
}

// say stores a comment of Ann's.
func (w *world) say(text string) postil.Comment {
	w.Helper()
	out, err := w.AddComment(ctx, postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/p"}, Text: text, HTML: markup.Render(text), TextHash: markup.Fingerprint(text),
		Nonce: "n", Author: postil.Author{Name: "Ann"}, Origin: ann}, nil)
	if err != nil {
		w.Fatal(err)
	}
	return out.Comment
}

// events returns what was emitted since it was last asked.
func (w *world) events() (out []postil.Event) {
	w.Helper()
	out, err := w.PendingEvents(ctx, w.heard, 1000)
	if err != nil {
		w.Fatal(err)
	}
	if len(out) > 0 {
		w.heard = out[len(out)-1].ID
	}
	return out
}

func kinds(events []postil.Event) (out []postil.EventKind) {
	for _, ev := range events {
		out = append(out, ev.Kind)
	}
	return out
}

// check lets the worker handle what was submitted, as the queue would.
func (w *world) check(id postil.CommentID) {
	w.Helper()
	if err := w.worker.Handle(ctx, postil.Event{Kind: postil.CommentSubmitted, Comment: id}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) decide(id postil.CommentID, verb postil.Verb) postil.Outcome {
	w.Helper()
	out, err := w.door.Decide(ctx, postil.DecisionRequest{Comment: id, Verb: verb, By: mo})
	if err != nil {
		w.Fatal(err)
	}
	return out
}

func (w *world) now(id postil.CommentID) postil.Comment {
	w.Helper()
	c, err := w.Comment(ctx, id)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

func (w *world) asks(id postil.CommentID) bool {
	w.Helper()
	r, err := w.Review(ctx, id)
	if err != nil {
		w.Fatal(err)
	}
	return r.Open
}

func (w *world) history(id postil.CommentID) []postil.Decision {
	w.Helper()
	h, err := w.History(ctx, id)
	if err != nil {
		w.Fatal(err)
	}
	return h
}

// public returns the text that readers see of a comment, "" for none.
func (w *world) public(id postil.CommentID) string {
	w.Helper()
	p, err := w.ThreadPage(ctx, postil.ThreadQuery{Site: "blog", Post: "/p", Sort: postil.Oldest, Limit: 200})
	if err != nil {
		w.Fatal(err)
	}
	for _, l := range p.Comments {
		if l.ID == id && !l.Tombstone {
			return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(l.HTML), `<p dir="auto">`), "</p>")
		}
	}
	return ""
}

func anyKey(postil.Comment) bool { return true }

func text(s string) postil.TextChange {
	return postil.TextChange{Text: s, HTML: markup.Render(s), Hash: markup.Fingerprint(s)}
}

func (w *world) edit(id postil.CommentID, s string) postil.Outcome {
	w.Helper()
	out, err := w.door.Edit(ctx, "blog", id, text(s), anyKey)
	if err != nil {
		w.Fatal(err)
	}
	return out
}
