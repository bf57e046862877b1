package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Counters are numbers that all nodes at a broker count together. The broker
// adds: two nodes never read a number to write it back, so none is lost and
// nobody waits for anybody. They hold no truth; with the broker's files they
// are lost, and every number is 0 again.
type Counters struct{ b *Broker }

// tallies are the streams of counters. A counter cannot say how long it is
// worth keeping, so the stream says it for all of its counters: an increment
// that is older than that is gone, and the number with it.
var tallies = []tally{
	{"TALLYHOURS", "postil.tally.h.", 2 * time.Hour},
	{"TALLYDAYS", "postil.tally.d.", 2 * 24 * time.Hour},
	{"TALLYMONTHS", "postil.tally.m.", 32 * 24 * time.Hour},
}

// tally is one stream of counters.
type tally struct {
	name, subject string
	keep          time.Duration
}

const (
	// maxCounters bounds a stream; the ones that rested longest go first. It
	// takes no part of the space that is set aside for events.
	maxCounters = 250_000
	// countWithin is the longest that a request waits to be counted. It is less
	// than answerWithin, because a reader waits behind it.
	countWithin = 2 * time.Second

	increment = "Nats-Incr"
)

// Counters declares the counters. Declare before Start.
func (b *Broker) Counters() *Counters {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counting = true
	return &Counters{b}
}

// config says what a stream of counters looks like at the broker. Of each
// counter the last message alone is kept: it holds the sum.
func (t *tally) config(cfg Config) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: t.name, Subjects: []string{t.subject + ">"}, Retention: jetstream.LimitsPolicy, Storage: jetstream.FileStorage,
		MaxBytes: -1, MaxMsgs: maxCounters, MaxMsgsPerSubject: 1, MaxAge: t.keep, Discard: jetstream.DiscardOld,
		AllowMsgCounter: true, AllowDirect: true, Replicas: cfg.Replicas,
	}
}

// ensureCounters makes the streams of counters and agreements, if they were
// declared.
func (b *Broker) ensureCounters(ctx context.Context, js jetstream.JetStream) error {
	b.mu.Lock()
	counting := b.counting
	b.mu.Unlock()
	if !counting {
		return nil
	}
	for i := range tallies {
		if err := ensureStream(ctx, js, tallies[i].config(b.cfg)); err != nil {
			return err
		}
	}
	return ensureStream(ctx, js, agreementConfig(b.cfg))
}

// tallyFor returns the stream whose counters last for keep at least.
func tallyFor(keep time.Duration) (*tally, error) {
	for i := range tallies {
		if keep <= tallies[i].keep {
			return &tallies[i], nil
		}
	}
	return nil, fmt.Errorf("queue: no counter is kept for %s", keep)
}

// Add adds to the counter of a name, which may be negative, and returns the sum.
// A counter that nobody added to for keep may be gone; it begins at 0. After an
// error nobody knows whether it was added. name is made of A–Z, a–z, 0–9, “-”,
// “_” and single “.”.
func (c *Counters) Add(ctx context.Context, name string, delta int64, keep time.Duration) (sum int64, err error) {
	t, err := tallyFor(keep)
	if err != nil {
		return 0, err
	}
	err = c.b.count(ctx, func(ctx context.Context, s *session) error {
		msg := &nats.Msg{Subject: t.subject + name, Header: nats.Header{increment: {fmt.Sprintf("%+d", delta)}}}
		ack, err := s.js.PublishMsg(ctx, msg, jetstream.WithRetryAttempts(0))
		if err != nil {
			return err
		}
		sum, err = number(ack.Value)
		return err
	})
	return sum, err
}

// Value returns the sum of a counter, 0 for one that is not there. It may be a
// few milliseconds old.
func (c *Counters) Value(ctx context.Context, name string, keep time.Duration) (sum int64, err error) {
	t, err := tallyFor(keep)
	if err != nil {
		return 0, err
	}
	err = c.b.count(ctx, func(ctx context.Context, s *session) error {
		last, err := s.last(ctx, t.name, t.subject+name)
		if last == nil || err != nil {
			return err
		}
		var v struct {
			Val string `json:"val"`
		}
		if err := json.Unmarshal(last.Data, &v); err != nil {
			return err
		}
		sum, err = number(v.Val)
		return err
	})
	return sum, err
}

// number reads a sum; one that is larger than anybody counts is the largest.
func number(text string) (int64, error) {
	n, ok := new(big.Int).SetString(text, 10)
	switch {
	case !ok:
		return 0, fmt.Errorf("queue: the broker counts %q", text)
	case !n.IsInt64():
		return int64(n.Sign()) * (1<<63 - 1), nil
	}
	return n.Int64(), nil
}

// count does one piece of work with the present session, in little time. It
// fails at once when there is no broker, and when the broker is lost meanwhile.
func (b *Broker) count(ctx context.Context, work func(context.Context, *session) error) error {
	s, err := b.current()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, countWithin)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	err = work(ctx, s)
	if errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, jetstream.ErrStreamNotFound) {
		b.doubt(s, err)
	}
	return err
}

// last returns the last message of a subject, nil when there is none.
func (s *session) last(ctx context.Context, stream, subject string) (*jetstream.RawStreamMsg, error) {
	known, ok := s.streams.Load(stream)
	if !ok {
		have, err := s.js.Stream(ctx, stream)
		if err != nil {
			return nil, err
		}
		known, _ = s.streams.LoadOrStore(stream, have)
	}
	msg, err := known.(jetstream.Stream).GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return msg, err
}

// handles are the streams that a session has looked up, by name.
type handles = sync.Map
