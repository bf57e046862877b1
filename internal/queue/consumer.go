package queue

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/postil/postil/internal/postil"
)

// Consumer says who handles which events, and how patiently. All nodes that
// run a consumer of one name share its events.
type Consumer struct {
	Name     string             // a–z, 0–9 and "-"; the broker remembers by it what is done
	Kinds    []postil.EventKind // each kind has one stream; events of submissions go to one consumer only
	Parallel int                // events handled at a time on this node, each of another thread; 0 means 1

	// PerComment lets events of one thread be handled at the same time; only
	// those of one comment keep their order.
	PerComment bool

	// AckWait is how long the broker waits for a sign of life before it gives
	// an event to another node. It is no limit for Handle, which may take as
	// long as it needs: the sign is given every third of it. It is also how long
	// what a killed process had in hand waits for the next. 0 means 5 s.
	AckWait time.Duration

	// Backoff is the pause after the first, second, … failure; the last one is
	// used for all further ones. Empty means 1 s, 5 s, 30 s.
	Backoff []time.Duration

	// MaxTries is how often an event is delivered before it becomes a dead
	// letter; deliveries that a stopping process cut short count. 0 means 5.
	MaxTries int

	// Handle does the work. It may see an event again, and after a failure an
	// event may come after younger ones of its thread, so it reads the store
	// to learn what is true now. It sets its own time limits. Its context ends
	// with Run. A panic counts as an error.
	Handle func(ctx context.Context, e postil.Event) error
}

// Task is something to run in the background.
type Task func(ctx context.Context) error

// Run works until ctx ends and then returns nil, or returns at once when what
// it was made from is wrong.
func (t Task) Run(ctx context.Context) error { return t(ctx) }

// Consume declares c and returns the task that works on its events. Declare
// before Start: events are kept for declared consumers, whether or not their
// task runs on this node. The task outlives the broker: it waits while there
// is none, and goes on with the next. Events that wait in this process when
// ctx ends are given back.
func (b *Broker) Consume(c Consumer) Task {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return func(context.Context) error { return err }
	}
	if err := b.declare(c); err != nil {
		return func(context.Context) error { return err }
	}
	return func(ctx context.Context) error { return b.work(ctx, c) }
}

// declare adds c unless another one stands in its way.
func (b *Broker) declare(c Consumer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, other := range b.consumers {
		if other.Name == c.Name {
			return fmt.Errorf("queue: consumer %q is declared twice", c.Name)
		}
		for _, k := range c.Kinds {
			if streamOf(k).retain == jetstream.WorkQueuePolicy && slices.Contains(other.Kinds, k) {
				return fmt.Errorf("queue: consumers %q and %q both want %q, which goes to one only", other.Name, c.Name, k)
			}
		}
	}
	b.consumers = append(b.consumers, c)
	return nil
}

// declared returns the consumers so far.
func (b *Broker) declared() []Consumer {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.consumers)
}

func (c Consumer) withDefaults() Consumer {
	c.Parallel = max(c.Parallel, 1)
	if c.AckWait <= 0 {
		c.AckWait = 5 * time.Second
	}
	if len(c.Backoff) == 0 {
		c.Backoff = []time.Duration{time.Second, 5 * time.Second, 30 * time.Second}
	}
	if c.MaxTries <= 0 {
		c.MaxTries = 5
	}
	return c
}

var consumerName = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

func (c Consumer) check() error {
	if !consumerName.MatchString(c.Name) || len(c.Kinds) == 0 || c.Handle == nil {
		return fmt.Errorf("queue: consumer %q needs a name of a–z, 0–9 and “-”, kinds of events and a handler", c.Name)
	}
	return known(c.Kinds)
}

func known(kinds []postil.EventKind) error {
	for _, k := range kinds {
		if streamOf(k) == nil {
			return fmt.Errorf("queue: no stream takes events of kind %q", k)
		}
	}
	return nil
}

// wait is the pause after the given number of deliveries.
func (c Consumer) wait(tries int) time.Duration {
	return c.Backoff[min(max(tries, 1), len(c.Backoff))-1]
}

// part is the share of a consumer or watcher in one stream.
type part struct {
	stream string
	config jetstream.ConsumerConfig
	ahead  int // messages that are asked for at a time
}

// maxOpen is how many events of one consumer may be delivered and not yet
// done, over all nodes. Those that pause after a failure count, so it is large.
const maxOpen = 4096

// parts returns what the broker must know of c, one per stream.
//
// There is no BackOff in it: the broker would take its steps for AckWait,
// silently, and deliver again what is still being worked on. Nor is there a
// limit of deliveries: past it a message stays in the stream and nobody ever
// gets it. Both are done in the worker.
func (c Consumer) parts() []part {
	parts := split(c.Kinds)
	for i := range parts {
		cfg := &parts[i].config
		parts[i].ahead = 1
		if c.Parallel > 1 {
			parts[i].ahead = aheadPerWorker * c.Parallel
		}
		cfg.Durable = c.Name
		cfg.AckPolicy = jetstream.AckExplicitPolicy
		cfg.AckWait = c.AckWait
		cfg.MaxDeliver = -1
		cfg.MaxAckPending = maxOpen
		cfg.InactiveThreshold = keepEvents // a name that nobody uses any more must not hold events for ever
	}
	return parts
}

// split groups kinds by stream.
func split(kinds []postil.EventKind) []part {
	var parts []part
	for _, s := range streams {
		var subjects []string
		for _, k := range s.kinds {
			if slices.Contains(kinds, k) {
				subjects = append(subjects, subjectsOf(k))
			}
		}
		if len(subjects) > 0 {
			parts = append(parts, part{stream: s.name, config: jetstream.ConsumerConfig{FilterSubjects: subjects}})
		}
	}
	return parts
}
