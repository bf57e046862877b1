package cache

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/postil/postil/internal/postil"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// source is a store of one number a post: its version. Its loader writes the
// version into the body, so that a test sees how old an answer is.
type source struct {
	mu       sync.Mutex
	versions map[postil.PostID]int64
	failure  error
	loads    atomic.Int64
	during   func(v postil.View) // called while a load holds what it has read
}

func (s *source) load(ctx context.Context, v postil.View) (Fresh, error) {
	s.loads.Add(1)
	s.mu.Lock()
	version, found := s.versions[v.Post]
	failure, during := s.failure, s.during
	s.mu.Unlock()
	if during != nil {
		during(v)
	}
	if failure != nil {
		return Fresh{}, failure
	}
	return Fresh{Body: fmt.Appendf(nil, "%s v%d", v.Post, version), Version: version, Missing: !found}, ctx.Err()
}

// change commits a change of a post and returns its event.
func (s *source) change(post postil.PostID) postil.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.versions == nil {
		s.versions = map[postil.PostID]int64{}
	}
	s.versions[post]++
	return postil.Event{Kind: postil.CommentUpdated, Site: "blog", Post: post, Version: s.versions[post]}
}

func (s *source) set(f func(*source)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

// unpaced lifts the bound on refreshes, which most tests are not about.
var unpaced = Options{MinRefresh: -1}

func newCache(t testing.TB, loader Loader, o Options) *Cache {
	t.Helper()
	c := New(slog.New(slog.DiscardHandler), loader, o)
	t.Cleanup(c.Close)
	return c
}

func thread(post postil.PostID) postil.View {
	return postil.View{Kind: postil.ThreadView, Site: "blog", Post: post, Sort: postil.Oldest, Limit: 50}
}

func get(t testing.TB, c *Cache, v postil.View, atLeast int64) string {
	t.Helper()
	e, err := c.Get(t.Context(), v, atLeast)
	if err != nil {
		t.Fatalf("Get(%v): %v", v, err)
	}
	return string(e.Encoded("").Body)
}

func wantBody(t testing.TB, c *Cache, v postil.View, atLeast int64, want string) {
	t.Helper()
	if have := get(t, c, v, atLeast); have != want {
		t.Errorf("answer is %q, want %q", have, want)
	}
}

func wantKind(t testing.TB, c *Cache, v postil.View, want postil.Kind) {
	t.Helper()
	if _, err := c.Get(t.Context(), v, 0); err == nil || postil.KindOf(err) != want {
		t.Errorf("error is %v, want one of kind %d", err, want)
	}
}

func wantCount(t testing.TB, what string, have, want int64) {
	t.Helper()
	if have != want {
		t.Errorf("%s: %d, want %d", what, have, want)
	}
}
