package queue

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/postil/postil/internal/postil"
)

// Config is what the queue needs to know.
type Config struct {
	URL           string // of an outside broker, "" for the embedded one; several are separated by commas
	Dir           string // where the embedded broker keeps its files; may be deleted while the process is stopped
	MaxStoreBytes int64  // bound of all streams together; 0 means 256 MiB
	InstallID     string // makes event ids unique at a shared broker; change it when the store is set back to a backup
	Replicas      int    // copies of each new stream at an outside cluster; 0 means 1
}

const (
	defaultStore = 256 << 20
	answerWithin = 5 * time.Second // the longest that anybody waits for the broker
)

// Broker is the connection to JetStream. Its methods may be called from
// several goroutines, and before Start and while the broker is away: publishing
// then fails, and consumers wait.
type Broker struct {
	lg  *slog.Logger
	cfg Config

	publishing sync.Mutex // one batch at a time, so that batches do not mix

	mu        sync.Mutex
	consumers []Consumer
	tables    []string
	counting  bool          // Counters was called
	live      *session      // nil while the broker cannot be used
	changed   chan struct{} // closed when live changes
	cause     error         // why live is nil
	giveUp    func()        // ends the attempt to begin a session
	stop      context.CancelFunc
	stopped   chan struct{}

	nudge chan struct{} // tells the keeper to look at the connection
}

// session is the time between two losses of the broker. Whatever was made in
// one (consumers, subscriptions) is made again in the next.
type session struct {
	js  jetstream.JetStream
	ctx context.Context // ends with the session
	end context.CancelFunc

	streams handles
}

// New returns a broker that is not started.
func New(lg *slog.Logger, cfg Config) *Broker {
	if cfg.MaxStoreBytes <= 0 {
		cfg.MaxStoreBytes = defaultStore
	}
	cfg.Replicas = max(cfg.Replicas, 1)
	return &Broker{lg: lg, cfg: cfg, changed: make(chan struct{}), nudge: make(chan struct{}, 1), cause: errNotStarted, giveUp: func() {}}
}

var errNotStarted = postil.Busy("queue-down", "The queue is not running. Comments are stored and will be announced when it is.", time.Second, nil)

// Start brings the broker up. The embedded one is ready when Start returns,
// and an error means that it cannot run at all. An outside one may be down:
// Start returns at once and the connection is made, and made again, in the
// background. ctx bounds the start only; Stop ends what was started.
func (b *Broker) Start(ctx context.Context) error {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var first *link
	if b.cfg.URL == "" {
		var err error
		if first, err = b.openEmbedded(ctx); err != nil {
			stop()
			return err
		}
	}
	b.mu.Lock()
	b.stop, b.stopped = stop, make(chan struct{})
	b.mu.Unlock()
	go b.keep(background, first, b.stopped)
	return nil
}

// Stop disconnects and stops the embedded server. End the tasks first: what
// they have in hand is delivered again otherwise. A second call does nothing.
func (b *Broker) Stop() {
	b.mu.Lock()
	stop, stopped := b.stop, b.stopped
	b.mu.Unlock()
	if stop == nil {
		return
	}
	stop()
	<-stopped
}

// Status returns nil when the broker is connected and its streams exist, else
// an Unavailable error that says why.
func (b *Broker) Status() error {
	_, err := b.current()
	return err
}

// current returns the session, or why there is none.
func (b *Broker) current() (*session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live == nil {
		return nil, b.cause
	}
	return b.live, nil
}

// await returns the session as soon as there is one, or the error of ctx.
func (b *Broker) await(ctx context.Context) (*session, error) {
	for {
		b.mu.Lock()
		s, changed := b.live, b.changed
		b.mu.Unlock()
		if s != nil {
			return s, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// begin makes js the session that everybody uses.
func (b *Broker) begin(js jetstream.JetStream) {
	s := &session{js: js}
	s.ctx, s.end = context.WithCancel(context.Background())
	b.mu.Lock()
	b.live, b.cause = s, nil
	b.change()
	b.mu.Unlock()
	b.lg.Info("queue ready")
}

// lose ends the session, if there is one.
func (b *Broker) lose(why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cause = postil.Busy("queue-down", "The queue cannot be reached. Comments are stored and will be announced when it is back.", time.Second, why)
	if b.live == nil {
		b.giveUp()
		return
	}
	b.live.end()
	b.live = nil
	b.change()
	if !errors.Is(why, context.Canceled) { // not when Stop is what ended it
		b.lg.Warn("queue lost", "error", why)
	}
}

// doubt ends s when something that must exist at the broker does not, and has
// the keeper put it right.
func (b *Broker) doubt(s *session, why error) {
	b.mu.Lock()
	mine := b.live == s
	b.mu.Unlock()
	if mine {
		b.lose(why)
	}
	b.look()
}

// change wakes everybody in await. The lock is held.
func (b *Broker) change() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// look has the keeper look at the connection now.
func (b *Broker) look() {
	select {
	case b.nudge <- struct{}{}:
	default:
	}
}
