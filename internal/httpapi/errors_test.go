package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

func TestEveryKindOfErrorHasItsStatusAndSlug(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		slug   string
	}{
		{errors.New("disk /dev/sda1 on fire"), 500, "internal"},
		{&postil.Error{Sentence: "SELECT failed"}, 500, "internal"},
		{postil.InvalidField("text", "Write something."), 400, "invalid"},
		{postil.TooLong("text", 9000, 8000), 400, "invalid"},
		{postil.Missing(), 404, "not-found"},
		{&postil.Error{Kind: postil.Conflict, Sentence: "x"}, 409, "conflict"},
		{&postil.Error{Kind: postil.Conflict, Slug: "idempotency-mismatch", Sentence: "x"}, 409, "idempotency-mismatch"},
		{&postil.Error{Kind: postil.Forbidden, Sentence: "x"}, 403, "forbidden"},
		{postil.Refuse("origin-not-allowed", "x"), 403, "origin-not-allowed"},
		{postil.Refuse("edit-window-over", "x"), 403, "edit-window-over"},
		{postil.Refuse("post-closed", "x"), 403, "post-closed"},
		{postil.Refuse("lockdown", "x"), 403, "lockdown"},
		{&postil.Error{Kind: postil.KeyRequired, Sentence: "x"}, 401, "key-required"},
		{&postil.Error{Kind: postil.Throttled, Sentence: "x"}, 429, "rate-limited"},
		{postil.Busy("", "x", 0, nil), 503, "overloaded"},
		{postil.Busy("not-saved", "x", 0, nil), 503, "not-saved"},
		{&postil.Error{Kind: postil.TooLarge, Sentence: "x"}, 413, "too-large"},
		{&postil.Error{Kind: postil.BadMethod, Sentence: "x"}, 405, "method"},
		{&postil.Error{Kind: postil.NotJSON, Sentence: "x"}, 415, "json-required"},
		{fmt.Errorf("wrapped: %w", postil.Missing()), 404, "not-found"},
		{context.DeadlineExceeded, 503, "overloaded"},
		{echo.ErrNotFound, 404, "not-found"},
		{echo.ErrMethodNotAllowed, 405, "method"},
		{echo.ErrStatusRequestEntityTooLarge, 413, "too-large"},
		{echo.NewHTTPError(418), 500, "internal"},
	} {
		p := problemOf(c.err)
		if p.Status != c.status || p.slug != c.slug || !strings.HasSuffix(p.Type, "/"+c.slug) || p.Title == "" || p.Detail == "" {
			t.Errorf("%v: %+v, want %d %s", c.err, p, c.status, c.slug)
		}
		if (p.RetryAfter > 0) != (c.status == 429 || c.status == 503) {
			t.Errorf("%v: retry_after %d", c.err, p.RetryAfter)
		}
		if strings.Contains(p.Detail, "sda1") || strings.Contains(p.Detail, "SELECT") {
			t.Errorf("an internal text got out: %s", p.Detail)
		}
	}
}

func TestRetryAfterIsNeverTooShort(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]int{0: 2, time.Millisecond: 1, time.Second: 1, 1001 * time.Millisecond: 2, time.Hour: 3600} {
		if got := wholeSeconds(wait); got != want {
			t.Errorf("%v: %d, want %d", wait, got, want)
		}
	}
}

func TestAnInternalErrorIsLoggedWithItsIDAndShownWithoutItsText(t *testing.T) {
	t.Parallel()
	w := newWorld()
	r := ask(t, "POST", w.open(t)+blog+"/preview", `{"text":"unlucky"}`, "X-Request-Id", "trace-7").want(t, 500, "internal")
	if strings.Contains(r.text, "parser") || strings.Contains(r.text, "/srv") {
		t.Errorf("internal text got out: %s", r.text)
	}
	if log := w.log.String(); !strings.Contains(log, "/srv/secret") || !strings.Contains(log, "trace-7") {
		t.Errorf("the log lacks the cause or the request id: %s", log)
	}
	if w.refunds != 1 {
		t.Errorf("%d refunds, want 1", w.refunds)
	}
}

func TestAPanicIsA500AndTheServerLivesOn(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.deps.Read = func(context.Context, postil.View, int64) (Page, error) { panic("out of ink") }
	url := w.open(t)
	for range 2 {
		r := ask(t, "GET", url+blog+"/comments?post=/", "").want(t, 500, "internal").wantHeader(t, "Access-Control-Allow-Origin", "*")
		if strings.Contains(r.text, "ink") || strings.Contains(r.text, "goroutine") {
			t.Errorf("a stack got out: %s", r.text)
		}
	}
	if log := w.log.String(); strings.Count(log, "out of ink") != 2 || !strings.Contains(log, "errors_test.go") {
		t.Errorf("the log lacks the panic or its place: %s", log)
	}
}

