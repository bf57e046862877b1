//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

// long is for what must happen even on a machine with other things to do.
const long = 3 * slow

// world is the service and a blog on another origin whose pages the tests
// write, and a browser.
type world struct {
	*apptest.Process
	browser *apptest.Browser
	blog    *httptest.Server

	mu    sync.Mutex
	pages map[string]http.HandlerFunc
}

func newWorld(t *testing.T, env ...string) *world {
	t.Helper()
	w := &world{pages: map[string]http.HandlerFunc{}}
	w.blog = httptest.NewServer(w)
	t.Cleanup(w.blog.Close)
	w.Process = apptest.RunBinary(t, apptest.Options{}, append([]string{"POSTIL_LIMITS=off", "POSTIL_SITE_ORIGINS=" + w.blog.URL}, env...)...)
	w.browser = apptest.NewBrowser(t)
	return w
}

func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	page := w.pages[r.URL.Path]
	w.mu.Unlock()
	if page == nil {
		http.NotFound(out, r)
		return
	}
	page(out, r)
}

// handle has the blog answer a path.
func (w *world) handle(path string, page http.HandlerFunc) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages[path] = page
	return w.blog.URL + path
}

// page writes a page of the blog and returns its address. SERVICE in it stands
// for the service's address; policy is its Content-Security-Policy.
func (w *world) page(path, body, policy string) string {
	return w.handle(path, func(out http.ResponseWriter, _ *http.Request) {
		if policy != "" {
			out.Header().Set("Content-Security-Policy", strings.ReplaceAll(policy, "SERVICE", w.URL))
		}
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(out, "<!doctype html><html lang=\"en\"><head><title>A post</title><meta name=\"viewport\" content=\"width=device-width\"><link rel=\"icon\" href=\"data:,\"></head><body>%s</body></html>",
			strings.ReplaceAll(body, "SERVICE", w.URL))
	})
}

// script is the line that loads the widget.
const script = `<script src="SERVICE/widget.js" defer></script>`

// public sends a comment and approves it.
func (w *world) public(t *testing.T, d apptest.Draft) string {
	t.Helper()
	if d.Device == "" {
		d.Device = fmt.Sprintf("device-of-somebody-%d", len(d.Text)*7919+len(d.Post))
	}
	posted := w.Post(t, d)
	w.Decide(t, posted.Comment.ID, "approve")
	return posted.Comment.ID
}

// nth is the JavaScript for an element inside the nth widget of the page.
func nth(n int, selector string) string {
	return fmt.Sprintf(`document.querySelectorAll("postil-comments")[%d].shadowRoot?.querySelector(%q)`, n, selector)
}

// asked counts the requests of a page whose address contains text.
func asked(p *apptest.Page, method, text string) (n int) {
	for _, r := range p.Requests() {
		if r.Method == method && strings.Contains(r.URL, text) {
			n++
		}
	}
	return n
}

// shown waits until the nth widget shows its thread.
func shown(t *testing.T, p *apptest.Page, n int) {
	t.Helper()
	p.Until(t, long, fmt.Sprintf("widget %d shows its thread", n), fmt.Sprintf(`document.querySelectorAll("postil-comments")[%d]?.dataset.state === "ready"`, n))
}
