// Package outbox carries committed events from the store to the broker: at
// least once, in the order of their transactions.
//
// It knows neither SQL nor the broker. A commit wakes it, so no timer stands
// on the way of an event; a ticker makes certain that none is forgotten.
//
// The rule a newcomer would break: an event is marked only after the broker
// has it, and a later one is never published while an earlier one failed.
package outbox

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Source holds the committed events.
type Source interface {
	// PendingEvents returns unpublished events after the given one, in order.
	PendingEvents(ctx context.Context, after postil.EventID, limit int) ([]postil.Event, error)
	// MarkPublished records that the broker has the events. Marking again does
	// no harm.
	MarkPublished(ctx context.Context, ids []postil.EventID) error
}

// Publisher takes events in order and returns how many from the front it has.
// It recognises an event that it was given before.
type Publisher interface {
	Publish(ctx context.Context, events []postil.Event) (done int, err error)
}

// Options are the measures of a relay. What is zero takes the value named.
type Options struct {
	Batch  int              // events at a time; 256
	Sweep  time.Duration    // how often to look without being woken; 1 s
	Pauses [2]time.Duration // first and longest pause after a failure; 50 ms, 2 s
}

// Relay publishes what the outbox holds.
type Relay struct {
	lg        *slog.Logger
	source    Source
	publisher Publisher
	o         Options
	woken     chan struct{}
	published chan []postil.EventID // at the broker, to be marked

	cursor postil.EventID // everything up to here is at the broker
}

// NewRelay returns a relay that does nothing before Run.
func NewRelay(lg *slog.Logger, source Source, publisher Publisher, o Options) *Relay {
	if o.Batch == 0 {
		o.Batch = 256
	}
	if o.Sweep == 0 {
		o.Sweep = time.Second
	}
	if o.Pauses == [2]time.Duration{} {
		o.Pauses = [2]time.Duration{50 * time.Millisecond, 2 * time.Second}
	}
	return &Relay{lg: lg, source: source, publisher: publisher, o: o, woken: make(chan struct{}, 1), published: make(chan []postil.EventID, 64)}
}

// Wake says that there may be something to publish. It never waits.
func (r *Relay) Wake() {
	select {
	case r.woken <- struct{}{}:
	default:
	}
}

// lastDrain bounds what is still published when the process stops; the rest
// stays in the outbox.
const lastDrain = time.Second

// Run publishes until ctx ends, and then once more what was committed by then.
func (r *Relay) Run(ctx context.Context) error {
	var marking sync.WaitGroup
	marking.Go(func() { r.mark(context.WithoutCancel(ctx)) })
	defer marking.Wait()
	defer close(r.published)
	sweep := time.NewTicker(r.o.Sweep)
	defer sweep.Stop()
	for pause := time.Duration(0); ctx.Err() == nil; {
		pause = r.after(r.drain(ctx), pause)
		r.rest(ctx, sweep.C, pause)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastDrain)
	defer cancel()
	_ = r.drain(last) // what is left is published after the next start
	return nil
}

// after says how long to pause, and tells of the first failure in a row.
func (r *Relay) after(err error, pause time.Duration) time.Duration {
	switch {
	case err == nil:
		return 0
	case pause == 0:
		r.lg.Warn("the broker does not take events; they wait in the outbox", "err", err)
		return r.o.Pauses[0]
	}
	return min(2*pause, r.o.Pauses[1])
}

// rest waits for the next reason to look, or after a failure for the end of
// the pause.
func (r *Relay) rest(ctx context.Context, sweep <-chan time.Time, pause time.Duration) {
	if pause > 0 {
		t := time.NewTimer(pause)
		defer t.Stop()
		select {
		case <-ctx.Done():
		case <-t.C:
		}
		return
	}
	select {
	case <-ctx.Done():
	case <-r.woken:
	case <-sweep:
		r.cursor = 0 // also what could not be marked
	}
}

// drain publishes everything that is pending.
func (r *Relay) drain(ctx context.Context) error {
	for {
		events, err := r.source.PendingEvents(ctx, r.cursor, r.o.Batch)
		if err != nil || len(events) == 0 {
			return err
		}
		done, err := r.publisher.Publish(ctx, events)
		if done > 0 {
			r.cursor = events[done-1].ID
			r.published <- idsOf(events[:done])
		}
		if err != nil {
			return err
		}
	}
}

func idsOf(events []postil.Event) []postil.EventID {
	ids := make([]postil.EventID, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	return ids
}

// mark records what the broker has, beside the publishing so that no event
// waits for the record of an earlier one. When it fails, the events are
// published again later and recognised.
func (r *Relay) mark(ctx context.Context) {
	for ids := range r.published {
		for more := true; more; {
			select {
			case next, open := <-r.published:
				ids, more = append(ids, next...), open
			default:
				more = false
			}
		}
		if err := r.source.MarkPublished(ctx, ids); err != nil {
			r.lg.Warn("published events could not be marked; they will be published again", "err", err)
		}
	}
}
