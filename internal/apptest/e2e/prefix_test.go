//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

// front is a blog's web server: it hands what is below /comments/ to Postil,
// has one page of its own, and remembers what else it was asked for.
type front struct {
	*httptest.Server
	mu    sync.Mutex
	proxy *httputil.ReverseProxy
	stray []string
}

func newFront(t *testing.T) *front {
	t.Helper()
	f := &front{}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *front) to(t *testing.T, service string) {
	t.Helper()
	u, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.proxy = &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: u.Scheme, Host: u.Host})
		r.SetXForwarded()
	}}
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	proxy := f.proxy
	f.mu.Unlock()
	switch {
	case strings.HasPrefix(r.URL.Path, "/comments/"):
		proxy.ServeHTTP(w, r)
	case r.URL.Path == "/post":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; require-trusted-types-for 'script'; trusted-types postil")
		fmt.Fprint(w, `<!doctype html><html lang="en"><title>A post</title><link rel="icon" href="data:,"><h1>A post</h1>
<script src="/comments/widget.js" defer></script><postil-comments site="blog"></postil-comments>`)
	default:
		f.mu.Lock()
		f.stray = append(f.stray, r.URL.Path)
		f.mu.Unlock()
		http.NotFound(w, r)
	}
}

func TestEMB_13_AServiceBelowAPathAsksForNothingElsewhere(t *testing.T) {
	f := newFront(t)
	p := apptest.RunBinary(t, apptest.Options{Telegram: true, Demo: true, Prefix: "/comments"},
		"POSTIL_URL="+f.URL+"/comments/", "POSTIL_SITE_ORIGINS="+f.URL, "POSTIL_TRUSTED_PROXIES=127.0.0.1")
	f.to(t, p.Base)
	browser := apptest.NewBrowser(t)

	demo := browser.Reader(t)
	demo.Visit(t, f.URL+"/comments/demo/posts/margins")
	write(t, demo, "Ann", "Below a path.")
	card := p.Bot.Card(t, soon, "Below a path.")
	if !strings.Contains(card.Source, f.URL+"/comments/demo/posts/margins") {
		t.Errorf("the card does not link to the post: %s", card.Source)
	}
	p.Bot.Tap(t, card, "Approve")
	demo.Gone(t, slow, waiting)

	// A page of the blog itself, under a policy that allows the two lines alone.
	post := browser.Reader(t)
	post.Visit(t, f.URL+"/post")
	write(t, post, "Ben", "On the blog's own page.")
	card = p.Bot.Card(t, soon, "On the blog's own page.")
	p.Bot.Tap(t, card, "Approve")
	post.Gone(t, slow, waiting)
	post.Open(t, f.URL+"/comments/demo/")

	for _, page := range []*apptest.Page{demo, post} {
		for _, r := range page.Requests() {
			if r.URL != f.URL+"/post" && !strings.HasPrefix(r.URL, f.URL+"/comments/") && !strings.HasPrefix(r.URL, "data:") {
				t.Errorf("a page asked for %s %s", r.Method, r.URL)
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.stray) > 0 {
		t.Errorf("the blog was asked for %q", f.stray)
	}
	quiet(t, demo, post)
}
