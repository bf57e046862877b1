//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

// reserve is the line of web/README.md for a page on which the comments stand
// in the first window.
const reserve = `<style>@media (scripting: enabled) { postil-comments:not(:defined) { display: block; min-height: 100vh } }</style>`

// shifts notes what moved without the reader's doing, and what it was.
const shifts = `window.__moved = [];
	new PerformanceObserver((l) => { for (const e of l.getEntries()) if (!e.hadRecentInput) __moved.push({ Value: e.value, What: e.sources.map((s) => (s.node?.className || s.node?.nodeName) + " from " + s.previousRect.y + " to " + s.currentRect.y).join() }); }).observe({ type: "layout-shift", buffered: true });`

// drawnTwice waits until the browser has shown what there is and told of it.
const drawnTwice = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true), 100))))`

// front is the service behind a proxy that holds threads back until they are let go.
func (w *world) front(t *testing.T) (address string, letGo func()) {
	t.Helper()
	target, err := url.Parse(w.URL)
	if err != nil {
		t.Fatal(err)
	}
	gate := make(chan struct{})
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" && strings.HasSuffix(r.URL.Path, "/comments") {
			select {
			case <-gate:
			case <-r.Context().Done():
			}
		}
		proxy.ServeHTTP(out, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections() // streams end with their reader, or with this
		server.Close()
	})
	return server.URL, func() { close(gate) }
}

// The page is shown before the script is there, and the widget before the
// thread is: every step that can move something is a frame of its own.
func TestTheWidgetMovesNothing(t *testing.T) {
	w := newWorld(t)
	w.crowd(t, "/three", 3)
	w.crowd(t, "/hundred", 100)
	for _, size := range []struct{ width, height int64 }{{1100, 900}, {375, 812}} {
		for _, post := range []string{"/none", "/three", "/hundred"} {
			for _, above := range []int{100, 700, 3000} {
				t.Run(fmt.Sprintf("%d wide, %s, below %d px", size.width, post[1:], above), func(t *testing.T) {
					p := w.browser.Reader(t)
					p.Size(t, size.width, size.height, size.width < 400)
					movesNothing(t, w, p, post, above)
				})
			}
		}
	}
}

func movesNothing(t *testing.T, w *world, p *apptest.Page, post string, above int) {
	service, letGo := w.front(t)
	p.Before(t, shifts)
	p.Open(t, w.page("/still", fmt.Sprintf(`%s<main style="height: %dpx"><h1>A post</h1></main><postil-comments site="blog" post="%s"></postil-comments><footer style="height: 200px">The end</footer>`, reserve, above, post), ""))
	apptest.Await[bool](t, p, drawnTwice)
	apptest.Eval[ignored](t, p, `document.head.append(Object.assign(document.createElement("script"), { src: "`+service+`/widget.js" }))`)
	p.Until(t, long, "the widget is there", `document.querySelector("postil-comments").shadowRoot`)
	apptest.Await[bool](t, p, drawnTwice)
	letGo()
	if above > 2000 {
		apptest.Eval[ignored](t, p, `document.querySelector("postil-comments").scrollIntoView()`)
	}
	p.Ready(t)
	apptest.Await[bool](t, p, drawnTwice)
	type moved struct {
		Value float64
		What  string
	}
	sum := 0.0
	all := apptest.Eval[[]moved](t, p, `__moved`)
	for _, m := range all {
		sum += m.Value
	}
	if sum >= 0.02 {
		t.Errorf("the layout shifted by %.4f: %+v", sum, all)
	}
}

// The form takes as much room closed as open, whatever the page's font and language.
func TestOpeningTheFormMovesNoComment(t *testing.T) {
	w := newWorld(t)
	w.crowd(t, "/three", 3)
	p := w.browser.Reader(t)
	for _, width := range []int64{1100, 320} {
		p.Size(t, width, 900, width < 400)
		for _, font := range []string{"14px sans-serif", "24px/2 serif"} {
			for _, language := range []string{"en", "ru", "ar"} {
				p.Visit(t, w.page("/font", fmt.Sprintf(`<div style="font: %s">%s<postil-comments site="blog" post="/three" language="%s"></postil-comments></div>`, font, script, language), ""))
				const top = `document.querySelector("postil-comments").shadowRoot.querySelector(".comment").getBoundingClientRect().top + scrollY`
				before := apptest.Eval[float64](t, p, top)
				p.Click(t, textField)
				p.Until(t, long, "the form is open", apptest.In(composer+" .more:not([inert])"))
				if after := apptest.Eval[float64](t, p, top); after != before {
					t.Errorf("%d wide, %s, %s: the first comment moved from %.1f to %.1f", width, font, language, before, after)
				}
			}
		}
	}
}
