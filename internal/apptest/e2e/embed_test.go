//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/postil/postil/internal/apptest"
)

type ignored = chromedp.Void

func TestEmbedding(t *testing.T) {
	w := newWorld(t)
	first := w.public(t, apptest.Draft{Post: "/first", Text: "Under the first post."})
	w.public(t, apptest.Draft{Post: "/second", Text: "Under the second."})

	t.Run("EMB-01 EMB-05 two threads, one of them twice", func(t *testing.T) { severalWidgets(t, w) })
	t.Run("EMB-02 coming and going", func(t *testing.T) { comingAndGoing(t, w) })
	t.Run("EMB-04 UPG-04 where the script came from", func(t *testing.T) { ways(t, w) })
	t.Run("EMB-07 foreign children", func(t *testing.T) {
		p := w.browser.Reader(t)
		p.Visit(t, w.page("/children", script+`<postil-comments site="blog" post="/first"><iframe title="ad" srcdoc="an advertisement"></iframe><p id="mine">Loading the comments …</p><noscript>No script</noscript></postil-comments>`, ""))
		p.Shows(t, long, ".thread", "Under the first post.")
		if apptest.Eval[bool](t, p, `document.querySelector("#mine").checkVisibility()`) {
			t.Error("the placeholder is still shown")
		}
		if n := apptest.Eval[int](t, p, `document.querySelector("postil-comments").children.length`); n != 3 {
			t.Errorf("the page's own children were changed: there are %d", n)
		}
		quiet(t, p)
	})
	t.Run("EMB-10 a strict policy", func(t *testing.T) { strictPolicies(t, w) })
	t.Run("EMB-11 the server is broken", func(t *testing.T) { brokenServer(t, w) })
	t.Run("EMB-16 fragments of the page", func(t *testing.T) {
		body := script + `<h2 id="chapter-3">Three</h2><postil-comments site="blog" post="/first"></postil-comments>`
		url := w.page("/anchors", body, "")
		for _, hash := range []string{"#chapter-3", "#/route", "#postil", "#postil-1/2", "#postil-17?x=1", "#comment-1"} {
			p := w.browser.Reader(t)
			p.Visit(t, url+hash)
			if shows(t, p, "not here any more") || apptest.Eval[bool](t, p, apptest.In("[data-linked]")+` !== null`) || asked(p, "GET", "focus=") > 0 {
				t.Errorf("%s was taken for a link to a comment", hash)
			}
		}
		p := w.browser.Reader(t)
		p.Visit(t, url+"#postil-"+first)
		p.Until(t, long, "the linked comment is highlighted", apptest.In(`.comment[data-id="`+first+`"][data-linked]`))
		gone := w.browser.Reader(t)
		gone.Visit(t, url+"#postil-99999")
		gone.Shows(t, long, ".message", "not here any more")
		gone.Shows(t, long, ".thread", "Under the first post.")
	})
	t.Run("EMB-17 odd characters in attributes", func(t *testing.T) {
		p := w.browser.Reader(t)
		p.Visit(t, w.page("/odd", script+"<postil-comments site=\"blog\" post=\"/odd\" title='Soup\n\"& <b>more</b> 🍲' texts='{\"send\":\"\\\"Go\\\" <b>🍲</b>\"}'></postil-comments>", ""))
		p.Type(t, textField, "Is the title whole?")
		if got := p.Text(t, sendIt); got != `"Go" <b>🍲</b>` {
			t.Errorf("the button says %q", got)
		}
		p.Fill(t, nameField, "Ann")
		p.Click(t, sendIt)
		idOf(t, p, long, "Is the title whole?")
		if posts := w.Thread(t, "/odd"); posts.Count != 0 {
			t.Errorf("it is public before a decision: %+v", posts)
		}
		quiet(t, p)
	})
	t.Run("XSS-13 nothing is taken from the address or window.name", func(t *testing.T) {
		p := w.browser.Reader(t)
		p.Before(t, `window.name = JSON.stringify({ site: "other", api: "https://evil.example", theme: "<img src=x onerror=window.__pwned=1>" })`)
		p.Visit(t, w.page("/config", script+`<postil-comments site="blog" post="location.pathname" theme="javascript:window.__pwned=1" sort="<b>" language="../../x"></postil-comments>`, "")+"?host=evil.example&theme=dark&site=other&post=/first")
		if apptest.Eval[bool](t, p, `window.__pwned !== undefined`) {
			t.Error("a value was run")
		}
		if n := asked(p, "GET", "comments?post=location.pathname"); n != 1 {
			t.Errorf("the attribute was asked for literally %d times: %+v", n, p.Requests())
		}
		for _, r := range p.Requests() {
			if strings.Contains(r.URL, "evil") && !strings.HasPrefix(r.URL, w.blog.URL) {
				t.Errorf("the page asked for %s", r.URL)
			}
		}
		quiet(t, p)
	})
	t.Run("AUTH-01 an address that is not in the list", func(t *testing.T) {
		p := w.browser.Reader(t)
		url := w.page("/strange", script+`<postil-comments site="blog" post="/first"></postil-comments>`, "")
		p.Visit(t, strings.Replace(url, "127.0.0.1", "localhost", 1))
		p.Shows(t, long, ".thread", "Under the first post.")
		p.Click(t, textField)
		p.Shows(t, long, composer+" .notice", "is not in the allowed list: "+w.blog.URL)
	})
	t.Run("a site that there is not", func(t *testing.T) {
		p := w.browser.Reader(t)
		p.Open(t, w.page("/unknown", script+`<postil-comments site="blgo" post="/first"></postil-comments>`, ""))
		p.Shows(t, long, ".notice", "knows no site “blgo”")
		p.Open(t, w.page("/nameless", script+`<postil-comments></postil-comments>`, ""))
		p.Shows(t, long, ".notice", "needs the attribute site")
	})
	t.Run("a foreign base address", func(t *testing.T) {
		p := w.browser.Reader(t)
		p.Visit(t, w.page("/based", `<base href="https://elsewhere.example/deep/">`+script+`<postil-comments site="blog" post="/first"></postil-comments>`, ""))
		p.Click(t, composer+" textarea")
		p.Click(t, composer+" .formatting")
		p.Shows(t, long, composer, "bold")
		if href := apptest.Eval[string](t, p, apptest.In("a.time")+".href"); href != w.blog.URL+"/based#postil-"+first {
			t.Errorf("the permalink is %s", href)
		}
		quiet(t, p)
	})
}

