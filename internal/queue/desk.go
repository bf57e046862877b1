package queue

import (
	"context"
	"fmt"
	"hash/fnv"
	"runtime/debug"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/postil/postil/internal/postil"
)

// aheadPerWorker is how many events wait in this process for each worker, so
// that none is idle while the next event is fetched.
const aheadPerWorker = 4

// desk is where the events of one consumer lie in this process, from delivery
// to answer: one pile per worker, and all events of a thread on the same pile,
// which keeps their order.
type desk struct {
	b     *Broker
	c     Consumer
	piles []chan *item
	room  chan struct{} // one token per event on the desk

	mu   sync.Mutex
	held map[string]*item // all of them, by delivery key; they need signs of life
	done []*item          // handled, and not yet acknowledged; they are held, too
}

// ackPause is how long acknowledgements are gathered. A stream whose only
// message is acknowledged begins a new file, and one file for each comment
// makes every commit of the store slow, which shares its disk. What was not yet
// acknowledged when a process is killed is handled again.
const ackPause = 100 * time.Millisecond

// item is one delivered message.
type item struct {
	key   string
	event postil.Event
	wrong error // why it is not an event

	mu  sync.Mutex
	msg jetstream.Msg // the latest delivery
}

func newDesk(b *Broker, c Consumer) *desk {
	d := &desk{b: b, c: c, held: map[string]*item{}}
	ahead := aheadPerWorker * c.Parallel
	d.room = make(chan struct{}, ahead)
	for range c.Parallel {
		d.piles = append(d.piles, make(chan *item, ahead)) // room for all, so read never blocks on one pile
	}
	return d
}

// read puts messages on the desk while there is room for them.
func (d *desk) read(ctx context.Context, s *session, msgs jetstream.MessagesContext) error {
	for {
		select {
		case d.room <- struct{}{}:
		case <-s.ctx.Done():
			return nil
		case <-ctx.Done():
			return nil
		}
		msg, err := next(ctx, s, msgs)
		if err != nil || msg == nil {
			<-d.room
			return err
		}
		d.put(msg)
	}
}

// put lays a message on the pile of its thread. What lies here already came
// again because signs of life were lost with a connection; it is not handled
// twice, and the later delivery is the one to answer.
func (d *desk) put(msg jetstream.Msg) {
	it := &item{msg: msg, key: deliveryKey(msg)}
	it.event, it.wrong = decode(msg.Data())
	d.mu.Lock()
	if known := d.held[it.key]; known != nil {
		d.mu.Unlock()
		known.renew(msg)
		<-d.room
		return
	}
	d.held[it.key] = it
	d.mu.Unlock()
	d.piles[d.pileOf(it.event)] <- it
}

func (d *desk) pileOf(e postil.Event) int {
	h := fnv.New32a()
	if d.c.PerComment {
		_, _ = fmt.Fprint(h, e.Comment)
	} else {
		_, _ = fmt.Fprintf(h, "%s/%s", e.Site, e.Post)
	}
	return int(h.Sum32() % uint32(len(d.piles)))
}

// deliveryKey is the same for two deliveries of one message. The id is part
// of it because a broker that was emptied counts from one again.
func deliveryKey(msg jetstream.Msg) string {
	id := msg.Headers().Get(jetstream.MsgIDHeader)
	if m, err := msg.Metadata(); err == nil {
		return fmt.Sprint(m.Stream, m.Sequence.Stream, id)
	}
	return id + msg.Reply()
}

// work handles one pile after the other event; once ctx has ended it gives
// them back.
func (d *desk) work(ctx context.Context, pile <-chan *item) {
	for it := range pile {
		switch {
		case ctx.Err() != nil:
			d.answer(it, jetstream.Msg.Nak)
			d.forget(it)
		case d.handle(ctx, it):
			d.acknowledgeSoon(it)
		default:
			d.forget(it)
		}
		<-d.room
	}
}

func (d *desk) forget(items ...*item) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, it := range items {
		delete(d.held, it.key)
	}
}

func (d *desk) acknowledgeSoon(it *item) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done = append(d.done, it)
	if len(d.done) == 1 {
		time.AfterFunc(ackPause, d.acknowledge)
	}
}

// acknowledge tells the broker of everything that was handled.
func (d *desk) acknowledge() {
	d.mu.Lock()
	done := d.done
	d.done = nil
	d.mu.Unlock()
	for _, it := range done {
		d.answer(it, jetstream.Msg.Ack)
	}
	d.forget(done...)
}

// handle does the work and reports whether it succeeded. Of anything else it
// tells the broker at once.
func (d *desk) handle(ctx context.Context, it *item) bool {
	tries := it.tries()
	err := it.wrong
	if err == nil && tries > d.c.MaxTries {
		err = fmt.Errorf("delivered %d times and never answered", tries-1) // it ends the process, perhaps
	} else if err == nil {
		err = safely(ctx, d.c.Handle, it.event)
	}
	switch {
	case err == nil:
		return true
	case it.wrong == nil && ctx.Err() != nil:
		d.answer(it, jetstream.Msg.Nak)
	case it.wrong == nil && tries < d.c.MaxTries:
		d.b.lg.Debug("event will be tried again", "consumer", d.c.Name, "event", it.event.ID, "tries", tries, "error", err)
		d.answer(it, func(m jetstream.Msg) error { return m.NakWithDelay(d.c.wait(tries)) })
	default:
		d.bury(it, err, tries)
	}
	return false
}

// bury makes a dead letter of it. While that cannot be stored, the message
// stays where it is.
func (d *desk) bury(it *item, why error, tries int) {
	if err := d.b.bury(d.c.Name, it.latest(), why, tries); err != nil {
		d.answer(it, func(m jetstream.Msg) error { return m.NakWithDelay(d.c.wait(tries)) })
		return
	}
	d.b.lg.Error("event given up, see the dead letters", "consumer", d.c.Name, "event", it.event.ID, "kind", it.event.Kind, "tries", tries, "error", why)
	d.answer(it, func(m jetstream.Msg) error { return m.TermWithReason("dead letter") })
}

// answer replies to the broker. A reply that is lost costs one more delivery.
func (d *desk) answer(it *item, reply func(jetstream.Msg) error) {
	if err := reply(it.latest()); err != nil {
		d.b.lg.Debug("answer to the queue was lost", "consumer", d.c.Name, "error", err)
	}
}

// keepAlive gives signs of life for everything on the desk, also for what
// waits for a slow event before it.
func (d *desk) keepAlive(ctx context.Context) {
	tick := time.NewTicker(d.c.AckWait / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		d.mu.Lock()
		items := make([]*item, 0, len(d.held))
		for _, it := range d.held {
			items = append(items, it)
		}
		d.mu.Unlock()
		for _, it := range items {
			_ = it.latest().InProgress() // an answered one says so, and that is fine
		}
	}
}

func (it *item) latest() jetstream.Msg {
	it.mu.Lock()
	defer it.mu.Unlock()
	return it.msg
}

func (it *item) renew(msg jetstream.Msg) {
	it.mu.Lock()
	defer it.mu.Unlock()
	it.msg = msg
}

// tries is how often the message was delivered, this time included.
func (it *item) tries() int {
	m, err := it.latest().Metadata()
	if err != nil {
		return 1
	}
	return int(m.NumDelivered)
}

// safely turns a panic into an error with the place where it happened.
func safely(ctx context.Context, handle func(context.Context, postil.Event) error, e postil.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return handle(ctx, e)
}
