package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// Config is what an operator decides about the listener.
type Config struct {
	PublicURL string        // where browsers reach the service, with path prefix if any
	Listen    string        // address of Run
	Contact   string        // who is told of weaknesses, as an address; "": nobody says
	Heartbeat time.Duration // between comment lines on a quiet stream; 0: 20 s
}

// Server answers HTTP requests.
type Server struct {
	lg        *slog.Logger
	deps      Deps
	origin    string // of the public URL
	prefix    string // path of the public URL without a slash at the end
	listen    string
	heartbeat time.Duration
	echo      *echo.Echo
	front     front
	files     files
	strangers strangers
	feeds     sightings
	expected  probes
	contact   string

	stopping  chan struct{} // closed: streams end
	streams   sync.WaitGroup
	closeOnce sync.Once
}

// How long a client may take. Streams lift the limits for themselves.
const (
	headerTime = 5 * time.Second
	bodyTime   = 15 * time.Second
	answerTime = 30 * time.Second
	idleTime   = 2 * time.Minute
	graceTime  = time.Second // for requests under way when the service stops, which has as long again for the rest
)

// New returns a server, or all that is wrong with its parts. It starts nothing.
func New(lg *slog.Logger, cfg Config, deps Deps) (*Server, error) {
	origin, _, err := postil.ParseOrigin(cfg.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("public URL: %w", err)
	}
	u, err := url.Parse(strings.TrimSpace(cfg.PublicURL))
	if err != nil {
		return nil, fmt.Errorf("public URL: %w", err)
	}
	if strings.ContainsAny(u.Path, ":*") {
		return nil, fmt.Errorf("public URL: the path %q has a “:” or “*”", u.Path)
	}
	if err := deps.check(); err != nil {
		return nil, err
	}
	s := &Server{
		lg: lg, deps: deps, origin: origin, prefix: strings.TrimRight(u.Path, "/"),
		listen: cfg.Listen, contact: cfg.Contact, heartbeat: cfg.Heartbeat, stopping: make(chan struct{}),
	}
	if s.heartbeat == 0 {
		s.heartbeat = 20 * time.Second
	}
	s.mount()
	return s, nil
}

// check names the parts that cannot be done without.
func (d Deps) check() error {
	var missing []string
	for name, absent := range map[string]bool{
		"Sites": d.Sites == nil, "Read": d.Read == nil, "Intake": d.Intake == nil, "Authors": d.Authors == nil,
		"Streams": d.Streams == nil, "Posts": d.Posts == nil, "Limiter": d.Limiter == nil, "Clients": d.Clients == nil, "Ready": d.Ready == nil,
	} {
		if absent {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return errors.New("httpapi: missing " + strings.Join(missing, ", "))
	}
	return nil
}

// Handler returns all routes.
func (s *Server) Handler() http.Handler { return s }

// Run listens on the configured address and serves until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", s.listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	return s.Serve(ctx, ln, s.Handler())
}

// Serve answers connections of ln with h, which is Handler or wraps it, until
// ctx ends. Then streams are told to connect again, requests under way finish,
// those of clients that take too long are cut off, and it returns nil. It owns ln.
func (s *Server) Serve(ctx context.Context, ln net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler: h, ErrorLog: slog.NewLogLogger(s.lg.Handler(), slog.LevelDebug),
		ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: 32 << 10,
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(ln) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	s.EndStreams()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		s.lg.Warn("clients that had not sent or read everything were cut off", "err", err)
		return server.Close()
	}
	s.streams.Wait() // each has at most the time of its last words
	return nil
}

// EndStreams tells every open stream to connect again a little later. Streams
// opened afterwards end at once.
func (s *Server) EndStreams() { s.closeOnce.Do(func() { close(s.stopping) }) }
