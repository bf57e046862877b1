package queue

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/postil/postil/internal/postil"
)

const (
	deadStream  = "DEAD"
	deadSubject = "postil.dead."

	keepEvents = 7 * 24 * time.Hour  // an event that nobody handled for a week is the reconciler's
	keepDead   = 30 * 24 * time.Hour // long enough for somebody on holiday to see it

	ensureWithin = 20 * time.Second // for all streams together, on a busy machine

	// How long a broker recognises an event that is published again. The relay
	// repeats within seconds; after a longer break a repetition is delivered
	// again, which handlers bear.
	recogniseFor = 2 * time.Minute
)

// stream is one line of the table of streams.
type stream struct {
	name   string
	kinds  []postil.EventKind
	share  int64 // eighths of Config.MaxStoreBytes
	retain jetstream.RetentionPolicy
}

// streams is where each kind of event goes.
//
// Submissions are a work queue: one consumer, and an event is gone when it is
// done. The others have several durable consumers and are kept by interest: an
// event is gone when all of them are done. Keeping them by age alone would
// fill a stream with events that everybody has handled, and a full stream
// refuses new ones until they are a week old.
var streams = []stream{
	{"SUBMISSIONS", []postil.EventKind{postil.CommentSubmitted}, 2, jetstream.WorkQueuePolicy},
	{"REVIEWS", []postil.EventKind{postil.ReviewRequested}, 1, jetstream.InterestPolicy},
	{"DECISIONS", []postil.EventKind{postil.CommentDecided, postil.CommentUpdated, postil.CommentReacted, postil.ThreadUpdated, postil.SiteUpdated, postil.ConfigChanged, postil.FlagChanged}, 2, jetstream.InterestPolicy},
	{"NOTIFICATIONS", []postil.EventKind{postil.NoticeRaised, postil.CommentReported, postil.AlertRaised}, 1, jetstream.InterestPolicy},
}

// streamOf returns the stream of a kind, nil for a kind without one.
func streamOf(kind postil.EventKind) *stream {
	for i := range streams {
		if slices.Contains(streams[i].kinds, kind) {
			return &streams[i]
		}
	}
	return nil
}

// config says what the stream looks like at the broker. A full stream refuses
// an event (DiscardNew): the outbox keeps it and tries again, whereas dropping
// the oldest would lose it silently.
func (s *stream) config(cfg Config) jetstream.StreamConfig {
	subjects := make([]string, 0, len(s.kinds))
	for _, k := range s.kinds {
		subjects = append(subjects, subjectsOf(k))
	}
	return jetstream.StreamConfig{
		Name: s.name, Subjects: subjects, Retention: s.retain, Storage: jetstream.FileStorage,
		MaxBytes: cfg.MaxStoreBytes * s.share / 8, MaxAge: keepEvents, Discard: jetstream.DiscardNew,
		Duplicates: recogniseFor, Replicas: cfg.Replicas,
	}
}

// deadConfig is the stream of dead letters. It drops the oldest: a full
// drawer of failures must not stop the work.
func deadConfig(cfg Config) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: deadStream, Subjects: []string{deadSubject + ">"}, Retention: jetstream.LimitsPolicy, Storage: jetstream.FileStorage,
		MaxBytes: cfg.MaxStoreBytes / 8, MaxAge: keepDead, Discard: jetstream.DiscardOld,
		Duplicates: recogniseFor, Replicas: cfg.Replicas,
	}
}

// subjectsOf is the filter for all events of a kind.
func subjectsOf(kind postil.EventKind) string { return "postil." + string(kind) + ".*" }

// subjectOf is the subject of one event. An event of no site goes under "_",
// which no site can be called.
func subjectOf(e postil.Event) string {
	site := string(e.Site)
	if _, err := postil.ParseSiteID(site); err != nil {
		site = "_"
	}
	return "postil." + string(e.Kind) + "." + site
}

// ensure creates what is missing at the broker: streams, and with them every
// declared consumer, so that nothing is published into a stream that nobody
// is listening to.
func (b *Broker) ensure(ctx context.Context, js jetstream.JetStream) error {
	ctx, cancel := context.WithTimeout(ctx, ensureWithin)
	defer cancel()
	for i := range streams {
		if err := ensureStream(ctx, js, streams[i].config(b.cfg)); err != nil {
			return err
		}
	}
	for _, cfg := range []jetstream.StreamConfig{deadConfig(b.cfg), signalConfig(b.cfg)} {
		if err := ensureStream(ctx, js, cfg); err != nil {
			return err
		}
	}
	if err := b.ensureCounters(ctx, js); err != nil {
		return err
	}
	for _, t := range b.declaredTables() {
		if err := ensureTable(ctx, js, t.config()); err != nil {
			return err
		}
	}
	for _, c := range b.declared() {
		for _, part := range c.parts() {
			if err := ensureConsumer(ctx, js, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// ensureStream creates the stream or brings its limits up to date. What an
// operator chose for an existing one (replicas, placement) stays.
func ensureStream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) error {
	have, err := js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		_, err = js.CreateStream(ctx, want)
		return err
	}
	if err != nil {
		return err
	}
	cfg := have.CachedInfo().Config
	if slices.Equal(cfg.Subjects, want.Subjects) && cfg.MaxBytes == want.MaxBytes && cfg.MaxAge == want.MaxAge && cfg.Discard == want.Discard {
		return nil
	}
	cfg.Subjects, cfg.MaxBytes, cfg.MaxAge, cfg.Discard = want.Subjects, want.MaxBytes, want.MaxAge, want.Discard
	_, err = js.UpdateStream(ctx, cfg)
	return err
}

// errNotUnique is the broker's number for a second consumer of the same
// events of a work queue.
const errNotUnique jetstream.ErrorCode = 10100

// ensureConsumer creates or updates a durable consumer. On a work queue the
// consumer of an earlier version, under another name, gives way to it.
func ensureConsumer(ctx context.Context, js jetstream.JetStream, p part) error {
	_, err := js.CreateOrUpdateConsumer(ctx, p.stream, p.config)
	if refused, ok := errors.AsType[jetstream.JetStreamError](err); !ok || refused.APIError() == nil || refused.APIError().ErrorCode != errNotUnique {
		return err
	}
	s, err := js.Stream(ctx, p.stream)
	if err != nil {
		return err
	}
	names := s.ConsumerNames(ctx)
	for name := range names.Name() {
		if name != p.config.Durable {
			err = errors.Join(err, s.DeleteConsumer(ctx, name))
		}
	}
	if err = errors.Join(err, names.Err()); err != nil {
		return err
	}
	_, err = js.CreateOrUpdateConsumer(ctx, p.stream, p.config)
	return err
}
