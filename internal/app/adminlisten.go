package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"
)

// listenAdmin opens the listener for operators where the settings ask for one.
// Whoever reaches it can read the program's memory, so it is said when more
// than this machine can.
func (a *App) listenAdmin(ctx context.Context) (err error) {
	if a.cfg.AdminListen == "" {
		return nil
	}
	if a.operators, err = new(net.ListenConfig).Listen(ctx, "tcp", a.cfg.AdminListen); err != nil {
		return &usageError{problem("POSTIL_ADMIN_LISTEN", fmt.Sprintf("%v", err), "127.0.0.1:8081")}
	}
	if host, _, _ := net.SplitHostPort(a.cfg.AdminListen); !loopback(host) {
		a.lg.Warn("whoever reaches the address of operators can look into the program; keep it behind a firewall", "setting", "POSTIL_ADMIN_LISTEN")
	}
	return nil
}

// forOperators is what the listener of operators answers: metrics without a
// question, profiles, and whatever the public address answers, so that the
// admin page and the API can be used where nothing public is.
func (a *App) forOperators() http.Handler {
	m := http.NewServeMux()
	m.Handle("GET /metrics", a.measured)
	m.HandleFunc("GET /debug/pprof/", pprof.Index) // the profiles by name, too
	m.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	m.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	m.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	m.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	m.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	m.Handle("/", a.clock.wrap(a.server.Handler()))
	return m
}

// serveOperators answers until ctx ends. A profile takes as long as it was
// asked to take, so that answers have no limit; what is under way is cut off.
func (a *App) serveOperators(ctx context.Context) error {
	s := &http.Server{Handler: a.forOperators(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute,
		ErrorLog: slog.NewLogLogger(a.lg.Handler(), slog.LevelDebug)}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	if err := s.Serve(a.operators); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
