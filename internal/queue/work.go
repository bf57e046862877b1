package queue

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	pullFor   = 30 * time.Second // how long one request for the next event stands
	heartbeat = 2 * time.Second  // the broker says that it is still there; two missing ones are a failure
)

// work runs c until ctx ends: one reader per stream feeds the workers.
func (b *Broker) work(ctx context.Context, c Consumer) error {
	d := newDesk(b, c)
	var readers sync.WaitGroup
	for _, p := range c.parts() {
		readers.Go(func() {
			b.follow(ctx, p, func(msgs jetstream.MessagesContext, s *session) error { return d.read(ctx, s, msgs) })
		})
	}
	var workers sync.WaitGroup
	for _, pile := range d.piles {
		workers.Go(func() { d.work(ctx, pile) })
	}
	keeping, stopKeeping := context.WithCancel(context.Background())
	var keeper sync.WaitGroup
	keeper.Go(func() { d.keepAlive(keeping) })

	readers.Wait()
	for _, pile := range d.piles {
		close(pile)
	}
	workers.Wait()
	d.acknowledge()
	stopKeeping()
	keeper.Wait()
	return nil
}

// follow calls read with the messages of p, again in each session and after
// each failure, until ctx ends.
func (b *Broker) follow(ctx context.Context, p part, read func(jetstream.MessagesContext, *session) error) {
	for ctx.Err() == nil {
		s, err := b.await(ctx)
		if err != nil {
			return
		}
		if err := b.subscribe(ctx, s, p, read); err != nil && ctx.Err() == nil {
			b.lg.Debug("queue reader starts again", "stream", p.stream, "error", err)
			rest(ctx, pause)
		}
	}
}

// subscribe makes the consumer of p, which may be gone with a broker that was
// emptied, and reads from it.
func (b *Broker) subscribe(ctx context.Context, s *session, p part, read func(jetstream.MessagesContext, *session) error) error {
	making, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)() // the answer would not find its way back
	consumer, err := s.js.CreateOrUpdateConsumer(making, p.stream, p.config)
	if err != nil {
		if ctx.Err() == nil {
			b.doubt(s, err)
		}
		return err
	}
	batch := jetstream.PullMaxMessages(watchAhead)
	if p.config.Durable != "" {
		// What waits in the client's buffer gives no sign of life, may be
		// delivered again, and is missing on an idle node: so no more than
		// what the workers can take next. One at a time would be best, but
		// under load the client then forgets to ask for the next message, and
		// everything stands still until the heartbeat is missed.
		batch = jetstream.PullMaxMessages(p.ahead)
	}
	msgs, err := consumer.Messages(batch, jetstream.PullExpiry(pullFor), jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return err
	}
	defer giveBack(s, msgs)
	return read(msgs, s)
}

// giveBack ends a subscription and returns what had come in already.
func giveBack(s *session, msgs jetstream.MessagesContext) {
	if s.ctx.Err() != nil {
		msgs.Stop() // nobody is there to give it back to
		return
	}
	msgs.Drain()
	for {
		msg, err := msgs.Next(jetstream.NextMaxWait(time.Second))
		if err != nil {
			return
		}
		_ = msg.Nak() // lost: it comes again after AckWait
	}
}

// next waits for a message until ctx or the session ends.
func next(ctx context.Context, s *session, msgs jetstream.MessagesContext) (jetstream.Msg, error) {
	both, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	msg, err := msgs.Next(jetstream.NextContext(both))
	if err != nil && errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return nil, nil // the session is over, which is no failure of this subscription
	}
	return msg, err
}