func severalWidgets(t *testing.T, w *world) {
	p := w.browser.Reader(t)
	p.Open(t, w.page("/several", script+`<postil-comments site="blog" post="/first"></postil-comments><postil-comments site="blog" post="/second"></postil-comments><postil-comments site="blog" post="/first"></postil-comments>`+script, ""))
	for n := range 3 {
		shown(t, p, n)
	}
	for n, text := range []string{"Under the first post.", "Under the second.", "Under the first post."} {
		p.Until(t, long, text, nth(n, ".thread")+fmt.Sprintf(`.innerText.includes(%q)`, text))
	}
	if n := asked(p, "GET", "/comments?post=%2Ffirst"); n != 1 {
		t.Errorf("the same thread was asked for %d times", n)
	}
	p.Until(t, long, "the page listens", `true`)
	apptest.Eventually(t, long, "one stream is open", func() bool { return asked(p, "GET", "/stream?") >= 1 })

	apptest.Eval[ignored](t, p, nth(1, "textarea")+`.focus()`)
	apptest.Eval[ignored](t, p, `void document.execCommand("insertText", false, "For the second.")`)
	apptest.Eval[ignored](t, p, nth(0, ".comment .reply")+`.click()`)
	apptest.Eval[ignored](t, p, `void document.execCommand("insertText", false, "A reply.")`)
	apptest.Eval[ignored](t, p, nth(0, ".place .formatting")+`.click()`)
	p.Until(t, long, "the toolbar is there", nth(0, ".place .tool"))
	apptest.Eval[ignored](t, p, nth(0, ".place .tool")+`.click()`)
	values := apptest.Eval[[]string](t, p, `[...document.querySelectorAll("postil-comments")].flatMap(e => [...e.shadowRoot.querySelectorAll("textarea")].map(a => a.value))`)
	if want := []string{"", "A reply.****", "For the second.", ""}; fmt.Sprint(values) != fmt.Sprint(want) {
		t.Errorf("the boxes hold %q, want %q", values, want)
	}
	if twice := apptest.Eval[[]string](t, p, `[...document.querySelectorAll("postil-comments")].flatMap(e => [...e.shadowRoot.querySelectorAll("[id]")].map(x => x.id)).filter((id, i, all) => all.indexOf(id) !== i)`); len(twice) > 0 {
		t.Errorf("ids are there twice: %q", twice)
	}
	quiet(t, p)
}

// A hundred times on and off the page leaves nothing behind.
func comingAndGoing(t *testing.T, w *world) {
	p := w.browser.Reader(t)
	p.Visit(t, w.page("/cycles", script+`<main><postil-comments site="blog" post="/first"></postil-comments></main>`, ""))
	const cycle = `(async (times) => {
		const main = document.querySelector("main");
		for (let i = 0; i < times; i++) {
			const old = document.querySelector("postil-comments");
			main.append(old); main.append(old); // moved twice: still one widget
			await new Promise(r => setTimeout(r));
			old.remove();
			const e = document.createElement("postil-comments");
			e.setAttribute("site", "blog"); e.setAttribute("post", "/first");
			main.append(e);
			for (let n = 0; n < 200 && e.dataset.state !== "ready"; n++) await new Promise(r => setTimeout(r, 25));
		}
		return document.querySelectorAll("postil-comments").length + "/" + document.querySelector("postil-comments").shadowRoot.querySelectorAll(".composer").length;
	})(%d)`
	if got := apptest.Await[string](t, p, fmt.Sprintf(cycle, 5)); got != "1/1" {
		t.Fatalf("after five cycles there are %s widgets/composers", got)
	}
	before := p.Held(t)
	for range 10 {
		if got := apptest.Await[string](t, p, fmt.Sprintf(cycle, 10)); got != "1/1" {
			t.Fatalf("there are %s widgets/composers", got)
		}
	}
	after := p.Held(t)
	if after.Listeners > before.Listeners+20 || after.Nodes > before.Nodes+200 {
		t.Errorf("a hundred cycles leave something behind: %+v became %+v", before, after)
	}
	quiet(t, p)
}

