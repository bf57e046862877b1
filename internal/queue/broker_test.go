package queue

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"go.uber.org/goleak"

	"github.com/postil/postil/internal/apptest/ports"
	"github.com/postil/postil/internal/postil"
)

// TestMain also proves that Stop leaves no goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// eventually polls until ok, and fails naming what was waited for.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not happen in time: %s", what)
		}
	}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// newBroker returns a broker that is stopped after the test.
func newBroker(t testing.TB, cfg Config) *Broker {
	b := New(quiet(), cfg)
	t.Cleanup(b.Stop)
	return b
}

func start(t testing.TB, b *Broker) {
	t.Helper()
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// run starts a task and ends it before the broker stops.
func run(t testing.TB, task Task) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- task.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the task failed: %v", err)
		}
	})
}

func event(id int, kind postil.EventKind, post string) postil.Event {
	return postil.Event{ID: postil.EventID(id), Kind: kind, Site: "blog", Post: postil.PostID(post), Comment: postil.CommentID(id), At: time.Unix(1_700_000_000, 123456789).UTC()}
}

func publish(t testing.TB, b *Broker, events ...postil.Event) {
	t.Helper()
	if n, err := b.Publish(t.Context(), events); err != nil || n != len(events) {
		t.Fatalf("published %d of %d: %v", n, len(events), err)
	}
}

// seen collects what handlers get.
type seen struct {
	mu     sync.Mutex
	events []postil.Event
}

func (s *seen) handle(_ context.Context, e postil.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
	return nil
}

func (s *seen) watch(e postil.Event) { _ = s.handle(context.Background(), e) }

func (s *seen) all() []postil.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]postil.Event(nil), s.events...)
}

func (s *seen) ids() []int {
	var ids []int
	for _, e := range s.all() {
		ids = append(ids, int(e.ID))
	}
	return ids
}

// messages counts what a stream holds.
func messages(t testing.TB, b *Broker, name string) int {
	t.Helper()
	s, err := b.await(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.js.Stream(t.Context(), name)
	if err != nil {
		return -1
	}
	return int(info.CachedInfo().State.Msgs)
}

// outside starts a broker of its own with a port. Port 0 takes a free one.
func outside(t testing.TB, dir string, port int) (*server.Server, int) {
	t.Helper()
	if port == 0 {
		port = ports.Free(t)
	}
	ns, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	if !ns.ReadyForConnections(10 * time.Second) {
		t.Fatal("the outside broker does not start")
	}
	t.Cleanup(func() { shut(ns) })
	return ns, port
}

func shut(ns *server.Server) {
	ns.Shutdown()
	ns.WaitForShutdown()
}

func TestABrokerThatIsNotStartedSaysSo(t *testing.T) {
	t.Parallel()
	b := newBroker(t, Config{Dir: t.TempDir()})
	if err := b.Status(); postil.KindOf(err) != postil.Unavailable {
		t.Errorf("status: %v", err)
	}
	if n, err := b.Publish(t.Context(), []postil.Event{event(1, postil.CommentSubmitted, "p")}); n != 0 || postil.KindOf(err) != postil.Unavailable {
		t.Errorf("published %d: %v", n, err)
	}
	if _, err := b.DeadLetters(t.Context(), 10); postil.KindOf(err) != postil.Unavailable {
		t.Errorf("dead letters: %v", err)
	}
}

func TestTheEmbeddedBrokerIsReadyWhenStartReturns(t *testing.T) {
	t.Parallel()
	b := newBroker(t, Config{Dir: filepath.Join(t.TempDir(), "nats")})
	start(t, b)
	if err := b.Status(); err != nil {
		t.Fatal(err)
	}
	b.Stop()
	b.Stop()
	if err := b.Status(); err == nil {
		t.Error("a stopped broker says that it is fine")
	}
}

func TestEventsSurviveARestartOfTheEmbeddedBroker(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := newBroker(t, Config{Dir: dir})
	first.Consume(Consumer{Name: "desk", Kinds: []postil.EventKind{postil.ReviewRequested}, Handle: new(seen).handle})
	start(t, first)
	publish(t, first, event(1, postil.CommentSubmitted, "p"), event(2, postil.ReviewRequested, "p"))
	first.Stop()

	var got seen
	second := newBroker(t, Config{Dir: dir})
	run2 := second.Consume(Consumer{Name: "checks", Kinds: []postil.EventKind{postil.CommentSubmitted}, Handle: got.handle})
	desk := second.Consume(Consumer{Name: "desk", Kinds: []postil.EventKind{postil.ReviewRequested}, Handle: got.handle})
	start(t, second)
	run(t, run2)
	run(t, desk)
	eventually(t, "both events of the first run are handled", func() bool { return len(got.all()) == 2 })
}

func TestABrokenStoreDirectoryIsPutAside(t *testing.T) {
	t.Parallel()
	breakings := map[string]func(dir string) error{
		"missing": func(dir string) error { return os.RemoveAll(dir) },
		"a file":  func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, []byte("x"), 0o600)) },
		"inner file": func(dir string) error {
			return errors.Join(os.RemoveAll(dir+"/jetstream"), os.WriteFile(dir+"/jetstream", []byte("x"), 0o600))
		},
		"garbled":      func(dir string) error { return garble(dir, "") },
		"garbled meta": func(dir string) error { return garble(dir, "meta.") },
		"streams empty": func(dir string) error {
			return os.RemoveAll(filepath.Join(dir, "jetstream", "$G", "streams", "DECISIONS"))
		},
	}
	for name, breakIt := range breakings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "nats")
			b := newBroker(t, Config{Dir: dir})
			start(t, b)
			publish(t, b, event(1, postil.CommentSubmitted, "p"))
			b.Stop()
			if err := breakIt(dir); err != nil {
				t.Fatal(err)
			}
			var got seen
			healed := newBroker(t, Config{Dir: dir})
			task := healed.Consume(Consumer{Name: "checks", Kinds: []postil.EventKind{postil.CommentSubmitted}, Handle: got.handle})
			start(t, healed)
			run(t, task)
			publish(t, healed, event(7, postil.CommentSubmitted, "p"))
			eventually(t, "a new event is handled", func() bool { ids := got.ids(); return len(ids) > 0 && ids[len(ids)-1] == 7 })
		})
	}
}

