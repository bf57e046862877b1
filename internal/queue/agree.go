package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Agreements are small values with an end, of which the first that is said
// counts on every node: when a window began, for example.
const (
	agreementStream  = "AGREEMENTS"
	agreementSubject = "postil.agreed."
	agreePause       = 2 * time.Millisecond // for another node's value to arrive
)

// agreementConfig says what the stream looks like at the broker. It is always
// read where it is written (no AllowDirect): a copy that lags would bring back
// what is over.
func agreementConfig(cfg Config) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: agreementStream, Subjects: []string{agreementSubject + ">"}, Retention: jetstream.LimitsPolicy, Storage: jetstream.FileStorage,
		MaxBytes: -1, MaxMsgs: maxCounters, MaxMsgsPerSubject: 1, MaxAge: 32 * 24 * time.Hour, Discard: jetstream.DiscardOld,
		AllowMsgTTL: true, Replicas: cfg.Replicas,
	}
}

// Agree says value under a name for as long as keep, unless stay, which sees
// what was said before, wants that to stay; it returns what is said then. When
// several nodes say something at once, one is heard, and the others see its
// value. Without a value it only looks; nil is that there is none.
func (c *Counters) Agree(ctx context.Context, name string, value []byte, keep time.Duration, stay func(said []byte) bool) (said []byte, err error) {
	err = c.b.count(ctx, func(ctx context.Context, s *session) error {
		for range tableTries {
			last, err := s.last(ctx, agreementStream, agreementSubject+name)
			if err != nil {
				return err
			}
			if last != nil && (value == nil || stay(last.Data)) {
				said = last.Data
				return nil
			}
			if value == nil {
				return nil
			}
			switch err = say(ctx, s, name, value, keep, last); {
			case err == nil:
				said = value
				return nil
			case !otherWasFaster(err):
				return err
			}
			rest(ctx, agreePause)
		}
		return fmt.Errorf("queue: nobody agreed upon %q in %d attempts", name, tableTries)
	})
	return said, err
}

// say publishes a value in the place of last, which may be nil, and fails when
// last is not the last any more.
func say(ctx context.Context, s *session, name string, value []byte, keep time.Duration, last *jetstream.RawStreamMsg) error {
	var after uint64
	if last != nil {
		after = last.Sequence
	}
	msg := &nats.Msg{Subject: agreementSubject + name, Data: value}
	whole := (keep + time.Second - 1).Truncate(time.Second) // the broker knows no parts of a second
	_, err := s.js.PublishMsg(ctx, msg, jetstream.WithRetryAttempts(0),
		jetstream.WithExpectLastSequencePerSubject(after), jetstream.WithMsgTTL(max(whole, time.Second)))
	return err
}

// errsOfOther are the broker's numbers for a value whose predecessor is another
// one than was expected, and for one that was said while another was on its way.
var errsOfOther = []jetstream.ErrorCode{10071, 10164}

func otherWasFaster(err error) bool {
	refused, ok := errors.AsType[jetstream.JetStreamError](err)
	return ok && refused.APIError() != nil && slices.Contains(errsOfOther, refused.APIError().ErrorCode)
}
