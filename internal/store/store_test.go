package store

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/fresh"
	"github.com/postil/postil/internal/postil"
)

var (
	ctx      = context.Background()
	quiet    = slog.New(slog.NewTextHandler(io.Discard, nil))
	somebody = postil.By{Channel: postil.ByREST, Actor: "key:1", Name: "Test"}
)

// open returns a running store in a directory of its own with the site "blog".
func open(t testing.TB, opt Options) *Store {
	t.Helper()
	return openAt(t, migrated(t), opt)
}

// migrated returns the path of an empty database with all migrations.
func migrated(t testing.TB) string {
	t.Helper()
	return fresh.Path(t, "postil.db", func(path string) error {
		s, err := Open(ctx, quiet, path, Options{})
		if err != nil {
			return err
		}
		return s.Close()
	})
}

func openAt(t testing.TB, path string, opt Options) *Store {
	t.Helper()
	s, err := Open(ctx, quiet, path, opt)
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
	if _, err := s.Site(ctx, "blog"); err != nil {
		if _, err := s.AddSite(ctx, postil.Site{ID: "blog", Name: "Blog", Policy: postil.HoldAll, MaxLinks: 2, Origins: []string{"https://blog.example"}}, somebody); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestTheFilesAreTheOwnersAloneWhereverTheyStand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil { // as an operator may have made it
		t.Fatal(err)
	}
	say(t, openAt(t, filepath.Join(dir, "postil.db"), Options{}), "ann@mail.example", 0)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v, %v", file, info.Mode(), err)
		}
	}
}

// say stores a comment with the text and returns it.
func say(t testing.TB, s *Store, text string, parent postil.CommentID) postil.Comment {
	t.Helper()
	out, err := s.AddComment(ctx, postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/p"}, Parent: parent,
		Author: postil.Author{Name: "Ann"}, Text: text, HTML: "<p>" + text + "</p>", Nonce: "n"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Comment
}

// to moves a comment to a status, as a person would.
func to(t testing.TB, s *Store, id postil.CommentID, status postil.Status) postil.Outcome {
	t.Helper()
	out, err := s.Change(ctx, id, func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
		if c.Status == status {
			return nil, nil
		}
		return &postil.Change{Verb: verbs[status], To: status, By: somebody, Review: postil.CloseReview}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var verbs = map[postil.Status]postil.Verb{postil.Approved: postil.Approve, postil.Rejected: postil.Reject, postil.Spam: postil.MarkSpam, postil.Deleted: postil.Delete, postil.Pending: postil.Restore}

func page(t testing.TB, s *Store, q postil.ThreadQuery) postil.ThreadPage {
	t.Helper()
	if q.Site == "" {
		q.Site, q.Post = "blog", "/p"
	}
	if q.Limit == 0 {
		q.Limit = postil.DefaultPageRoots
	}
	if q.Sort == "" {
		q.Sort = postil.Oldest
	}
	p, err := s.ThreadPage(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestACommentIsStoredPendingWithItsEvent(t *testing.T) {
	woken := make(chan struct{}, 10)
	s := open(t, Options{OnEmit: func() { woken <- struct{}{} }})
	c := say(t, s, "hello", 0)
	if c.Status != postil.Pending || c.Root != c.ID || c.Visible != postil.Hidden {
		t.Fatalf("stored as %+v", c)
	}
	select {
	case <-woken:
	case <-time.After(time.Second):
		t.Fatal("nobody was woken")
	}
	events, err := s.PendingEvents(ctx, 0, 10)
	events = slices.DeleteFunc(events, func(ev postil.Event) bool { return ev.Kind == postil.ConfigChanged }) // the site came with a policy
	if err != nil || len(events) != 1 || events[0].Kind != postil.CommentSubmitted || events[0].Comment != c.ID {
		t.Fatalf("events %+v, %v", events, err)
	}
	if got := page(t, s, postil.ThreadQuery{}); len(got.Comments) != 0 || got.Post.Count != 0 {
		t.Fatalf("a pending comment is public: %+v", got)
	}
	to(t, s, c.ID, postil.Approved)
	got := page(t, s, postil.ThreadQuery{})
	if len(got.Comments) != 1 || got.Post.Count != 1 || got.Post.Roots != 1 || got.Post.Version != 1 {
		t.Fatalf("after the approval: %+v", got)
	}
}
