package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/postil/postil/internal/postil"
)

// The headers of a dead letter.
const (
	headerReason   = "Postil-Reason"
	headerConsumer = "Postil-Consumer"
	headerSubject  = "Postil-Subject"
	headerTries    = "Postil-Tries"

	longestReason = 2000 // bytes
)

// DeadLetter is an event that somebody gave up on.
type DeadLetter struct {
	Seq      uint64       // its number among the dead letters
	Consumer string       // who gave up; "publish" when it could not be sent
	Subject  string       // where it was
	Reason   string       // the last error, for the log and the operator
	Tries    int          // deliveries
	At       time.Time    // when it was given up
	Event    postil.Event // zero when Data is not an event
	Data     []byte       // the message as it was
}

// DeadLetters returns up to limit dead letters, the latest first.
func (b *Broker) DeadLetters(ctx context.Context, limit int) ([]DeadLetter, error) {
	s, err := b.current()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	letters, err := deadLetters(ctx, s.js, limit)
	if err != nil {
		return nil, postil.Busy("queue-down", "The dead letters cannot be read just now.", time.Second, err)
	}
	return letters, nil
}

func deadLetters(ctx context.Context, js jetstream.JetStream, limit int) ([]DeadLetter, error) {
	stream, err := js.Stream(ctx, deadStream)
	if err != nil {
		return nil, err
	}
	state := stream.CachedInfo().State
	var letters []DeadLetter
	for seq := state.LastSeq; seq >= max(state.FirstSeq, 1) && len(letters) < limit; seq-- {
		msg, err := stream.GetMsg(ctx, seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		letters = append(letters, readDead(msg))
	}
	return letters, nil
}

func readDead(msg *jetstream.RawStreamMsg) DeadLetter {
	l := DeadLetter{
		Seq: msg.Sequence, At: msg.Time, Data: msg.Data,
		Consumer: msg.Header.Get(headerConsumer), Subject: msg.Header.Get(headerSubject), Reason: msg.Header.Get(headerReason),
	}
	l.Tries, _ = strconv.Atoi(msg.Header.Get(headerTries))
	l.Event, _ = decode(msg.Data) // zero is what the caller is told to expect
	return l
}

// deadLetter writes a message as a dead letter.
func deadLetter(consumer string, msg *nats.Msg, reason string, tries int) *nats.Msg {
	reason = strings.Join(strings.Fields(strings.ToValidUTF8(reason, "?")), " ")
	if len(reason) > longestReason {
		reason = strings.ToValidUTF8(reason[:longestReason], "")
	}
	return &nats.Msg{Subject: deadSubject + consumer, Data: msg.Data, Header: nats.Header{
		headerReason: {reason}, headerConsumer: {consumer}, headerSubject: {msg.Subject}, headerTries: {strconv.Itoa(tries)},
	}}
}

// bury stores a dead letter, once however often it is called for a delivery
// that was not answered in between.
func (b *Broker) bury(consumer string, msg jetstream.Msg, why error, tries int) error {
	s, err := b.current()
	if err != nil {
		return err
	}
	m, err := msg.Metadata()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.ctx, answerWithin)
	defer cancel()
	letter := deadLetter(consumer, &nats.Msg{Subject: msg.Subject(), Data: msg.Data()}, why.Error(), tries)
	id := fmt.Sprint(consumer, "-", m.Stream, "-", m.Sequence.Stream, "-", m.Timestamp.UnixNano())
	_, err = s.js.PublishMsg(ctx, letter, jetstream.WithMsgID(id))
	return err
}
