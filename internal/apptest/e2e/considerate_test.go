//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/postil/postil/internal/apptest"
)

// way is a path of the blog below which the service is reached, unless it is
// told to answer otherwise.
type way struct {
	instead atomic.Pointer[http.HandlerFunc]
}

// through opens a way for the thread and the form of the site.
func (w *world) through(t *testing.T, prefix string) *way {
	t.Helper()
	target, err := url.Parse(w.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.URL.Path = strings.TrimPrefix(r.In.URL.Path, prefix)
	}}
	v := &way{}
	for _, path := range []string{"/comments", "/form"} {
		w.handle(prefix+"/api/v1/sites/blog"+path, func(out http.ResponseWriter, r *http.Request) {
			if instead := v.instead.Load(); instead != nil && r.Method == "POST" {
				(*instead)(out, r)
				return
			}
			proxy.ServeHTTP(out, r)
		})
	}
	return v
}

func (v *way) answer(h http.HandlerFunc) { v.instead.Store(&h) }

// plain answers as a proxy does that knows nothing of the service.
func plain(status int) http.HandlerFunc {
	return func(out http.ResponseWriter, _ *http.Request) {
		http.Error(out, "<html><h1>"+http.StatusText(status), status)
	}
}

// refusal answers as the service does.
func refusal(status int, slug, detail string) http.HandlerFunc {
	return func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "application/problem+json")
		out.Header().Set("Retry-After", "9")
		out.WriteHeader(status)
		fmt.Fprintf(out, `{"type":"https://postil.example/problems/%s","title":"No","status":%d,"detail":%q}`, slug, status, detail)
	}
}

func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// What readers may expect of the widget when things go wrong or are unusual.
func TestConsiderate(t *testing.T) {
	w := newWorld(t)
	root := w.public(t, apptest.Draft{Post: "/care", Name: "Root", Text: "The beginning."})
	t.Run("UX-01 no answer loses the text", func(t *testing.T) { noAnswerLosesTheText(t, w) })
	t.Run("an input method keeps its keys", func(t *testing.T) { inputMethod(t, w, root) })
	t.Run("forced colours", func(t *testing.T) { forcedColours(t, w, root) })
	t.Run("EMB-08 hostile styles of the page", func(t *testing.T) { hostileStyles(t, w) })
	t.Run("EMB-11 a server that says nothing", func(t *testing.T) { silentServer(t, w) })
}

func noAnswerLosesTheText(t *testing.T, w *world) {
	v := w.through(t, "/way")
	p := w.browser.Reader(t)
	p.Open(t, w.page("/errors", script+`<postil-comments site="blog" post="/errors" api="/way"></postil-comments>`, ""))
	for i, c := range []struct {
		name, says string
		answer     http.HandlerFunc
	}{
		{"429 of the service", "Wait 9 seconds", refusal(429, "rate-limited", "Wait 9 seconds and send again.")},
		{"429 of a proxy", "has a problem", plain(429)},
		{"500", "has a problem", plain(500)},
		{"413", "more than the server takes", plain(413)},
		{"503", "could not be kept", refusal(503, "not-saved", "It could not be kept. Send it again.")},
		{"cut off", "did not answer", cut},
		{"no JSON", "has a problem", func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, "<html>Please sign in") }},
	} {
		text := fmt.Sprintf("Half a page of thoughts, number %d.", i)
		v.answer(c.answer)
		p.Fill(t, textField, text)
		p.Fill(t, nameField, "Ann")
		p.Click(t, sendIt)
		p.Shows(t, long, composer+" .notice", c.says)
		if got := p.Value(t, textField); got != text {
			t.Errorf("%s: the text became %q", c.name, got)
		}
		if i == 0 {
			p.Reload(t)
			p.Until(t, long, "the draft is there after a reload", apptest.In(textField)+`?.value === "`+text+`"`)
			p.Fill(t, nameField, "Ann") // remembered from the first comment that was sent
			p.Click(t, sendIt)
			p.Shows(t, long, composer+" .notice", c.says)
		}
		v.instead.Store(nil)
		p.Click(t, composer+" .notice .retry")
		idOf(t, p, long, text)
		if got := p.Value(t, textField); got != "" {
			t.Errorf("%s: after sending the box holds %q", c.name, got)
		}
	}
	if n := w.Admin(t, "GET", "comments?site=blog&post=/errors&limit=50", nil); strings.Count(string(n.Body), `"text":"Half a page of thoughts, number 0."`) != 1 {
		t.Errorf("the first text is there more or less than once: %s", n.Body)
	}
}

