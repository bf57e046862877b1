package queue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/ports"
	"github.com/postil/postil/internal/postil"
)

func TestABrokerThatIsDownAtTheStartIsUsedOnceItIsUp(t *testing.T) {
	t.Parallel()
	port := ports.Free(t)
	var got seen
	b := newBroker(t, Config{URL: fmt.Sprintf("nats://127.0.0.1:%d", port)})
	task := b.Consume(checks(got.handle))
	began := time.Now()
	start(t, b)
	if took := time.Since(began); took > time.Second {
		t.Errorf("starting took %v", took)
	}
	run(t, task)
	if _, err := b.Publish(t.Context(), []postil.Event{event(1, postil.CommentSubmitted, "p")}); postil.KindOf(err) != postil.Unavailable {
		t.Errorf("published into the void: %v", err)
	}
	outside(t, t.TempDir(), port)
	eventually(t, "the connection", func() bool { return b.Status() == nil })
	publish(t, b, event(1, postil.CommentSubmitted, "p"))
	eventually(t, "the event is handled", func() bool { return len(got.all()) == 1 })
}

func TestStoppingDoesNotWaitForABrokerThatNeverCame(t *testing.T) {
	t.Parallel()
	b := newBroker(t, Config{URL: "nats://192.0.2.1:4222"}) // an address for documentation: nobody answers
	start(t, b)
	began := time.Now()
	b.Stop()
	if took := time.Since(began); took > time.Second {
		t.Errorf("stopping took %v", took)
	}
}

func TestABrokerThatComesBackEmptyIsSetUpAgain(t *testing.T) {
	t.Parallel()
	first, port := outside(t, t.TempDir(), 0)
	var got, watched seen
	gaps := make(chan struct{}, 100)
	b := newBroker(t, Config{URL: fmt.Sprintf("nats://127.0.0.1:%d", port)})
	task := b.Consume(Consumer{Name: "live", Kinds: []postil.EventKind{postil.CommentSubmitted, postil.CommentDecided}, Handle: got.handle})
	watch := b.Watch(everything, watched.watch, func() { gaps <- struct{}{} })
	start(t, b)
	run(t, task)
	run(t, watch)
	eventually(t, "the watch has begun in each stream", func() bool { return len(gaps) == 3 })
	publish(t, b, event(1, postil.CommentSubmitted, "p"), event(2, postil.CommentDecided, "p"))
	eventually(t, "both are handled", func() bool { return len(got.all()) == 2 && len(watched.all()) == 1 })

	shut(first)
	eventually(t, "the loss is noticed", func() bool { return b.Status() != nil })
	outside(t, t.TempDir(), port)
	eventually(t, "the broker is back", func() bool { return b.Status() == nil })
	eventually(t, "the watchers know of the gap", func() bool { return len(gaps) == 6 })
	publish(t, b, event(3, postil.CommentSubmitted, "p"), event(4, postil.CommentDecided, "p"))
	eventually(t, "both are handled", func() bool { return len(got.all()) == 4 && len(watched.all()) == 2 })
}

func TestABrokerThatComesBackWithItsFilesLosesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, port := outside(t, dir, 0)
	release := make(chan struct{})
	var got seen
	b := newBroker(t, Config{URL: fmt.Sprintf("nats://127.0.0.1:%d", port)})
	c := checks(func(ctx context.Context, e postil.Event) error {
		select {
		case <-release:
		case <-ctx.Done():
			return ctx.Err()
		}
		return got.handle(ctx, e)
	})
	c.AckWait = time.Second
	task := b.Consume(c)
	start(t, b)
	run(t, task)
	eventually(t, "the connection", func() bool { return b.Status() == nil })
	for i := range 10 {
		publish(t, b, event(i+1, postil.CommentSubmitted, "p"))
	}
	shut(first)
	eventually(t, "the loss is noticed", func() bool { return b.Status() != nil })
	outside(t, dir, port)
	eventually(t, "the broker is back", func() bool { return b.Status() == nil })
	close(release)
	eventually(t, "all are done", func() bool { return messages(t, b, "SUBMISSIONS") == 0 })
	ids := map[postil.EventID]bool{}
	for _, e := range got.all() {
		ids[e.ID] = true
	}
	if len(ids) != 10 {
		t.Errorf("handled %v", got.ids())
	}
}

func TestTheDirectoryMayBeDeletedWhileStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/nats"
	for round := range 3 {
		var got seen
		b := newBroker(t, Config{Dir: dir, InstallID: "here"})
		task := b.Consume(checks(got.handle))
		start(t, b)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- task.Run(ctx) }()
		publish(t, b, event(1, postil.CommentSubmitted, "p")) // the same id: an empty broker knows nothing
		eventually(t, fmt.Sprint("round ", round), func() bool { return len(got.all()) == 1 })
		cancel()
		if err := errors.Join(<-done, func() error { b.Stop(); return os.RemoveAll(dir) }()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryNodeSeesEveryEventItWatches(t *testing.T) {
	t.Parallel()
	_, port := outside(t, t.TempDir(), 0)
	url := fmt.Sprintf("nats://127.0.0.1:%d", port)
	var nodes [2]seen
	gaps := make(chan struct{}, 100)
	var brokers []*Broker
	for i := range nodes {
		b := newBroker(t, Config{URL: url})
		watch := b.Watch([]postil.EventKind{postil.CommentDecided, postil.ThreadUpdated}, nodes[i].watch, func() { gaps <- struct{}{} })
		start(t, b)
		run(t, watch)
		brokers = append(brokers, b)
	}
	eventually(t, "both watch", func() bool { return len(gaps) == 2 })
	for i := range 300 {
		publish(t, brokers[0], event(3*i+1, postil.CommentDecided, "p"), event(3*i+2, postil.ThreadUpdated, "p"), event(3*i+3, postil.CommentUpdated, "p"))
	}
	for i := range nodes {
		eventually(t, fmt.Sprint("node ", i, " saw all"), func() bool { return len(nodes[i].all()) == 600 })
		last := 0
		for _, id := range nodes[i].ids() {
			if id <= last {
				t.Fatalf("node %d saw %d after %d", i, id, last)
			}
			last = id
		}
	}
	if len(gaps) != 2 {
		t.Errorf("%d gaps were reported", len(gaps))
	}
	eventually(t, "watching keeps nothing", func() bool { return messages(t, brokers[0], "DECISIONS") == 0 })
}

func TestAWatchReportsAGapWhenItsConsumerIsLost(t *testing.T) {
	t.Parallel()
	var got seen
	gaps := make(chan struct{}, 100)
	b := newBroker(t, Config{Dir: t.TempDir()})
	watch := b.Watch([]postil.EventKind{postil.CommentDecided}, got.watch, func() { gaps <- struct{}{} })
	start(t, b)
	run(t, watch)
	<-gaps
	rubbish(t, b, "postil.comment.decided.blog", "no event") // it cannot be told what it was about
	<-gaps
	s, err := b.current()
	if err != nil {
		t.Fatal(err)
	}
	stream, err := s.js.Stream(t.Context(), "DECISIONS")
	if err != nil {
		t.Fatal(err)
	}
	names := stream.ConsumerNames(t.Context())
	for name := range names.Name() {
		_ = stream.DeleteConsumer(t.Context(), name) // the one that broke off may be gone already
	}
	<-gaps
	publish(t, b, event(1, postil.CommentDecided, "p"))
	eventually(t, "events come again", func() bool { return len(got.all()) == 1 })
}
