package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// memoryStore bounds what the embedded server keeps in memory: the state of
// watchers, no messages.
const memoryStore = 32 << 20

// openEmbedded starts the embedded broker and its streams. A directory on
// which it does not start is put aside and a new one begun, because the store
// can fill it again; when that fails too the directory was not to blame and is
// put back.
func (b *Broker) openEmbedded(ctx context.Context) (*link, error) {
	l, err := b.tryEmbedded(ctx)
	if err == nil || ctx.Err() != nil {
		return l, err
	}
	aside := b.cfg.Dir + ".broken-" + time.Now().UTC().Format("20060102T150405.000")
	if os.Rename(b.cfg.Dir, aside) != nil {
		return nil, fmt.Errorf("start the queue in %s: %w", b.cfg.Dir, err)
	}
	l, second := b.tryEmbedded(ctx)
	if second != nil {
		back := errors.Join(os.RemoveAll(b.cfg.Dir), os.Rename(aside, b.cfg.Dir))
		return nil, errors.Join(fmt.Errorf("start the queue in %s: %w", b.cfg.Dir, second), back)
	}
	b.lg.Warn("queue directory was broken and is put aside, the queue starts empty", "aside", aside, "error", err)
	return l, nil
}

// tryEmbedded starts the server on the directory as it is.
func (b *Broker) tryEmbedded(ctx context.Context) (*link, error) {
	ns, err := startServer(b.lg, b.cfg)
	if err != nil {
		return nil, err
	}
	l, err := b.connect("", nats.InProcessServer(ns), nats.ReconnectWait(100*time.Millisecond))
	if err != nil {
		ns.Shutdown()
		ns.WaitForShutdown()
		return nil, err
	}
	l.server = ns
	if err := b.ensure(ctx, l.js); err != nil {
		l.close()
		return nil, err
	}
	b.begin(l.js)
	return l, nil
}

// startServer starts a server that opens no port and installs no signal
// handler. It syncs to the disk every two minutes and not at every publish: an
// event that a power cut takes away is still in the store, where the
// reconciler finds it, and a sync per event would cost as much as storing the
// comment.
func startServer(lg *slog.Logger, cfg Config) (*server.Server, error) {
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, err // the server would not say what is wrong
	}
	ns, err := server.NewServer(&server.Options{
		ServerName: "postil", DontListen: true, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: cfg.Dir, SyncAlways: false,
		JetStreamMaxMemory: memoryStore, JetStreamMaxStore: cfg.MaxStoreBytes,
	})
	if err != nil {
		return nil, err
	}
	words := &serverLog{lg: lg}
	ns.SetLoggerV2(words, false, false, false)
	ns.Start()
	if !ns.JetStreamEnabled() {
		ns.Shutdown()
		ns.WaitForShutdown()
		return nil, words.fatal()
	}
	return ns, nil
}

// serverLog passes what the server says on as debug lines: what matters about
// it is said by Broker in words of this project. It keeps the reason of a
// failed start, which the server tells in no other way.
type serverLog struct {
	lg *slog.Logger

	mu   sync.Mutex
	last string
}

func (s *serverLog) say(level, format string, args ...any) {
	s.lg.Debug("queue server", "level", level, "said", strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// Noticef, Warnf, Errorf, Debugf and Tracef are what the server calls.
func (s *serverLog) Noticef(format string, args ...any) { s.say("notice", format, args...) }
func (s *serverLog) Warnf(format string, args ...any)   { s.say("warning", format, args...) }
func (s *serverLog) Errorf(format string, args ...any)  { s.say("error", format, args...) }
func (s *serverLog) Debugf(format string, args ...any)  { s.say("debug", format, args...) }
func (s *serverLog) Tracef(format string, args ...any)  { s.say("trace", format, args...) }

// Fatalf keeps the reason and does not end the process.
func (s *serverLog) Fatalf(format string, args ...any) {
	s.mu.Lock()
	s.last = fmt.Sprintf(format, args...)
	s.mu.Unlock()
	s.say("fatal", format, args...)
}

func (s *serverLog) fatal() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == "" {
		return errors.New("the server gave no reason")
	}
	return errors.New(s.last)
}