// garble overwrites the files whose name begins with prefix.
func garble(dir, prefix string) error {
	return filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || !strings.HasPrefix(info.Name(), prefix) {
			return err
		}
		return os.WriteFile(path, []byte("\x00garbage\xff"), 0o600)
	})
}

func TestADirectoryThatCannotBeMadeIsAnErrorAndNothingIsMoved(t *testing.T) {
	t.Parallel()
	parent := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(parent, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBroker(t, Config{Dir: filepath.Join(parent, "nats")})
	if err := b.Start(t.Context()); !errors.Is(err, syscall.ENOTDIR) {
		t.Fatalf("the error does not say what is wrong: %v", err)
	}
	if info, err := os.Stat(parent); err != nil || info.IsDir() {
		t.Errorf("the file in the way was touched: %v", err)
	}
}

func TestTheEmbeddedBrokerComesBackWhenItTurnedItselfOff(t *testing.T) {
	t.Parallel()
	var got seen
	dir := t.TempDir()
	b := newBroker(t, Config{Dir: dir})
	task := b.Consume(Consumer{Name: "checks", Kinds: []postil.EventKind{postil.CommentSubmitted}, Handle: got.handle})
	l, err := b.openEmbedded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go b.keep(ctx, l, stopped)
	t.Cleanup(func() { cancel(); <-stopped })
	run(t, task)
	publish(t, b, event(1, postil.CommentSubmitted, "p"))
	if err := l.server.DisableJetStream(); err != nil { // as on a full disk
		t.Fatal(err)
	}
	eventually(t, "events can be published again", func() bool {
		n, _ := b.Publish(t.Context(), []postil.Event{event(2, postil.CommentSubmitted, "p")})
		return n == 1
	})
	eventually(t, "and are handled", func() bool { ids := got.ids(); return len(ids) > 0 && ids[len(ids)-1] == 2 })
}

func TestTheStoreDirectoryMayVanishWhileTheBrokerRuns(t *testing.T) {
	t.Parallel()
	var got seen
	dir := t.TempDir()
	b := newBroker(t, Config{Dir: dir})
	task := b.Consume(Consumer{Name: "checks", Kinds: []postil.EventKind{postil.CommentSubmitted}, Handle: got.handle})
	start(t, b)
	run(t, task)
	publish(t, b, event(1, postil.CommentSubmitted, "p"))
	if err := os.Rename(filepath.Join(dir, "jetstream"), filepath.Join(t.TempDir(), "gone")); err != nil {
		t.Fatal(err)
	}
	id := 1
	eventually(t, "twenty more events are published and handled", func() bool {
		n, _ := b.Publish(t.Context(), []postil.Event{event(id+1, postil.CommentSubmitted, "p")})
		id += n
		return id > 20 && len(got.all()) >= 20
	})
}
