package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
)

// Header values that never change are made once: a read sets them without
// allocating.
var (
	anyOrigin = []string{"*"}
	datesOnly = []string{"Date, Age"} // how a page on another origin learns the true time
	noStore   = []string{"no-store"}
	noSniff   = []string{"nosniff"}
)

type requestIDKey struct{}

// RequestID returns the id of the request that ctx belongs to, "" when it has
// none. A log handler uses it to put the id into every line.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// read makes a handler of cacheable public answers: readable from every page,
// errors included, and nothing in it that belongs to one request.
func (s *Server) read(handle echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Expose-Headers"] = datesOnly
		h["X-Content-Type-Options"] = noSniff
		return handle(c)
	}
}

// tracked makes a handler of answers that belong to one request: they have an
// id, are logged, and are not stored unless the handler says so.
func (s *Server) tracked(handle echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := requestID(c.Request())
		c.SetRequest(c.Request().WithContext(context.WithValue(c.Request().Context(), requestIDKey{}, id)))
		h := c.Response().Header()
		h.Set("X-Request-Id", id)
		h["Cache-Control"] = noStore
		h["X-Content-Type-Options"] = noSniff
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		start := time.Now()
		err := handle(c)
		if err != nil {
			s.fail(c, err)
		}
		took := time.Since(start)
		s.log(c, err, took)
		s.answered(c, took)
		return nil
	}
}

// quietMethods change nothing: their lines are for whoever looks closely.
var quietMethods = []string{"GET", "HEAD", "OPTIONS"}

var cleanID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestID takes the id that a proxy gave, if it is harmless in a log.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); cleanID.MatchString(id) {
		return id
	}
	return uuid.NewString()
}

// log writes the one line of a request. It names the route, never the address
// that was asked for, which may contain anything.
func (s *Server) log(c echo.Context, err error, took time.Duration) {
	status := c.Response().Status
	attrs := []slog.Attr{
		slog.String("method", c.Request().Method), slog.String("route", c.Path()), slog.Int("status", status),
		slog.Float64("took_ms", float64(took.Microseconds())/1000), slog.String("request_id", c.Response().Header().Get("X-Request-Id")),
	}
	level, words := slog.LevelInfo, "request answered"
	switch {
	case status >= 500:
		level, words = slog.LevelError, "request failed"
		attrs = append(attrs, slog.Any("error", err))
	case err != nil:
		attrs = append(attrs, slog.String("problem", problemOf(err).slug))
	case slices.Contains(quietMethods, c.Request().Method):
		level = slog.LevelDebug
	}
	if errors.Is(err, context.Canceled) {
		level = slog.LevelDebug
	}
	s.lg.LogAttrs(c.Request().Context(), level, words, attrs...)
}

// lastResort answers what no tracked handler did: errors of reads, unknown
// addresses, wrong methods and panics.
func (s *Server) lastResort(err error, c echo.Context) {
	h := c.Response().Header()
	_, public := h["Access-Control-Allow-Origin"]
	if !public {
		h["Access-Control-Allow-Origin"] = anyOrigin
	}
	if h.Get("X-Request-Id") == "" && (!public || problemOf(err).Status >= 500) {
		h.Set("X-Request-Id", requestID(c.Request()))
	}
	s.fail(c, err)
	if c.Response().Status >= 500 {
		s.log(c, err, 0)
	}
	s.answered(c, 0)
}

// answered tells whoever counts of an answer. Reads that succeed are counted by
// the cache, at no cost.
func (s *Server) answered(c echo.Context, took time.Duration) {
	if s.deps.Answered != nil {
		s.deps.Answered(c.Request().Method+" "+c.Path(), c.Response().Status, took)
	}
}

// panicked turns a panic into an error that keeps where it happened.
func panicked(_ echo.Context, err error, stack []byte) error {
	return fmt.Errorf("panic: %w\n%s", err, stack)
}
