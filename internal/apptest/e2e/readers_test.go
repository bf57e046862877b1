//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

// What readers of a foreign blog meet, whatever their browser allows.
func TestReaders(t *testing.T) {
	w := newWorld(t)
	root := w.public(t, apptest.Draft{Post: "/talk", Name: "Root", Text: "The beginning."})
	url := w.page("/talk", script+`<postil-comments site="blog" post="/talk"></postil-comments>`, "")

	t.Run("transferred until a comment is sent", func(t *testing.T) {
		p := w.browser.Reader(t)
		p.Before(t, `addEventListener("DOMContentLoaded", () => new PerformanceObserver((list) => { for (const s of list.getEntries()) if (!s.hadRecentInput) (window.__shifts ??= []).push([s.value, s.sources.map(x => [x.node?.className ?? x.node?.nodeName, x.previousRect.y, x.currentRect.y])]); }).observe({ type: "layout-shift", buffered: true }))`)
		p.Visit(t, url)
		if stored := apptest.Eval[int](t, p, `localStorage.length + sessionStorage.length + document.cookie.length`); stored != 0 {
			t.Error("something is stored before the reader acts")
		}
		if asked(p, "GET", "/comments?") != 1 || asked(p, "GET", "/stream?") != 1 || asked(p, "GET", ".js") != 1 {
			t.Errorf("reading asked for %+v", p.Requests())
		}
		if shift := apptest.Eval[float64](t, p, `(window.__shifts ?? []).reduce((sum, [value]) => sum + value, 0)`); shift > 0.02 {
			t.Errorf("the layout shifted by %.3f: %s", shift, apptest.Eval[string](t, p, `JSON.stringify(window.__shifts)`))
		}
		p.Type(t, textField, "Sent *whole*.")
		p.Fill(t, nameField, "Ann")
		p.Click(t, composer+" .show-preview")
		p.Shows(t, long, composer+" .preview", "Sent whole.")
		if n := asked(p, "GET", ".js"); n != 1 {
			t.Errorf("until then %d scripts were loaded", n)
		}
		p.Click(t, sendIt)
		idOf(t, p, long, "Sent whole.")
		quiet(t, p)
	})
	t.Run("UX-02 UX-04 AUTH-13 replies, drafts and changes across domains", func(t *testing.T) { conversation(t, w, url, root) })
	t.Run("LOAD-01 seven tabs, one stream", func(t *testing.T) { sevenTabs(t, w, url) })
	t.Run("TIME-02 a wrong clock", func(t *testing.T) {
		for _, minutes := range []int{-10, 10, 600} {
			p := w.browser.Reader(t)
			p.Before(t, fmt.Sprintf(`{ const now = Date.now; Date.now = () => now() + %d * 60000; }`, minutes))
			p.Visit(t, url)
			if got := p.Text(t, apptest.OfComment(root, ".head time")); !strings.Contains(got, "now") && !strings.Contains(got, "minute") || strings.Contains(got, "10 minutes") {
				t.Errorf("with a clock that is %d minutes ahead it says %q", minutes, got)
			}
		}
	})
	t.Run("UX-05 AUTH-05 storage is forbidden", func(t *testing.T) {
		for name, js := range map[string]string{
			"access": `Object.defineProperty(window, "localStorage", { get() { throw new DOMException("no", "SecurityError") } })`,
			"full":   `Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError") }`,
		} {
			p := w.browser.Reader(t)
			p.Before(t, js)
			p.Visit(t, url)
			write(t, p, "Ann", "Without a memory: "+name)
			id := idOf(t, p, long, "Without a memory: "+name)
			p.Shows(t, long, apptest.OfComment(id, ".head"), waits)
			quiet(t, p)
		}
	})
	t.Run("AUTH-14 a page without an origin reads and is told why it may not write", func(t *testing.T) {
		p := w.browser.Reader(t)
		p.Visit(t, w.page("/sandboxed", script+`<postil-comments site="blog" post="/talk"></postil-comments>`, "sandbox allow-scripts"))
		p.Shows(t, long, ".thread", "The beginning.")
		p.Click(t, textField)
		p.Shows(t, long, composer+" .notice", "not in the allowed list")
	})
	t.Run("languages", func(t *testing.T) { languages(t, w) })
	t.Run("EMB-08 EMB-14 light and dark in every combination", func(t *testing.T) { schemes(t, w) })
	t.Run("THR-07 THR-08 deep threads", func(t *testing.T) { deep(t, w) })
	t.Run("reactions and reports", func(t *testing.T) { reactions(t, w, url, root) })
	t.Run("counts", func(t *testing.T) {
		p := w.browser.Reader(t)
		p.Open(t, w.page("/list", `<script src="SERVICE/count.js" defer></script><a href="/talk"><postil-count site="blog">?</postil-count></a><postil-count site="blog" post="/none" zero="none yet" other="{n} notes">?</postil-count>`, ""))
		p.Until(t, long, "the numbers are there", `[...document.querySelectorAll("postil-count")].map(e => e.textContent).join() === "`+fmt.Sprint(w.Thread(t, "/talk").Count)+`,none yet"`)
		if n := asked(p, "GET", "/counts?"); n != 1 {
			t.Errorf("they were asked for in %d requests", n)
		}
		quiet(t, p)
	})
}