func inputMethod(t *testing.T, w *world, root string) {
	p := w.browser.Reader(t)
	p.Visit(t, w.page("/ime", script+`<postil-comments site="blog" post="/care"></postil-comments>`, ""))
	p.Click(t, apptest.OfComment(root, ".actions .reply"))
	place := apptest.OfComment(root, ".place ")
	p.Fill(t, place+`input[name="name"]`, "Ann")
	p.Click(t, place+"textarea")
	p.Compose(t, "にほん")
	p.Press(t, kb.Escape)
	p.Press(t, kb.Enter, kb.ModifierCtrl)
	if !apptest.Eval[bool](t, p, apptest.In(place+".composer")+`?.checkVisibility() === true`) {
		t.Error("Escape of the input method closed the box")
	}
	if n := asked(p, "POST", "/comments"); n != 0 {
		t.Errorf("Enter of the input method sent %d comments", n)
	}
	p.Fill(t, place+"textarea", "日本語で書きます。")
	p.Press(t, kb.Enter, kb.ModifierCtrl)
	idOf(t, p, long, "日本語で書きます。")
	p.Click(t, apptest.OfComment(root, ".actions .reply"))
	p.Click(t, place+"textarea")
	p.Press(t, kb.Escape)
	p.Gone(t, long, place+".composer")
	quiet(t, p)
}

func forcedColours(t *testing.T, w *world, root string) {
	p := w.browser.Reader(t)
	p.ForcedColours(t)
	p.Visit(t, w.page("/forced", script+`<main><h1>A post</h1><postil-comments site="blog" post="/care"></postil-comments></main>`, ""))
	p.Click(t, apptest.OfComment(root, ".actions .options"))
	p.Click(t, apptest.OfComment(root, ".place .emoji"))
	pressed := apptest.OfComment(root, `.actions .chip[aria-pressed="true"]`)
	p.Until(t, long, "the reaction is there", apptest.In(pressed))
	p.Click(t, textField)
	for _, selector := range []string{pressed, ".avatar"} {
		if style := apptest.Eval[string](t, p, `getComputedStyle(`+apptest.In(selector)+`).outlineStyle`); style == "none" {
			t.Errorf("without its own colours %s cannot be told from what is beside it", selector)
		}
	}
	for _, selector := range []string{textField, sendIt, composer + " .show-preview"} {
		got := apptest.Eval[[]string](t, p, `(s => [s.borderTopColor, s.backgroundColor, s.borderTopWidth])(getComputedStyle(`+apptest.In(selector)+`))`)
		if got[0] == got[1] || got[2] == "0px" {
			t.Errorf("%s has no edge: %q", selector, got)
		}
	}
	p.Shot(t, "forced-colours")
	quiet(t, p)
}

func hostileStyles(t *testing.T, w *world) {
	const css = `<style>
		* { letter-spacing: 9px !important; box-sizing: content-box; }
		body { text-transform: uppercase; text-indent: 60px; white-space: nowrap; word-spacing: 2em; text-align: right; line-height: 4; font: italic 15px serif; }
		div, p, section, button, ol, li, h2, textarea, form { float: left !important; position: fixed !important; opacity: .1 !important; width: 3px !important; }
		button, input, textarea { display: none !important; }
		.comment, .head, .body, .composer { display: none !important; background: red !important; }
	</style>`
	p := w.browser.Reader(t)
	p.Size(t, 375, 800, true)
	p.Visit(t, w.page("/hostile-css", css+script+`<main><postil-comments site="blog" post="/care"></postil-comments></main>`, ""))
	p.Shows(t, long, ".thread", "The beginning.")
	got := apptest.Eval[[]string](t, p, `(s => [s.textTransform, s.textIndent, s.whiteSpace, s.wordSpacing, s.opacity, s.position])(getComputedStyle(`+apptest.In(".comment .body")+`))`)
	if want := []string{"none", "0px", "normal", "0px", "1", "static"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the page's styles reach a comment: %q, want %q", got, want)
	}
	if !apptest.Eval[bool](t, p, apptest.In(textField)+`.checkVisibility() && `+apptest.In(textField)+`.offsetWidth > 200`) {
		t.Error("the page's styles reach the composer")
	}
	noSideways(t, p, "hostile styles")
	p.Shot(t, "hostile-styles")
	quiet(t, p)
}

func silentServer(t *testing.T, w *world) {
	release := make(chan struct{})
	w.handle("/mute/api/v1/sites/blog/comments", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(release) })
	p := w.browser.Reader(t)
	p.Open(t, w.page("/mute", script+`<p id="rest">The rest.</p><postil-comments site="blog" post="/x" api="/mute"></postil-comments><script>addEventListener("load", () => window.loaded = true)</script>`, ""))
	p.Until(t, slow, "the page is loaded although the server says nothing", `window.loaded`)
	if !apptest.Eval[bool](t, p, apptest.In(".bone")+` !== null`) {
		t.Error("nothing stands in the place of the comments")
	}
	p.Shows(t, long+30*time.Second, ".notice", "takes too long to answer")
	if !apptest.Eval[bool](t, p, apptest.In(".notice .retry")+`.checkVisibility()`) {
		t.Error("there is no way to try again")
	}
}
