//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

// hostile are comments that try to run a script or to build elements.
var hostile = []struct{ id, name, text string }{
	{"XSS-01", "Ann", `<details open ontoggle="window.__pwned=1">x</details>`},
	{"XSS-01 image", "Ann", `<img src=x onerror="window.__pwned=1"> and <svg onload="window.__pwned=1">`},
	{"XSS-04", `Ann"</a><iframe srcdoc="&#60;b&#62;x">`, "The name is the attack."},
	{"XSS-04 script", `<iframe srcdoc="&#60;svg onload=parent.__pwned=1&#62;">`, "So it is here."},
	{"XSS-07", "Ann", "<javascript:void(0)> and <data:text/html,hi>"},
	{"XSS-08", "Ann", "[a](JaVaScRiPt:0) [b](vbscript:0) [c](data:text/html;base64,PGI+) [d](\njavascript:0) [e](\tjavascript:0) [f](javascript:window.__pwned=1)"},
	{"XSS-10", "Ann", "<scrİpt>1</scrİpt> <ſcript>window.__pwned=1</ſcript> <scrıpt>window.__pwned=1</scrıpt> <linK rel=stylesheet href=//x>"},
	{"XSS-11", "Ann", "<select><option><style><script>1</script></style></option></select>"},
	{"XSS-14", "Ann", "<p style=\"position:fixed;inset:0\">over everything</p>\n\n<p class=\"host-modal\">in the blog's clothes</p>"},
	{"XSS-11 svg", "Ann", "<svg><style><img src=x onerror=window.__pwned=1></style></svg> <math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=window.__pwned=1&gt;\">"},
}

// allowed are the elements that a comment's text may become.
var allowed = []string{"P", "BR", "STRONG", "EM", "DEL", "CODE", "PRE", "BLOCKQUOTE", "UL", "OL", "LI", "HR", "A"}

// The host page is a foreign blog without any Content-Security-Policy, so that
// nothing but Postil itself stands between a comment and the page.
func TestNoCommentRunsAScriptOrBuildsAnElement(t *testing.T) {
	blog := httptest.NewUnstartedServer(nil)
	blog.Start()
	t.Cleanup(blog.Close)
	s := apptest.RunBinary(t, apptest.Options{}, "POSTIL_LIMITS=off", "POSTIL_SITE_ORIGINS="+blog.URL)
	blog.Config.Handler = hostPage(s.URL)
	page := apptest.NewBrowser(t).Reader(t)

	page.Visit(t, blog.URL+"/hostile")
	for i, h := range hostile {
		page.Fill(t, textField, h.text)
		page.Click(t, composer+" .show-preview")
		page.Until(t, slow, "the preview of "+h.id, apptest.In(composer+" .preview")+`?.checkVisibility()`)
		harmless(t, page, h.id+" in the preview")
		page.Click(t, composer+" .show-preview")
		posted := s.Post(t, apptest.Draft{Post: "/hostile", Name: h.name, Text: h.text, Device: fmt.Sprintf("device-of-an-attacker-%d", i)})
		s.Decide(t, posted.Comment.ID, "approve")
		page.Until(t, slow, h.id+" is shown", apptest.In(`.comment[data-id="`+posted.Comment.ID+`"]`))
		if got := page.Text(t, apptest.OfComment(posted.Comment.ID, ".head .author")); got != h.name {
			t.Errorf("%s: the name is shown as %q", h.id, got)
		}
	}
	harmless(t, page, "live")
	page.Reload(t)
	page.Ready(t)
	harmless(t, page, "after a reload")
	page.Shot(t, "hostile")
	if e := slices.DeleteFunc(page.Errors(), func(e string) bool { return strings.Contains(e, "favicon") }); len(e) > 0 {
		t.Errorf("the console says %q", e)
	}
}

// harmless fails when a script ran, or an element or address is there that no
// comment may have.
func harmless(t *testing.T, p *apptest.Page, when string) {
	t.Helper()
	if apptest.Eval[bool](t, p, `window.__pwned !== undefined`) {
		t.Errorf("%s: a script of a comment ran", when)
	}
	if d := p.Dialogs(); len(d) > 0 {
		t.Errorf("%s: dialogs were opened: %q", when, d)
	}
	for _, tag := range apptest.Eval[[]string](t, p, all(`.body *`)+`.map(e => e.tagName)`) {
		if !slices.Contains(allowed, tag) {
			t.Errorf("%s: there is a <%s> in a comment", when, strings.ToLower(tag))
		}
	}
	for _, tag := range apptest.Eval[[]string](t, p, all(`.body [style], .body [class]:not(code)`)+`.map(e => e.outerHTML)`) {
		t.Errorf("%s: a comment dresses itself: %s", when, tag)
	}
	for _, tag := range apptest.Eval[[]string](t, p, all(`iframe, script, object, embed, form form, style, link, img, svg, math, select:not(.sort)`)+`.map(e => e.outerHTML)`) {
		t.Errorf("%s: there is %s", when, tag)
	}
	for _, a := range apptest.Eval[[]string](t, p, all(`*`)+`.flatMap(e => [...e.attributes]).filter(a => /^on/i.test(a.name) || /^(href|src|action)$/.test(a.name) && !/^(https?:|mailto:)/.test(a.value)).map(a => a.name + "=" + a.value)`) {
		t.Errorf("%s: there is the attribute %s", when, a)
	}
}

// all is the JavaScript for the array of all elements inside the widget.
func all(selector string) string {
	return fmt.Sprintf(`[...document.querySelector("postil-comments").shadowRoot.querySelectorAll(%q)]`, selector)
}

func hostPage(service string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>A blog</title>
<link rel="icon" href="data:,"><h1>A blog</h1><script src="%s/widget.js" defer></script><postil-comments site="blog" post="%s"></postil-comments>`, service, r.URL.Path)
	})
}

func TestUNI_01_AnOverrideInANameReversesNothing(t *testing.T) {
	s := setUp(t, apptest.Options{Telegram: true})
	ben := s.reader(t)
	posted := s.Post(t, apptest.Draft{Post: s.page, Name: "Eve\u202etxt.exe", Text: "What is my name?"})
	s.Bot.Card(t, soon, "Evetxt.exe", "What is my name?")
	s.Decide(t, posted.Comment.ID, "approve")
	id := posted.Comment.ID
	ben.Shows(t, soon, apptest.OfComment(id, ".head"), "Evetxt.exe")
	head := ben.HTML(t, apptest.OfComment(id, ".head"))
	if strings.ContainsAny(head, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") {
		t.Errorf("an override stands in %q", head)
	}
	if !strings.Contains(head, "<bdi>Evetxt.exe</bdi>") {
		t.Errorf("the name is not isolated: %s", head)
	}
	if dir := apptest.Eval[string](t, ben, apptest.In(apptest.OfComment(id, ".body"))+`.getAttribute("dir")`); dir != "auto" {
		t.Errorf("the body has dir=%q", dir)
	}
	quiet(t, ben)
}
