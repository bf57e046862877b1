package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/postil/postil/internal/postil"
)

// TestTheFrontAnswersLikeTheRouter asks everything twice: the first time the
// address is unknown to the front.
func TestTheFrontAnswersLikeTheRouter(t *testing.T) {
	t.Parallel()
	w := newWorld()
	h := w.server(t).Handler()
	for _, c := range []struct{ method, query, header, value string }{
		{"GET", "post=/hello/", "", ""}, {"GET", "post=/hello/", "Accept-Encoding", "gzip"}, {"GET", "post=/hello/", "Accept-Encoding", "br;q=0.5"},
		{"GET", "post=/hello/", "If-None-Match", "*"}, {"HEAD", "post=/hello/", "", ""}, {"GET", "post=/hello/&v=1", "", ""},
		{"GET", "post=/hello/&limit=1&sort=top", "", ""}, {"GET", "post=https://blog.example/hello/", "", ""}, {"GET", "post=https://elsewhere.example/", "", ""},
		{"GET", "post=/hello/&limit=0", "", ""}, {"GET", "", "", ""}, {"POST", "post=/hello/", "", ""}, {"GET", "post=" + strings.Repeat("a", maxFrontLine), "", ""},
	} {
		ask := func() (answer http.Header, body string, status int) {
			req := httptest.NewRequest(c.method, "/api/v1/sites/blog/comments?"+c.query, nil)
			if c.header != "" {
				req.Header.Set(c.header, c.value)
			}
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, req)
			res := rec.Result()
			res.Header.Del("X-Request-Id")
			b, _ := io.ReadAll(res.Body)
			return res.Header, string(b), res.StatusCode
		}
		header, body, status := ask()
		for range 2 {
			again, bodyAgain, statusAgain := ask()
			if diff := cmp.Diff(header, again); diff != "" || status != statusAgain || (body != bodyAgain && status < 400) {
				t.Errorf("%s ?%s %s: %d, then %d\n%s\n%s\n%s", c.method, c.query, c.value, status, statusAgain, diff, body, bodyAgain)
			}
		}
	}
}

func TestTheFrontTellsOfTroubleLikeTheRouter(t *testing.T) {
	t.Parallel()
	w := newWorld()
	read := w.deps.Read
	var trouble func() error
	w.deps.Read = func(ctx context.Context, v postil.View, atLeast int64) (Page, error) {
		if trouble != nil {
			return nil, trouble()
		}
		return read(ctx, v, atLeast)
	}
	h := w.server(t).Handler()
	ask := func() *http.Response {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest("GET", helloPath, nil))
		return rec.Result()
	}
	if res := ask(); res.StatusCode != 200 {
		t.Fatal(res.Status)
	}
	trouble = func() error { return postil.Busy("overloaded", "Later.", time.Second, nil) }
	if res := ask(); res.StatusCode != 503 || res.Header.Get("Retry-After") == "" || res.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("overloaded: %s, %v", res.Status, res.Header)
	}
	trouble = func() error { panic("a bug") }
	if res := ask(); res.StatusCode != 500 {
		t.Errorf("a panic: %s", res.Status)
	}
	trouble = nil
	if res := ask(); res.StatusCode != 200 {
		t.Errorf("afterwards: %s", res.Status)
	}
}

func TestTheFrontRemembersABoundedNumberOfAddresses(t *testing.T) {
	t.Parallel()
	h := newWorld().server(t)
	for i := range 2*maxFront + 10 {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest("GET", fmt.Sprintf("/api/v1/sites/blog/comments?post=/p%d", i), nil))
		if n := h.front.size.Load(); n > maxFront {
			t.Fatalf("%d addresses after %d requests", n, i)
		}
	}
	if h.front.size.Load() == 0 {
		t.Error("nothing is remembered")
	}
}
