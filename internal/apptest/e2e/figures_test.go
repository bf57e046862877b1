//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

// rounds is how often a time is measured; the best counts, since what else the
// machine does only ever adds to it.
const rounds = 5

// crowd publishes n comments under a post, two answers below every root.
func (w *world) crowd(t *testing.T, post string, n int) {
	t.Helper()
	roots := w.publish(t, post, make([]string, (n+2)/3), "A remark, number")
	parents := slices.Concat(roots, roots)
	w.publish(t, post, parents[:n-len(roots)], "An answer, number")
}

// publish sends comments below these parents ("": none) and approves them all.
func (w *world) publish(t *testing.T, post string, parents []string, text string) (ids []string) {
	t.Helper()
	ids = make([]string, len(parents))
	var all sync.WaitGroup
	turn := make(chan int)
	for range 8 {
		all.Go(func() {
			for i := range turn {
				d := apptest.Draft{Post: post, Name: fmt.Sprintf("Reader %d", i%37), Parent: parents[i], Device: fmt.Sprintf("device-of-the-crowd-%d", i),
					Text: fmt.Sprintf("%s %d: a *few* words, as they are written below articles.\n\nAnd a [second](https://example.com/%d) line.", text, i, i)}
				a, err := w.Send(t.Context(), d)
				if err != nil || a.Status != http.StatusAccepted {
					t.Errorf("comment %d: %d %v", i, a.Status, err)
					continue
				}
				var posted apptest.Posted
				a.JSON(t, &posted)
				ids[i] = posted.Comment.ID
			}
		})
	}
	for i := range parents {
		turn <- i
	}
	close(turn)
	all.Wait()
	if a := w.Admin(t, "POST", "decisions", map[string]any{"ids": ids, "decision": "approve"}); a.Status != http.StatusOK {
		t.Fatalf("approving %d comments was answered with %d: %s", len(ids), a.Status, a.Body)
	}
	return ids
}

// watchdog notes what a page costs, from before its first script: when the API
// answered (the body was read) and when the thread stood, long tasks and shifts.
const watchdog = `
	window.__cost = { answered: 0, drawn: 0, long: [], shift: 0 };
	const text = Response.prototype.text;
	Response.prototype.text = async function () { const read = await text.call(this); if (/comments\?/.test(this.url)) __cost.answered = performance.now(); return read; };
	new PerformanceObserver((l) => { for (const e of l.getEntries()) __cost.long.push(e.duration); }).observe({ type: "longtask", buffered: true });
	new PerformanceObserver((l) => { for (const e of l.getEntries()) if (!e.hadRecentInput) __cost.shift += e.value; }).observe({ type: "layout-shift", buffered: true });
	new MutationObserver(() => { if (document.querySelector('[data-state="ready"]')) __cost.drawn ||= performance.now(); }).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-state"] });`

type cost struct {
	Script, Blocking, Shift float64
}

// costOf opens a page some times on a slow processor and returns the least that it cost.
func costOf(t *testing.T, w *world, url string, ready string) cost {
	t.Helper()
	best := cost{Script: 1e9, Blocking: 1e9, Shift: 1e9}
	for range rounds {
		p := w.browser.Reader(t)
		p.Before(t, watchdog)
		p.Slow(t, 4)
		p.Open(t, url)
		p.Until(t, long, "the page stands", ready)
		// Two frames later all that belongs to the drawing has been reported.
		got := apptest.Await[cost](t, p, `new Promise(r => requestAnimationFrame(() => setTimeout(() => setTimeout(() => r({
			Script: __cost.drawn - __cost.answered, Shift: __cost.shift,
			Blocking: __cost.long.reduce((sum, ms) => sum + Math.max(0, ms - 50), 0) }), 300))))`)
		best = cost{min(best.Script, got.Script), min(best.Blocking, got.Blocking), min(best.Shift, got.Shift)}
		p.Open(t, "about:blank")
	}
	return best
}

