package outbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/postil/postil/internal/outbox"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/queue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rows is an outbox table in memory.
type rows struct {
	mu     sync.Mutex
	events []postil.Event
	marked map[postil.EventID]bool
}

func (r *rows) commit(e postil.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.ID = postil.EventID(len(r.events) + 1)
	r.events = append(r.events, e)
}

func (r *rows) PendingEvents(_ context.Context, after postil.EventID, limit int) ([]postil.Event, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var pending []postil.Event
	for _, e := range r.events[min(int(after), len(r.events)):] {
		if !r.marked[e.ID] && len(pending) < limit {
			pending = append(pending, e)
		}
	}
	return pending, nil
}

func (r *rows) MarkPublished(_ context.Context, ids []postil.EventID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		r.marked[id] = true
	}
	return nil
}

func (r *rows) allMarked() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.marked) == len(r.events)
}

func background(t testing.TB, run func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// MOD-04: the store accepts while the broker is away and then refuses because
// it is full. Afterwards everything is handled, in order, without a hand.
func TestMOD_04_EventsOutliveABrokerThatIsAwayAndThenFull(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	handled := map[postil.PostID][]postil.EventID{}
	total := 0
	table := &rows{marked: map[postil.EventID]bool{}}
	broker := queue.New(slog.New(slog.DiscardHandler), queue.Config{Dir: t.TempDir(), MaxStoreBytes: 64 << 10, InstallID: "here"})
	t.Cleanup(broker.Stop)
	checks := broker.Consume(queue.Consumer{Name: "checks", Kinds: []postil.EventKind{postil.CommentSubmitted}, Parallel: 2,
		Handle: func(_ context.Context, e postil.Event) error {
			mu.Lock()
			defer mu.Unlock()
			if e.Post == "" {
				return nil // a probe
			}
			handled[e.Post] = append(handled[e.Post], e.ID)
			total++
			return nil
		}})
	relay := outbox.NewRelay(slog.New(slog.DiscardHandler), table, broker, outbox.Options{})
	background(t, relay.Run)

	const events = 300
	for i := range events {
		table.commit(postil.Event{Kind: postil.CommentSubmitted, Site: "blog", Post: postil.PostID(fmt.Sprint(i % 5)), At: time.Unix(1, 0).UTC()})
		relay.Wake()
	}
	if err := broker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	probe := postil.EventID(events)
	eventually(t, "the queue is full", func() bool {
		probe++
		n, _ := broker.Publish(t.Context(), []postil.Event{{ID: probe, Kind: postil.CommentSubmitted, Site: "blog"}})
		return n == 0
	})
	background(t, checks.Run)
	eventually(t, "all are handled and marked", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return total == events && table.allMarked()
	})
	mu.Lock()
	defer mu.Unlock()
	for post, ids := range handled {
		if !slices.IsSorted(ids) {
			t.Errorf("post %s: %v", post, ids)
		}
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not happen in time: %s", what)
		}
	}
}
