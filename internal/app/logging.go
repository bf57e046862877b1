package app

import (
	"context"
	"io"
	"log/slog"
	"os"

	"golang.org/x/term"

	"github.com/postil/postil/internal/httpapi"
)

func level(name string) (l slog.Level, err error) { return l, l.UnmarshalText([]byte(name)) }

// newLogger returns the logger that everything is given: text for people at a
// terminal, JSON for machines. Both escape control characters.
func newLogger(cfg Config, w io.Writer) *slog.Logger {
	l, err := level(cfg.LogLevel)
	if err != nil {
		l = slog.LevelInfo
	}
	opt := &slog.HandlerOptions{Level: l}
	if cfg.Log == "text" || cfg.Log == "" && isTerminal(w) {
		return slog.New(withRequest{slog.NewTextHandler(w, opt)})
	}
	return slog.New(withRequest{slog.NewJSONHandler(w, opt)})
}

// withRequest puts the id of the request into every line that belongs to one.
type withRequest struct{ slog.Handler }

func (h withRequest) Handle(ctx context.Context, r slog.Record) error {
	said := false // the line about the request itself says it already
	r.Attrs(func(a slog.Attr) bool {
		said = said || a.Key == "request_id"
		return !said
	})
	if id := httpapi.RequestID(ctx); id != "" && !said {
		r.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, r)
}

func (h withRequest) WithAttrs(attrs []slog.Attr) slog.Handler {
	return withRequest{h.Handler.WithAttrs(attrs)}
}

func (h withRequest) WithGroup(name string) slog.Handler {
	return withRequest{h.Handler.WithGroup(name)}
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