func conversation(t *testing.T, w *world, url, root string) {
	ann := w.browser.Reader(t)
	ann.Visit(t, url)
	ann.Type(t, textField, "Kept for later.")
	ann.Click(t, apptest.OfComment(root, ".actions .reply"))
	place := apptest.OfComment(root, ".place ")
	ann.Type(t, place+"textarea", "A half-written answer.")
	apptest.Eval[ignored](t, ann, apptest.In(place+"textarea")+`.setSelectionRange(2, 6)`)
	w.public(t, apptest.Draft{Post: "/talk", Name: "Ben", Text: "Meanwhile."})
	ann.Until(t, long, "the new comment is shown or announced", apptest.In(".root")+`.innerText.includes("Meanwhile.") || `+apptest.In(".pill:not([hidden])"))
	state := apptest.Eval[string](t, ann, `(() => { const a = `+apptest.In(place+"textarea")+`; return [a.value, a.selectionStart, a.selectionEnd, a.getRootNode().activeElement === a].join() })()`)
	if state != "A half-written answer.,2,6,true" {
		t.Errorf("while a comment arrived the box became %q", state)
	}
	ann.Fill(t, place+`input[name="name"]`, "Ann")
	ann.Click(t, place+".send")
	id := idOf(t, ann, long, "A half-written answer.")
	if got := ann.Value(t, textField); got != "Kept for later." {
		t.Errorf("the main draft became %q", got)
	}
	ann.Reload(t)
	ann.Ready(t)
	if got := ann.Value(t, textField); got != "Kept for later." {
		t.Errorf("after a reload the main draft is %q", got)
	}
	edit(t, ann, id, "A whole answer.")
	ann.Shows(t, long, apptest.OfComment(id, ".body"), "A whole answer.")
	quiet(t, ann)
}

func sevenTabs(t *testing.T, w *world, url string) {
	first := w.browser.Reader(t)
	first.Visit(t, url)
	tabs := []*apptest.Page{first}
	for range 6 {
		p := first.Another(t)
		p.Visit(t, url)
		tabs = append(tabs, p)
	}
	streams := 0
	for _, p := range tabs {
		streams += asked(p, "GET", "/stream?")
	}
	if streams > 2 { // the first may ask anew for what a later tab shows
		t.Errorf("seven tabs opened %d streams", streams)
	}
	w.public(t, apptest.Draft{Post: "/talk", Name: "Ben", Text: "To all the tabs."})
	for _, p := range tabs {
		p.Shows(t, long, ".thread", "To all the tabs.")
	}
	first.Open(t, "about:blank") // another takes over
	w.public(t, apptest.Draft{Post: "/talk", Name: "Ben", Text: "After the first has gone."})
	for _, p := range tabs[1:] {
		p.Shows(t, long, ".thread", "After the first has gone.")
	}
}

func languages(t *testing.T, w *world) {
	for code, want := range map[string][3]string{
		"de_AT": {"de", "ltr", "Kommentare"}, "pt-BR": {"pt", "ltr", "Comentários"}, "iw": {"he", "rtl", "תגובות"}, "zh-tw": {"zh-hant", "ltr", "留言"},
		"ZH-Hans-HK": {"zh-hans", "ltr", "评论"}, "ar": {"ar", "rtl", "التعليقات"}, "tlh": {"en", "ltr", "Comments"},
	} {
		p := w.browser.Reader(t)
		p.Visit(t, w.page("/in-"+strings.ToLower(code), script+`<div lang="`+code+`"><postil-comments site="blog" post="/empty"></postil-comments></div>`, ""))
		got := apptest.Eval[[]string](t, p, `(r => [r.lang, r.dir, r.querySelector("h2").textContent])(`+apptest.In(".root")+`)`)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is shown as %q, want %q", code, got, want)
		}
		noSideways(t, p, code)
		quiet(t, p)
	}
	p := w.browser.Reader(t)
	p.Visit(t, w.page("/texts", script+`<postil-comments site="blog" post="/empty" texts='{"empty":"Silence <b>so far</b>."}'><script type="application/json">{"headingEmpty":"Notes","empty":"Not this one"}</script></postil-comments>`, ""))
	p.Shows(t, long, ".heading", "Notes")
	p.Shows(t, long, ".message", "Silence <b>so far</b>.")
}

