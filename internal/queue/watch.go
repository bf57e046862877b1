package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/postil/postil/internal/postil"
)

// watchAhead is how many events may be on their way to a watcher.
const watchAhead = 256

// errGap says that a watcher missed events.
var errGap = errors.New("events are missing")

// Watch returns a task that calls handle with every event of the kinds that is
// published while it runs, on every node, in order per stream. Nothing is
// repeated and nothing is kept for it: when events may have been missed, and
// once at the beginning of the watch, it calls gap, after which handle sees
// everything that happens from then on. Whoever keeps a cache by it drops the
// cache in gap.
//
// The two functions are called one at a time and must be quick and must not
// panic. Submissions cannot be watched: their stream is a work queue.
func (b *Broker) Watch(kinds []postil.EventKind, handle func(postil.Event), gap func()) Task {
	return func(ctx context.Context) error {
		if err := watchable(kinds); err != nil {
			return err
		}
		w := &watcher{handle: handle, gap: gap}
		var readers sync.WaitGroup
		for _, p := range watchParts(kinds) {
			readers.Go(func() {
				b.follow(ctx, p, func(msgs jetstream.MessagesContext, s *session) error { return w.read(ctx, s, msgs) })
			})
		}
		readers.Wait()
		return nil
	}
}

func watchable(kinds []postil.EventKind) error {
	if len(kinds) == 0 {
		return errors.New("queue: a watch needs kinds of events")
	}
	for _, k := range kinds {
		if s := streamOf(k); s != nil && s.retain == jetstream.WorkQueuePolicy {
			return fmt.Errorf("queue: events of kind %q cannot be watched, their stream is a work queue", k)
		}
	}
	return known(kinds)
}

// watchParts are nameless consumers in memory that begin with the next event
// and vanish a minute after the last request.
func watchParts(kinds []postil.EventKind) []part {
	parts := split(kinds)
	for i := range parts {
		cfg := &parts[i].config
		cfg.AckPolicy = jetstream.AckNonePolicy
		cfg.DeliverPolicy = jetstream.DeliverNewPolicy
		cfg.MemoryStorage = true
		cfg.Replicas = 1
		cfg.InactiveThreshold = time.Minute
	}
	return parts
}

// watcher is one watch, over several streams perhaps.
type watcher struct {
	mu     sync.Mutex
	handle func(postil.Event)
	gap    func()
}

// read passes events on as long as none is missing. The caller comes back
// with a new consumer after anything else, which begins with a gap.
func (w *watcher) read(ctx context.Context, s *session, msgs jetstream.MessagesContext) error {
	w.mu.Lock()
	w.gap()
	w.mu.Unlock()
	for seq := uint64(1); ; seq++ {
		msg, err := next(ctx, s, msgs)
		if err != nil || msg == nil {
			return err
		}
		m, err := msg.Metadata()
		if err != nil || m.Sequence.Consumer != seq {
			return errors.Join(errGap, err)
		}
		e, err := decode(msg.Data())
		if err != nil {
			return errors.Join(errGap, err)
		}
		w.mu.Lock()
		w.handle(e)
		w.mu.Unlock()
	}
}
