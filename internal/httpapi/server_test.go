package httpapi

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNewRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	lg := slog.New(slog.DiscardHandler)
	if _, err := New(lg, Config{PublicURL: "https://talk.example"}, Deps{}); err == nil || !strings.Contains(err.Error(), "Sites") {
		t.Errorf("no parts: %v", err)
	}
	for _, url := range []string{"", "talk.example", "ftp://talk.example", "https://", "https://talk.example/:id", "https://talk.example/a*"} {
		if _, err := New(lg, Config{PublicURL: url}, newWorld().deps); err == nil {
			t.Errorf("public URL %q was taken", url)
		}
	}
}

// A proxy may keep the path of the public URL or strip it.
func TestEveryRouteWorksUnderThePublicPathAndAtTheRoot_EMB_13(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	for _, prefix := range []string{"", "/comments"} {
		for _, path := range []string{helloPath, blog + "/counts?post=/", blog + "/form?post=/", "/widget.js", "/healthz", "/readyz", "/"} {
			ask(t, "GET", url+prefix+path, "").want(t, 200, "")
		}
		ask(t, "POST", url+prefix+blog+"/comments", newComment).want(t, 202, "")
		ask(t, "OPTIONS", url+prefix+blog+"/comments", "", "Origin", "https://blog.example", "Access-Control-Request-Method", "POST").want(t, 204, "")
	}
	ask(t, "GET", url+"/comments", "").want(t, 200, "")
	ask(t, "GET", url+"/comments/comments/healthz", "").want(t, 404, "not-found")
}

func TestAPublicPathThatLooksLikeARouteIsNoTrap(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.cfg.PublicURL = "https://talk.example/api"
	url := w.open(t)
	ask(t, "GET", url+"/api"+helloPath, "").want(t, 200, "")
	ask(t, "GET", url+helloPath, "").want(t, 200, "")
	ask(t, "GET", url+"/api/healthz", "").want(t, 200, "")
}

func TestHomeLeadsToTheDemo(t *testing.T) {
	t.Parallel()
	w := newWorld()
	if r := ask(t, "GET", w.open(t)+"/", "").want(t, 200, ""); !strings.Contains(r.text, "Postil") || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("%s", r.text)
	}
	w.deps.Demo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "demo at "+r.URL.Path) })
	url := w.open(t)
	for from, to := range map[string]string{"/": "demo/", "/comments/": "demo/", "/comments": "comments/demo/", "/demo": "demo/", "/comments/demo": "demo/"} {
		ask(t, "GET", url+from, "").want(t, 302, "").wantHeader(t, "Location", to)
	}
	for path, seen := range map[string]string{"/demo/": "/", "/demo/posts/x.html": "/posts/x.html", "/comments/demo/a": "/a"} {
		if r := ask(t, "GET", url+path, "").want(t, 200, ""); r.text != "demo at "+seen {
			t.Errorf("%s: %s", path, r.text)
		}
	}
}

func TestHooksAreMountedByName(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.deps.Hooks = map[string]http.Handler{"telegram": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		_, _ = w.Write(b)
	})}
	url := w.open(t)
	if r := ask(t, "POST", url+"/comments/hooks/telegram", "update").want(t, 200, ""); r.text != "update" {
		t.Errorf("%s", r.text)
	}
	ask(t, "POST", url+"/hooks/telegram", strings.Repeat("x", maxHook+1)).want(t, 413, "")
	ask(t, "POST", url+"/hooks/other", "update").want(t, 404, "not-found")
	ask(t, "GET", url+"/hooks/telegram", "").want(t, 405, "method")
}

func TestAClientThatStallsDelaysNoStopAndFailsNone(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s, ended := newWorld().server(t), make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln, s.Handler()) }()
	for _, half := range []string{"GET /healthz HTTP/1.1\r\nHost: x\r\n", "POST " + blog + "/comments HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"} {
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, half); err != nil {
			t.Fatal(err)
		}
	}
	ask(t, "GET", "http://"+ln.Addr().String()+"/healthz", "").want(t, 200, "") // accepted in order: the halves came before it
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the stop failed: %v", err)
		}
	case <-time.After(5 * graceTime): // patient with a busy machine
		t.Error("the stop waits for them")
	}
}

func TestReadinessIs503OnlyWhenCommentsCannotBeAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	for _, c := range []struct {
		report Report
		status int
		text   string
	}{
		{Report{Status: "ok", Accepting: true}, 200, `{"status":"ok","checks":{}}`},
		{Report{Status: "ok", Accepting: true, Backup: time.UnixMilli(1_800_000_000_000)}, 200, `{"status":"ok","checks":{},"last_backup":"2027-01-15T08:00:00.000Z"}`},
		{Report{Status: "degraded", Accepting: true, Checks: map[string]string{"telegram": "no answer for 3 minutes"}}, 200, `{"status":"degraded","checks":{"telegram":"no answer for 3 minutes"}}`},
		{Report{Status: "degraded", Checks: map[string]string{"store": "not writable"}}, 503, `{"status":"degraded","checks":{"store":"not writable"}}`},
	} {
		w.status = c.report
		r := ask(t, "GET", url+"/readyz", "").want(t, c.status, "").wantHeader(t, "Cache-Control", "no-store")
		if r.text != c.text || (r.Header.Get("Retry-After") != "") != (c.status == 503) {
			t.Errorf("%+v: %s", c.report, r.text)
		}
	}
}

func TestMetricsAreForTheMachineItself(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.deps.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "postil_up 1\n") })
	url := w.open(t)
	ask(t, "GET", url+"/metrics", "").want(t, 200, "")
	for _, header := range []string{"X-Forwarded-For", "Forwarded", "Via"} {
		ask(t, "GET", url+"/metrics", "", header, "1").want(t, 404, "not-found")
	}
}

func TestTheTableOfContentsIsComplete(t *testing.T) {
	t.Parallel()
	routes := newWorld().server(t).Routes()
	for _, line := range []string{"GET " + sitePath + "/comments", "HEAD " + sitePath + "/comments", "POST " + sitePath + "/comments", "GET /widget.js", "GET /readyz"} {
		if !slices.Contains(routes, line) {
			t.Errorf("%s is missing", line)
		}
	}
	if !slices.IsSorted(routes) || len(slices.Compact(slices.Clone(routes))) != len(routes) {
		t.Errorf("not sorted or twice: %v", routes)
	}
}
