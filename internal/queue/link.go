package queue

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// link is one connection and, for the embedded broker, the server behind it.
type link struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	server *server.Server // nil for an outside broker
}

// openOutside connects to the outside broker, or begins to: the connection
// goes on trying for ever, whatever the reason of a failure.
func (b *Broker) openOutside(ctx context.Context) (*link, error) {
	return b.connect(b.cfg.URL,
		nats.RetryOnFailedConnect(true),
		nats.IgnoreAuthErrorAbort(),
		nats.SetCustomDialer(dialer{ctx}),
		nats.ReconnectWait(500*time.Millisecond),
		nats.ReconnectJitter(250*time.Millisecond, 500*time.Millisecond))
}

// connect makes a connection that reports its losses and returns.
func (b *Broker) connect(url string, options ...nats.Option) (*link, error) {
	options = append(options,
		nats.Name("postil"),
		nats.MaxReconnects(-1),
		nats.PingInterval(10*time.Second),
		nats.ConnectHandler(func(*nats.Conn) { b.look() }),
		nats.ReconnectHandler(func(*nats.Conn) { b.look() }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { b.complain("queue cannot be reached", err) }),
		nats.ClosedHandler(func(*nats.Conn) { b.look() }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { b.lose(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { b.lg.Debug("queue connection", "error", err) }))
	conn, err := nats.Connect(url, options...)
	if err != nil {
		return nil, err
	}
	l := &link{conn: conn}
	return l, l.newJetStream()
}

// sound reports whether l may still come to life by itself. The embedded
// server turns JetStream off for good when the disk is full or cannot be
// written, and does not notice at once that its directory was removed.
func (l *link) sound() bool {
	if l.conn.IsClosed() {
		return false
	}
	if l.server == nil {
		return true
	}
	_, err := os.Stat(l.server.StoreDir())
	return !errors.Is(err, fs.ErrNotExist) && l.server.JetStreamEnabled()
}

// close sends what is buffered (acknowledgements) and lets go of everything.
func (l *link) close() {
	if l.conn.IsConnected() {
		_ = l.conn.FlushTimeout(time.Second) // a broker that does not answer delivers again
	}
	l.conn.Close()
	if l.server != nil {
		l.server.Shutdown()
		l.server.WaitForShutdown()
	}
}

// dialer lets Stop interrupt an attempt to connect to an address that does not
// answer.
type dialer struct{ ctx context.Context }

// Dial connects as net.Dial does.
func (d dialer) Dial(network, address string) (net.Conn, error) {
	nd := net.Dialer{Timeout: nats.DefaultTimeout}
	return nd.DialContext(d.ctx, network, address)
}