func schemes(t *testing.T, w *world) {
	const dark = `<style>html { background: #14161a } body { color: #e6e3dc; background: #14161a }</style>`
	p := w.browser.Reader(t)
	for _, system := range []string{"light", "dark"} {
		if system == "dark" {
			p.Dark(t)
		} else {
			p.Light(t)
		}
		for name, head := range map[string]string{"light": `<style>html { background: #fff } body { color: #222; background: #fff }</style>`, "dark": dark} {
			for _, theme := range []string{"auto", "light", "dark"} {
				when := fmt.Sprintf("system %s, page %s, theme %s", system, name, theme)
				p.Visit(t, w.page("/scheme", head+script+`<a href="#">a link</a><postil-comments site="blog" post="/talk" theme="`+theme+`"></postil-comments>`, ""))
				p.Click(t, textField)
				readable(t, p, when)
				want := theme
				if theme == "auto" {
					want = name
				}
				if got := apptest.Eval[string](t, p, apptest.In(".root")+".dataset.scheme"); got != want {
					t.Errorf("%s: the widget is %s", when, got)
				}
			}
		}
	}
	// Below the fold, switched before it loads and again afterwards.
	p.Open(t, w.page("/lazy", dark+script+`<div style="height: 6000px"></div><postil-comments site="blog" post="/talk" theme="dark"></postil-comments>`, ""))
	p.Until(t, long, "the widget stands there without having asked for anything", `!!document.querySelector("postil-comments").shadowRoot`)
	if n := asked(p, "GET", "/comments?post=%2Ftalk"); n > 12 {
		t.Errorf("a thread far below was loaded: %d", n)
	}
	apptest.Eval[ignored](t, p, `document.querySelector("postil-comments").setAttribute("theme", "light")`)
	apptest.Eval[ignored](t, p, `document.querySelector("postil-comments").scrollIntoView()`)
	p.Shows(t, long, ".thread", "The beginning.")
	p.Until(t, long, "it is light", apptest.In(`.root[data-scheme="light"]`))
	apptest.Eval[ignored](t, p, `document.querySelector("postil-comments").setAttribute("theme", "dark")`)
	p.Until(t, long, "it is dark again", apptest.In(`.root[data-scheme="dark"]`))
}

func deep(t *testing.T, w *world) {
	parent := ""
	var ids []string
	for i := range 9 {
		parent = w.public(t, apptest.Draft{Post: "/deep", Name: fmt.Sprintf("Person %d", i), Text: fmt.Sprintf("Level %d.", i), Parent: parent, Device: fmt.Sprintf("device-of-the-deep-%d", i)})
		ids = append(ids, parent)
	}
	p := w.browser.Reader(t)
	p.Size(t, 320, 640, true)
	p.Visit(t, w.page("/deep", script+`<postil-comments site="blog" post="/deep"></postil-comments>`, ""))
	noSideways(t, p, "deep")
	thread := w.Thread(t, "/deep")
	for i, id := range ids {
		if i > 0 {
			if got, want := p.Text(t, apptest.OfComment(id, ".context")), fmt.Sprintf("in reply to Person %d", i-1); got != want {
				t.Errorf("level %d says %q, want %q", i, got, want)
			}
		}
		can := apptest.Eval[bool](t, p, apptest.In(apptest.OfComment(id, ".actions .reply"))+`.checkVisibility()`)
		if want := thread.Find(id).CanReply; can != want {
			t.Errorf("level %d can be answered: %v, the server says %v", i, can, want)
		}
	}
	p.Click(t, apptest.OfComment(ids[0], ".actions .fold"))
	if apptest.Eval[bool](t, p, apptest.In(`.comment[data-id="`+ids[4]+`"]`)+`.checkVisibility()`) {
		t.Error("a folded comment still shows what is below")
	}
	p.Click(t, apptest.OfComment(ids[0], ".actions .fold"))
	p.Until(t, long, "it is shown again", apptest.In(`.comment[data-id="`+ids[4]+`"]`)+`.checkVisibility()`)
	quiet(t, p)
}

func reactions(t *testing.T, w *world, url, id string) {
	ann, ben := w.browser.Reader(t), w.browser.Reader(t)
	ann.Visit(t, url)
	ben.Visit(t, url)
	ann.Click(t, apptest.OfComment(id, ".actions .options"))
	ann.Click(t, apptest.OfComment(id, ".place .emoji"))
	ann.Shows(t, long, apptest.OfComment(id, ".actions .chips"), "👍 1")
	ben.Shows(t, long, apptest.OfComment(id, ".actions .chips"), "👍 1")
	ben.Click(t, apptest.OfComment(id, ".actions .chip"))
	ann.Shows(t, long, apptest.OfComment(id, ".actions .chips"), "👍 2")
	ann.Click(t, apptest.OfComment(id, `.actions .chip[aria-pressed="true"]`))
	ben.Shows(t, long, apptest.OfComment(id, ".actions .chips"), "👍 1")

	ben.Click(t, apptest.OfComment(id, ".actions .options"))
	ben.Click(t, apptest.OfComment(id, ".place .report"))
	apptest.Eval[ignored](t, ben, apptest.In(apptest.OfComment(id, ".place select"))+`.value = "off-topic"`)
	ben.Click(t, apptest.OfComment(id, ".place .send"))
	ben.Shows(t, long, apptest.OfComment(id, ".place"), "Thank you.")
	quiet(t, ann, ben)
}
