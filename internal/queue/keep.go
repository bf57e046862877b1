package queue

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	checkEvery = 2 * time.Second        // how soon trouble is seen that nobody reported
	pause      = 100 * time.Millisecond // between two attempts to put the streams right
	reopenWait = 2 * time.Second        // between two attempts to open a broker that could not be opened
)

// errBroken says that a link cannot be mended, only replaced.
var errBroken = errors.New("the broker does not serve any more")

// keep sees to it, until ctx ends, that there is a session whenever the broker
// is there. first is an open link, or nil to open one.
func (b *Broker) keep(ctx context.Context, first *link, stopped chan<- struct{}) {
	defer close(stopped)
	for l := first; ; l = nil {
		if l == nil {
			l = b.reopen(ctx)
		}
		if l == nil {
			return
		}
		err := b.tend(ctx, l)
		b.lose(err)
		l.close()
	}
}

// reopen opens a link, however long it takes; nil when ctx ends first.
func (b *Broker) reopen(ctx context.Context) *link {
	for ctx.Err() == nil {
		l, err := b.open(ctx)
		if err == nil {
			return l
		}
		b.complain("queue cannot be opened", err)
		rest(ctx, reopenWait)
	}
	return nil
}

// open opens a link of the configured kind.
func (b *Broker) open(ctx context.Context) (*link, error) {
	if b.cfg.URL == "" {
		return b.openEmbedded(ctx)
	}
	return b.openOutside(ctx)
}

// tend starts a session on l whenever there is none, and returns when ctx
// ends or l is broken.
func (b *Broker) tend(ctx context.Context, l *link) error {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		if !l.sound() {
			return errBroken
		}
		if b.Status() != nil {
			err := b.attempt(ctx, l)
			if err != nil && l.server != nil {
				return err // our own server has no excuse
			}
			rest(ctx, pause)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-b.nudge:
		case <-tick.C:
		}
	}
}

// attempt begins a session on l if it is connected. The loss of the connection
// ends the attempt, because the answers would not find their way back.
func (b *Broker) attempt(ctx context.Context, l *link) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b.mu.Lock()
	b.giveUp = cancel
	b.mu.Unlock()
	if !l.conn.IsConnected() {
		return nil // it reports when it is
	}
	if err := b.ensure(ctx, l.js); err != nil {
		b.complain("queue streams cannot be made", err)
		return err
	}
	b.begin(l.js)
	return nil
}

// complain keeps err as the cause and logs it, once for as long as it stays
// the same.
func (b *Broker) complain(what string, err error) {
	before := b.Status()
	b.lose(err)
	if now := b.Status(); before == nil || now == nil || before.Error() != now.Error() {
		b.lg.Warn(what, "error", err)
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

// newJetStream sets what every link has in common.
func (l *link) newJetStream() (err error) {
	l.js, err = jetstream.New(l.conn,
		jetstream.WithDefaultTimeout(answerWithin),
		jetstream.WithPublishAsyncMaxPending(2*window),
		jetstream.WithPublishAsyncTimeout(answerWithin))
	return err
}
