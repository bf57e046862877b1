//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

// The elements beside the comments: how often a post was read, and a box for questions.
func TestSmallElements(t *testing.T) {
	w := newWorld(t)
	t.Run("views", func(t *testing.T) { views(t, w) })
	t.Run("questions", func(t *testing.T) { questions(t, w) })
}

func views(t *testing.T, w *world) {
	w.Must(t, http.StatusAccepted, "POST", "/api/view", map[string]string{"path": "/read"}, "User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0")
	p := w.browser.Reader(t)
	p.Open(t, w.page("/read", `<script src="SERVICE/views.js" defer></script><postil-views site="blog" count one="{n} reader" other="{n} readers">?</postil-views><a href="/none"><postil-views site="blog">?</postil-views></a>`, ""))
	p.Until(t, long, "the numbers are there", `[...document.querySelectorAll("postil-views")].map(e => e.textContent).join() === "1 reader,0"`)
	if asked(p, "GET", "/views?") != 1 || asked(p, "POST", "/api/view?site=blog") != 1 {
		t.Errorf("the page asked for %+v", p.Requests())
	}
	quiet(t, p)

	// Numbers as a blog gets them after years.
	w.handle("/old/api/v1/sites/blog/views", func(out http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(out, `{"views":{"/a":987,"/b":1234,"/c":45678}}`)
	})
	p.Open(t, w.page("/many", `<script src="SERVICE/views.js" defer></script>`+strings.Join([]string{
		view("a", "en"), view("b", "en"), view("c", "en"), view("b", "de"), view("c", "ja"), view("b", "tlh-x-!")}, ""), ""))
	p.Until(t, long, "they are rounded", `!document.querySelector("main, body").innerText.includes("?")`)
	if got := apptest.Eval[[]string](t, p, `[...document.querySelectorAll("postil-views")].map(e => e.textContent)`); strings.Join(got, "|") != "987|about 1.2k|about 46k|etwa 1200|約 4.6万|about 1.2k" {
		t.Errorf("they are shown as %q", got)
	}
	if got := apptest.Eval[string](t, p, `document.querySelectorAll("postil-views")[1].title`); got != "1,234" {
		t.Errorf("the whole number is %q", got)
	}
}

func view(post, language string) string {
	return `<p lang="` + language + `"><postil-views site="blog" api="/old" post="/` + post + `">?</postil-views></p>`
}

const question = `document.querySelector("postil-question").shadowRoot`

// ask writes into the box and presses its button.
func ask(t *testing.T, p *apptest.Page, text string) {
	t.Helper()
	p.Until(t, long, "the box is there", question+`?.querySelector("textarea")`)
	apptest.Eval[ignored](t, p, fmt.Sprintf(`(r => { const a = r.querySelector("textarea"); a.value = %q; a.dispatchEvent(new Event("input")); r.querySelector("button").click(); })(%s)`, text, question))
}

func questions(t *testing.T, w *world) {
	p := w.browser.Reader(t)
	const policy = "default-src 'none'; script-src SERVICE; connect-src SERVICE; require-trusted-types-for 'script'"
	p.Open(t, w.page("/ask", `<script src="SERVICE/question.js" defer></script><postil-question site="blog"></postil-question>`, policy))
	ask(t, p, "Why is the margin so wide?")
	p.Until(t, long, "it is saved", question+`.textContent.includes("Your question was saved.") && !`+question+`.querySelector("textarea").value`)
	if a := w.Admin(t, "GET", "qlog?site=blog", nil); !strings.Contains(string(a.Body), "Why is the margin so wide?") {
		t.Errorf("the desk has no such question: %s", a.Body)
	}
	if !apptest.Eval[bool](t, p, question+`.textContent.includes("no names, addresses or other personal data")`) {
		t.Error("nothing says what not to write")
	}
	for _, text := range []string{" ", strings.Repeat("é", 1001)} {
		ask(t, p, text)
	}
	p.Until(t, long, "a long one is counted", question+`.textContent.includes("That is 1,001 characters; 1,000 fit.")`)
	if n := asked(p, "POST", "/api/qlog"); n != 1 {
		t.Errorf("%d questions were sent", n)
	}
	p.Shot(t, "question")

	for status, says := range map[int]string{429: "wait a minute", 503: "could not be saved", 500: "could not be saved", 202: "could not be saved", 403: "cannot be sent"} {
		path := fmt.Sprintf("/say%d", status)
		w.handle(path+"/api/qlog", func(out http.ResponseWriter, _ *http.Request) {
			out.WriteHeader(status)
			fmt.Fprint(out, `{"error":"x"}`)
		})
		p.Open(t, w.page("/ask"+path, `<script src="SERVICE/question.js" defer></script><postil-question site="blog" api="`+path+`"></postil-question>`, ""))
		ask(t, p, "Is this kept?")
		p.Until(t, long, says, fmt.Sprintf(`%s.textContent.includes(%q)`, question, says))
		if got := apptest.Eval[string](t, p, question+`.querySelector("textarea").value`); got != "Is this kept?" {
			t.Errorf("%d: the text became %q", status, got)
		}
	}
	p.Open(t, w.page("/frage", `<script src="SERVICE/question.js" defer></script><div lang="ar"><postil-question site="blog"></postil-question></div>`, ""))
	p.Until(t, long, "it speaks Arabic, from right to left", question+`?.querySelector('form[dir="rtl"]')?.textContent.includes("سؤالك")`)
}
