package queue

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/postil/postil/internal/postil"
)

// The stream of signals is a copy for whoever follows them; the truth is in the
// store. It drops the oldest, so that it can never be in the way of anything.
const (
	signalStream  = "SIGNALS"
	signalSubject = "postil.signal."
	keepSignals   = 30 * 24 * time.Hour
)

func signalConfig(cfg Config) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: signalStream, Subjects: []string{signalSubject + ">"}, Retention: jetstream.LimitsPolicy, Storage: jetstream.FileStorage,
		MaxBytes: cfg.MaxStoreBytes / 16, MaxAge: keepSignals, Discard: jetstream.DiscardOld,
		Duplicates: recogniseFor, Replicas: cfg.Replicas,
	}
}

// PublishSignals hands signals to the broker in their order, as JSON under
// postil.signal.KIND, and returns how many, counted from the front, it has.
func (b *Broker) PublishSignals(ctx context.Context, all []postil.Signal) (done int, err error) {
	b.publishing.Lock()
	defer b.publishing.Unlock()
	s, err := b.current()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	w := wave{threads: map[thread]bool{}}
	for _, g := range all {
		if len(w.acks) == window {
			n, err := w.settle(ctx, s)
			if done += n; err != nil {
				return done, err
			}
		}
		data, err := json.Marshal(g)
		if err != nil {
			return done, err
		}
		msg := &nats.Msg{Subject: signalSubject + string(g.Kind), Data: data, Header: nats.Header{}}
		ack, err := s.js.PublishMsgAsync(msg, jetstream.WithMsgID(b.cfg.InstallID+"-signal-"+strconv.FormatInt(g.ID, 10)), jetstream.WithRetryAttempts(0))
		if err != nil {
			n, _ := w.settle(ctx, s)
			return done + n, err
		}
		w.acks = append(w.acks, ack)
	}
	n, err := w.settle(ctx, s)
	return done + n, err
}
