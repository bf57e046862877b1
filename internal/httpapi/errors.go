package httpapi

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// problemType is what the type of every problem begins with; the slug follows.
// It is a name and not an address: nothing is served there.
const problemType = "https://postil.example/problems/"

// answers is the one table from kinds to statuses and default slugs.
var answers = map[postil.Kind]struct {
	status int
	slug   string
}{
	postil.Internal:    {500, "internal"},
	postil.Invalid:     {400, "invalid"},
	postil.KeyRequired: {401, "key-required"},
	postil.Forbidden:   {403, "forbidden"},
	postil.NotFound:    {404, "not-found"},
	postil.BadMethod:   {405, "method"},
	postil.Conflict:    {409, "conflict"},
	postil.TooLarge:    {413, "too-large"},
	postil.NotJSON:     {415, "json-required"},
	postil.Throttled:   {429, "rate-limited"},
	postil.Unavailable: {503, "overloaded"},
}

// titles says what each slug means, in general.
var titles = map[string]string{
	"internal":             "Something went wrong on our side",
	"invalid":              "The request needs a correction",
	"key-required":         "A key is required",
	"forbidden":            "Not allowed",
	"origin-not-allowed":   "This page may not write here",
	"edit-window-over":     "The time for changes is over",
	"post-closed":          "Comments are closed",
	"lockdown":             "No new comments at the moment",
	"not-found":            "Not found",
	"method":               "This address takes other methods",
	"too-large":            "Too large",
	"json-required":        "JSON is required",
	"conflict":             "Somebody was faster",
	"idempotency-mismatch": "This Idempotency-Key was used for another request",
	"rate-limited":         "Too many requests",
	"overloaded":           "Too busy at the moment",
	"not-saved":            "Not saved",
}

// problem is an RFC 9457 answer.
type problem struct {
	Type       string `json:"type"`
	Title      string `json:"title"`
	Status     int    `json:"status"`
	Detail     string `json:"detail"`
	Field      string `json:"field,omitempty"`
	Limit      int    `json:"limit,omitempty"`
	RetryAfter int    `json:"retry_after,omitempty"` // seconds

	slug string
}

// problemOf is the one function that turns errors into answers.
func problemOf(err error) problem {
	e := classified(err)
	a := answers[e.Kind]
	p := problem{Status: a.status, Detail: e.Sentence, Field: e.Field, Limit: e.Limit, slug: a.slug}
	if e.Slug != "" {
		p.slug = e.Slug
	}
	p.Type = problemType + p.slug
	if p.Title = titles[p.slug]; p.Title == "" {
		p.Title = titles[a.slug]
	}
	if p.Status == 429 || p.Status == 503 {
		p.RetryAfter = wholeSeconds(e.RetryAfter)
	}
	return p
}

// classified finds the kind of any error. What nobody classified is ours, and
// what does not exist looks the same whatever the reason.
func classified(err error) *postil.Error {
	if e, ok := errors.AsType[*postil.Error](err); ok {
		switch e.Kind {
		case postil.NotFound:
			return postil.Missing()
		case postil.Internal:
		default:
			return e
		}
	}
	if e, ok := errors.AsType[*echo.HTTPError](err); ok {
		switch e.Code {
		case 404:
			return postil.Missing()
		case 405:
			return &postil.Error{Kind: postil.BadMethod, Sentence: "This address takes other methods; the header Allow lists them."}
		case 413:
			return tooLarge()
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return postil.Busy("overloaded", "That took too long, so we stopped. Try again in a moment.", 0, err)
	}
	return &postil.Error{Sentence: "Something went wrong on our side. Try again in a moment; if it stays, tell the owner of the site."}
}

// wholeSeconds rounds up, so that whoever waits that long comes late enough.
func wholeSeconds(d time.Duration) int {
	if d <= 0 {
		d = 2 * time.Second
	}
	return int(math.Ceil(d.Seconds()))
}

// fail writes the answer to err, unless an answer has begun.
func (s *Server) fail(c echo.Context, err error) {
	if c.Response().Committed {
		return
	}
	drain(c.Request())
	p := problemOf(err)
	h := c.Response().Header()
	h["Cache-Control"] = noStore
	h["X-Content-Type-Options"] = noSniff
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	if p.Status == 401 {
		h.Set("WWW-Authenticate", `Bearer realm="postil"`)
	}
	if h.Get("Access-Control-Allow-Origin") != "" {
		h.Set("Access-Control-Expose-Headers", exposedHeaders)
	}
	if s.isShort(c.Request()) {
		_ = shortProblem(c, p)
		return
	}
	_ = answer(c, p.Status, "application/problem+json", p) // the client is gone: nobody is left to tell
}

// isShort reports whether the address belongs to the small endpoints that
// answer errors as {"error":"code"}: all of api/ but api/v1/.
func (s *Server) isShort(r *http.Request) bool {
	for _, prefix := range []string{s.prefix, ""} {
		if path, ok := strings.CutPrefix(r.URL.Path, prefix+"/api/"); ok {
			return !strings.HasPrefix(path, "v1/")
		}
	}
	return false
}

// shortProblem writes p as the small endpoints do. Of an Invalid error the slug
// is the code.
func shortProblem(c echo.Context, p problem) error {
	status, code := p.Status, "temporarily_unavailable"
	switch status {
	case 400, 403:
		code = strings.ReplaceAll(p.slug, "-", "_")
	case 404, 405:
		status, code = 404, "not_found"
		c.Response().Header().Del("Allow")
	case 413:
		code = "too_large"
	case 429:
		code = "rate_limited"
	default:
		status = 503
		if c.Response().Header().Get("Retry-After") == "" {
			c.Response().Header().Set("Retry-After", "2")
		}
	}
	return answer(c, status, shortType, map[string]string{"error": code})
}
