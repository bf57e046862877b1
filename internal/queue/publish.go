package queue

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/postil/postil/internal/postil"
)

// window is how many events are on their way to the broker at a time. The
// client stalls at twice as many, so a stall means that acknowledgements of an
// earlier batch are overdue; it counts as a refusal.
const window = 128

// thread is what events are kept in order by.
type thread struct {
	site postil.SiteID
	post postil.PostID
}

// wave is what is on its way. Two events of one thread are never on their way
// together, so that an event that was refused is not overtaken by a younger
// one of its thread.
type wave struct {
	acks    []jetstream.PubAckFuture
	threads map[thread]bool
}

// Publish hands events to the broker in their order and waits for its
// acknowledgements. It returns how many, counted from the front, the broker
// has; the error says why it does not have the others, which may be published
// again as they are: what arrives twice is recognised by its id. It takes 5
// seconds at the most and fails at once while there is no broker.
func (b *Broker) Publish(ctx context.Context, events []postil.Event) (done int, err error) {
	b.publishing.Lock()
	defer b.publishing.Unlock()
	s, err := b.current()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	done, err = b.publish(ctx, s, events)
	if errors.Is(err, jetstream.ErrNoStreamResponse) {
		b.doubt(s, err)
	}
	if err != nil {
		err = postil.Busy("queue-refuses", "The queue did not take an event. It stays in the store and is announced later.", time.Second, err)
	}
	return done, err
}

func (b *Broker) publish(ctx context.Context, s *session, events []postil.Event) (done int, err error) {
	w := wave{threads: map[thread]bool{}}
	for _, e := range events {
		t := thread{e.Site, e.Post}
		if len(w.acks) == window || w.threads[t] {
			n, err := w.settle(ctx, s)
			if done += n; err != nil {
				return done, err
			}
		}
		ack, err := b.send(s, e)
		if err != nil {
			n, before := w.settle(ctx, s)
			return done + n, errors.Join(before, err)
		}
		w.acks, w.threads[t] = append(w.acks, ack), true
	}
	n, err := w.settle(ctx, s)
	return done + n, err
}

// settle waits for the acknowledgements in order, counts them up to the first
// that is refused, and empties the wave.
func (w *wave) settle(ctx context.Context, s *session) (done int, err error) {
	for _, ack := range w.acks {
		select {
		case <-ack.Ok():
			done++
			continue
		case err = <-ack.Err():
		case <-s.ctx.Done():
			err = nats.ErrDisconnected
		case <-ctx.Done():
			err = ctx.Err()
		}
		return done, err
	}
	w.acks = w.acks[:0]
	clear(w.threads)
	return done, nil
}

// send puts one event on its way. A kind that has no stream is a mistake in
// the code; the event goes to the dead letters, because it would hold up every
// later one for ever.
func (b *Broker) send(s *session, e postil.Event) (jetstream.PubAckFuture, error) {
	data, err := encode(e)
	if err != nil {
		return nil, err
	}
	msg := &nats.Msg{Subject: subjectOf(e), Data: data, Header: nats.Header{}}
	if streamOf(e.Kind) == nil {
		msg = deadLetter("publish", msg, "no stream takes events of this kind", 1)
	}
	// No retry by the client: it would come after younger events.
	return s.js.PublishMsgAsync(msg, jetstream.WithMsgID(b.idOf(e)), jetstream.WithRetryAttempts(0))
}

// idOf is by what the broker recognises an event that it has.
func (b *Broker) idOf(e postil.Event) string {
	return b.cfg.InstallID + "-" + strconv.FormatInt(int64(e.ID), 10)
}