func TestWhatIsNotThereLooksAlwaysTheSame_MOD_07(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	want := ask(t, "GET", url+"/api/v1/sites/nobody/comments?post=/", "").want(t, 404, "not-found")
	for _, path := range []string{
		"/api/v1/sites/nobody/counts?post=/", "/api/v1/sites/nobody/recent", "/api/v1/sites/nobody/stream?post=/",
		"/api/v1/sites/NO%20BODY/comments?post=/", "/api/v1/sites/%2e%2e/comments?post=/", "/api/v1/sites/" + strings.Repeat("x", 5000) + "/comments?post=/",
		"/api/v1/sites/nobody/form?post=/", blog + "/comments?post=/&focus=101", blog + "/comments?post=/&focus=abc", blog + "/comments?post=/&focus=007",
		"/api/v1/nothing", "/nothing", "/widget.v9.js", "/widget.v1.css", "/metrics", "/api/v1/sites/blog/search?q=x",
	} {
		r := ask(t, "GET", url+path, "").want(t, 404, "not-found")
		if r.text != want.text {
			t.Errorf("%s differs:\n%s\n%s", path, r.text, want.text)
		}
		r.wantHeader(t, "Access-Control-Allow-Origin", "*", "Cache-Control", "no-store")
	}
	// A single comment has no address of its own, whether it is public or not.
	for _, id := range []string{"17", "23", "999"} {
		ask(t, "GET", url+blog+"/comments/"+id, "").want(t, 405, "method")
	}
}

func TestAWrongMethodNamesTheRightOnes(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	for path, allowed := range map[string][]string{
		blog + "/comments": {"GET", "HEAD", "POST"}, blog + "/comments/17": {"PATCH", "DELETE"},
		blog + "/counts": {"GET", "HEAD"}, blog + "/stream": {"GET"}, "/healthz": {"GET"}, "/widget.js": {"GET"},
	} {
		r := ask(t, "PUT", url+path, "").want(t, 405, "method")
		for _, method := range allowed {
			if !strings.Contains(r.Header.Get("Allow"), method) {
				t.Errorf("%s: Allow is %q, lacks %s", path, r.Header.Get("Allow"), method)
			}
		}
	}
}

func TestUnknownAddressesUnderAPIAnswerShort(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	for _, c := range []struct{ method, path string }{
		{"GET", "/api/nothing"}, {"POST", "/api/x/y"}, {"GET", "/api/"}, {"GET", "/comments/api/nothing"}, {"GET", "/api/v1"},
	} {
		r := ask(t, c.method, url+c.path, "").want(t, 404, "").wantHeader(t, "Content-Type", "application/json; charset=utf-8")
		if r.text != `{"error":"not_found"}` {
			t.Errorf("%s: %s", c.path, r.text)
		}
	}
	ask(t, "GET", url+"/api/v1/nothing", "").want(t, http.StatusNotFound, "not-found")
	ask(t, "GET", url+"/comments/api/v1/nothing", "").want(t, http.StatusNotFound, "not-found")
}

func TestTheSmallEndpointsHaveTheirOwnCodes(t *testing.T) {
	t.Parallel()
	s := newWorld().server(t)
	for _, c := range []struct {
		err    error
		status int
		code   string
	}{
		{&postil.Error{Kind: postil.Invalid, Slug: "invalid_path", Sentence: "x"}, 400, "invalid_path"},
		{tooLarge(), 413, "too_large"},
		{&postil.Error{Kind: postil.Throttled, Sentence: "x"}, 429, "rate_limited"},
		{postil.Busy("", "x", 0, nil), 503, "temporarily_unavailable"},
		{errors.New("x"), 503, "temporarily_unavailable"},
		{echo.ErrMethodNotAllowed, 404, "not_found"},
	} {
		rec := httptest.NewRecorder()
		s.fail(echo.New().NewContext(httptest.NewRequest("POST", "/api/view", nil), rec), c.err)
		if rec.Code != c.status || rec.Body.String() != `{"error":"`+c.code+`"}` {
			t.Errorf("%v: %d %s", c.err, rec.Code, rec.Body)
		}
	}
}
