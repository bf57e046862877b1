// Package outbox brings committed events to the broker: each at least once,
// and in the order of their transactions. The events lie in the store, in rows
// that were written together with the change that they announce.
//
// It knows neither SQL nor NATS, and it decides nothing: what is pending is
// the store's word, what has arrived is the broker's.
//
// The rule a newcomer would break: nothing is skipped. An event that cannot be
// published holds up the later ones until it can be, because they may be about
// the same comment. And nothing waits for the relay: a request has succeeded
// when its transaction has.
package outbox

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/sethvargo/go-retry"

	"github.com/postil/postil/internal/postil"
)

// Source is where events wait.
type Source interface {
	// PendingEvents returns up to limit events with an id above after that are
	// not marked as published, by rising id.
	PendingEvents(ctx context.Context, after postil.EventID, limit int) ([]postil.Event, error)

	// MarkPublished notes that these events need not be published again.
	MarkPublished(ctx context.Context, ids []postil.EventID) error
}

// Publisher is where they go. Publish returns how many events, counted from
// the front, have arrived; an event that arrives twice does no harm.
type Publisher interface {
	Publish(ctx context.Context, events []postil.Event) (done int, err error)
}

// Options tune a relay; the zero value is right for production.
type Options struct {
	Batch   int           // events read and published at a time; 0 means 256
	Every   time.Duration // how often it looks without being woken; 0 means 1 s
	Backoff time.Duration // the first pause after a failure, doubled up to 2 s; 0 means 50 ms
	Drain   time.Duration // how long it goes on after the end; 0 means 1 s
}

const (
	longestBackoff = 2 * time.Second

	// Marks are gathered for a moment: each marking is a write to the store,
	// and those belong to the comments. What is lost in that moment is
	// published again, and recognised.
	gather = 100 * time.Millisecond
)

var errShort = errors.New("the publisher took a part and did not say why")

// Relay publishes what is pending.
type Relay struct {
	lg     *slog.Logger
	source Source
	to     Publisher
	opt    Options

	wake chan struct{}
	done *ledger // published, and not yet marked

	after   postil.EventID // everything up to here was published or is in done
	failing bool           // the last attempt failed, which was logged
}

// NewRelay returns a relay that does nothing until Run is called.
func NewRelay(lg *slog.Logger, source Source, to Publisher, opt Options) *Relay {
	if opt.Batch <= 0 {
		opt.Batch = 256
	}
	if opt.Every <= 0 {
		opt.Every = time.Second
	}
	if opt.Backoff <= 0 {
		opt.Backoff = 50 * time.Millisecond
	}
	if opt.Drain <= 0 {
		opt.Drain = time.Second
	}
	return &Relay{lg: lg, source: source, to: to, opt: opt, wake: make(chan struct{}, 1), done: newLedger()}
}

// Wake tells the relay that a transaction with events was committed. It never
// blocks, and a wake-up that gets lost costs a second.
func (r *Relay) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Run publishes until ctx ends, then once more what is pending by then, and
// returns nil. Call it once.
func (r *Relay) Run(ctx context.Context) error {
	var marker sync.WaitGroup
	marker.Go(func() { r.mark(ctx) })
	r.relay(ctx)
	marker.Wait()

	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.opt.Drain)
	defer cancel()
	r.report(r.sweep(last))
	if err := r.done.settle(last, r.source); err != nil {
		r.lg.Warn("published events could not be marked and will be published again", "error", err)
	}
	return nil
}

// relay publishes after each wake-up and each tick.
func (r *Relay) relay(ctx context.Context) {
	tick := time.NewTicker(r.opt.Every)
	defer tick.Stop()
	pauses := r.pauses()
	for {
		err := r.publish(ctx)
		if ctx.Err() != nil {
			return
		}
		r.report(err)
		if err != nil {
			// Wake-ups wait too: a busy site must not hammer a broker that is down.
			pause, _ := pauses.Next()
			if rest(ctx, pause); ctx.Err() != nil {
				return
			}
			continue
		}
		pauses = r.pauses()
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
		case <-tick.C:
			r.after = 0
		}
	}
}

func (r *Relay) pauses() retry.Backoff {
	return retry.WithCappedDuration(longestBackoff, retry.NewExponential(r.opt.Backoff))
}

// sweep publishes from the very beginning. A store with several writers may
// commit an event after one with a higher id; the memory of where we were
// would step over it.
func (r *Relay) sweep(ctx context.Context) error {
	r.after = 0
	return r.publish(ctx)
}

// publish publishes what is pending, batch by batch, up to the first failure.
// It goes on from memory and does not wait for the marks.
func (r *Relay) publish(ctx context.Context) error {
	for {
		published := r.done.ids() // before the question, so that none of these is in the answer and not here
		pending, err := r.source.PendingEvents(ctx, r.after, r.opt.Batch)
		if err != nil || len(pending) == 0 {
			return err
		}
		if err := r.hand(ctx, without(pending, published)); err != nil {
			return err
		}
		r.after = pending[len(pending)-1].ID
		if len(pending) < r.opt.Batch {
			return nil // whoever adds one now wakes us
		}
	}
}

// hand publishes one batch. What arrived before a failure is kept in mind.
func (r *Relay) hand(ctx context.Context, events []postil.Event) error {
	if len(events) == 0 {
		return nil
	}
	n, err := r.to.Publish(ctx, events)
	if n < len(events) && err == nil {
		err = errShort
	}
	r.done.add(events[:n])
	if n > 0 && err != nil {
		r.after = events[n-1].ID
	}
	return err
}

// without returns the events whose id is not in ids, in their order.
func without(events []postil.Event, ids map[postil.EventID]bool) []postil.Event {
	if len(ids) == 0 {
		return events
	}
	var rest []postil.Event
	for _, e := range events {
		if !ids[e.ID] {
			rest = append(rest, e)
		}
	}
	return rest
}

// mark marks what was published, in its own time.
func (r *Relay) mark(ctx context.Context) {
	pauses := r.pauses()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.done.news:
		}
		for rest(ctx, gather); ctx.Err() == nil; {
			err := r.done.settle(ctx, r.source)
			if err == nil {
				pauses = r.pauses()
				break
			}
			r.lg.Debug("published events could not be marked yet", "error", err)
			pause, _ := pauses.Next()
			rest(ctx, pause)
		}
	}
}

// report logs the first failure of a row, and its end.
func (r *Relay) report(err error) {
	if failing := err != nil; failing != r.failing {
		r.failing = failing
		if failing {
			r.lg.Warn("events wait in the outbox", "error", err)
		} else {
			r.lg.Info("events flow again")
		}
	}
}

// rest waits for d or the end of ctx.
func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