// ways are those in which a page may load the script.
func ways(t *testing.T, w *world) {
	const element = `<postil-comments site="blog" post="/first"></postil-comments>`
	for name, body := range map[string]string{
		"plain":    `<script src="SERVICE/widget.js"></script>` + element,
		"async":    element + `<script async src="SERVICE/widget.js"></script>`,
		"module":   element + `<script type="module" src="SERVICE/widget.js"></script>`,
		"imported": element + `<script type="module">import "SERVICE/widget.js"</script>`,
		"injected": element + `<script>document.head.append(Object.assign(document.createElement("script"), { src: "SERVICE/widget.js" }))</script>`,
		"pinned":   element + `<script defer src="SERVICE/widget.v1.js"></script>`,
		"twice":    script + element + `<script src="SERVICE/widget.v1.js"></script>`,
		"bundled":  `<postil-comments site="blog" post="/first" api="SERVICE"></postil-comments><script src="/app.js"></script>`,
	} {
		t.Run(name, func(t *testing.T) {
			if name == "bundled" {
				w.handle("/app.js", func(out http.ResponseWriter, r *http.Request) {
					res, err := http.Get(w.URL + "/widget.js")
					if err != nil {
						t.Error(err)
						return
					}
					defer res.Body.Close()
					out.Header().Set("Content-Type", "text/javascript")
					fmt.Fprint(out, "const blog = 1;\n")
					_, _ = io.Copy(out, res.Body)
				})
			}
			p := w.browser.Reader(t)
			p.Visit(t, w.page("/way-"+name, body, ""))
			p.Shows(t, long, ".thread", "Under the first post.")
			quiet(t, p)
		})
	}
}

func strictPolicies(t *testing.T, w *world) {
	const body = script + `<postil-comments site="blog" post="/first" language="de"></postil-comments>`
	p := w.browser.Reader(t)
	p.Visit(t, w.page("/strict", body, "default-src 'none'; script-src SERVICE; connect-src SERVICE; require-trusted-types-for 'script'; trusted-types postil"))
	p.Shows(t, long, ".thread", "Under the first post.")
	p.Type(t, textField, "Unter **strengen** Regeln.")
	p.Fill(t, nameField, "Ann")
	p.Click(t, composer+" .formatting")
	p.Shows(t, long, composer, "fett")
	p.Click(t, composer+" .show-preview")
	p.Shows(t, long, composer+" .preview", "Unter strengen Regeln.")
	p.Click(t, sendIt)
	id := idOf(t, p, long, "Unter strengen Regeln.")
	p.Until(t, long, "the own comment can be changed", apptest.In(apptest.OfComment(id, ".actions .edit"))+`?.innerText.startsWith("Bearbeiten")`)
	for _, e := range p.Errors() {
		if !strings.Contains(e, "favicon") && !strings.Contains(e, "data:,") {
			t.Errorf("the console says: %s", e)
		}
	}

	missing := w.browser.Reader(t)
	missing.Open(t, w.page("/no-connect", body, "default-src 'none'; script-src SERVICE"))
	missing.Shows(t, long, ".notice", "must allow "+w.URL+" in connect-src")
}

func brokenServer(t *testing.T, w *world) {
	broken := true
	w.handle("/broken/api/v1/sites/blog/comments", func(out http.ResponseWriter, _ *http.Request) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if broken {
			http.Error(out, "<h1>Bad gateway</h1>", http.StatusBadGateway)
			return
		}
		fmt.Fprint(out, `{"post":{"key":"/x","title":"","url":"","closed":false},"version":1,"count":1,"next_cursor":null,"comments":[{"id":"1","parent_id":null,"depth":0,"html":"<p>From an older server.</p>"}]}`)
	})
	url := w.page("/down", script+`<script src="SERVICE/count.js" defer></script><postil-comments site="blog" post="/x" api="/broken"></postil-comments><postil-count site="blog" post="/x" api="/broken">some</postil-count>`, "")
	p := w.browser.Reader(t)
	p.Open(t, url)
	p.Shows(t, long, ".notice", "has a problem")
	if got := apptest.Eval[string](t, p, `document.querySelector("postil-count").textContent`); got != "some" {
		t.Errorf("the count shows %q instead of its fallback", got)
	}
	w.mu.Lock()
	broken = false
	w.mu.Unlock()
	p.Click(t, ".notice .retry")
	// UPG-02: the answer of a server that knows less than this widget.
	p.Shows(t, long, ".thread", "From an older server.")
	for _, e := range p.Errors() {
		if strings.Contains(e, "exception") {
			t.Errorf("the console says: %s", e)
		}
	}
}