// What the widget costs a reader, measured where readers are. Times are told,
// what can be counted must hold. “make figures” prints them.
func TestFigures(t *testing.T) {
	w := newWorld(t)
	w.crowd(t, "/hundred", 100)
	const frame = `<main style="min-height: 300px"><h1>A post</h1></main>%s<footer>The end</footer>`
	element := func(post string) string {
		return reserve + script + fmt.Sprintf(frame, `<postil-comments site="blog" post="`+post+`"></postil-comments>`)
	}
	const ready = `document.querySelector("[data-state=ready]")`
	empty := costOf(t, w, w.page("/bare", fmt.Sprintf(frame, ""), ""), `true`)
	none := costOf(t, w, w.page("/quiet", element("/nothing-yet"), ""), ready)
	hundred := costOf(t, w, w.page("/hundred", element("/hundred"), ""), ready)
	t.Logf("processor slowed 4 times, best of %d:", rounds)
	t.Logf("  scripting from the answer to the drawn thread, first page of 100 comments: %.0f ms (goal: under 100)", hundred.Script)
	t.Logf("  blocking time added to an empty page: %.0f ms without comments, %.0f ms with 100 (goal: under 20)", none.Blocking-empty.Blocking, hundred.Blocking-empty.Blocking)
	t.Logf("  layout shift: %.4f without comments, %.4f with 100 and the end of the page in view (goal: under 0.02)", none.Shift, hundred.Shift)
	requestsToRead(t, w, w.blog.URL+"/hundred")
	aThousand(t, w)
}

func requestsToRead(t *testing.T, w *world, url string) {
	t.Helper()
	p := w.browser.Reader(t)
	p.Visit(t, url)
	var kinds []string
	for _, r := range p.Requests() {
		if strings.HasPrefix(r.URL, w.URL) {
			kinds = append(kinds, r.Type)
		}
	}
	slices.Sort(kinds)
	t.Logf("  requests to read: %v", kinds)
	if want := []string{"EventSource", "Fetch", "Script"}; !slices.Equal(kinds, want) {
		t.Errorf("reading takes the requests %v, want %v", kinds, want)
	}
}

// A thousand comments on one page can be read, answered and followed.
func aThousand(t *testing.T, w *world) {
	t.Helper()
	w.crowd(t, "/thousand", 1000)
	p := w.browser.Reader(t)
	p.Visit(t, w.page("/thousand", script+`<postil-comments site="blog" post="/thousand"></postil-comments>`, ""))
	p.Slow(t, 4)
	const count = `document.querySelector("postil-comments").shadowRoot.querySelectorAll(".comment").length`
	slowest := 0.0
	for n := apptest.Eval[int](t, p, count); n < 1000; n = apptest.Eval[int](t, p, count) {
		took := apptest.Await[float64](t, p, `new Promise((done) => {
			const had = `+count+`, text = Response.prototype.text;
			let answered = 0;
			Response.prototype.text = async function () { const read = await text.call(this); answered = performance.now(); return read; };
			new MutationObserver((_, watch) => { if (`+count+` > had) { watch.disconnect(); Response.prototype.text = text; done(performance.now() - answered); } }).observe(document.querySelector("postil-comments"), { attributes: true });
			`+apptest.In(".load-more:not(.earlier)")+`.click();
		})`)
		slowest = max(slowest, took)
		if apptest.Eval[int](t, p, count) <= n {
			t.Fatalf("“show more” stops at %d comments", n)
		}
	}
	if twice := apptest.Eval[int](t, p, count+` - new Set([...document.querySelector("postil-comments").shadowRoot.querySelectorAll(".comment")].map(c => c.dataset.id)).size`); twice != 0 {
		t.Errorf("%d comments are there twice", twice)
	}
	key := apptest.Await[float64](t, p, `(async () => {
		`+apptest.In(".comment .reply")+`.click();
		const area = `+apptest.In(".place textarea")+`, all = [];
		for (const letter of "A few words in the middle") {
			const began = performance.now();
			document.execCommand("insertText", false, letter);
			area.getBoundingClientRect();
			all.push(performance.now() - began);
			await new Promise(requestAnimationFrame);
		}
		return all.sort((a, b) => a - b)[all.length >> 1];
	})()`)
	w.public(t, apptest.Draft{Post: "/thousand", Name: "Late", Text: "The one after the thousand."})
	p.Until(t, long, "one more arrives", count+` > 1000`)
	t.Logf("  1,000 comments, slowed 4 times: the slowest “show more” takes %.0f ms of scripting, a letter in a reply %.1f ms; one more arrives", slowest, key)
	quiet(t, p)
}
