package httpapi

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

const pagePath = "/thread/blog?post=/posts/hello"

var styleVersion = regexp.MustCompile(`page\.css\?v=[A-Za-z0-9_-]{8}`)

// goldenText compares a document with testdata/NAME, whatever the style is.
func goldenText(t *testing.T, name, got string) {
	t.Helper()
	got = styleVersion.ReplaceAllString(got, "page.css?v=STYLE")
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestPagesAnswerAsTheirGoldenFilesSay(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	for file, path := range map[string]string{
		"page.html": pagePath, "page_empty.html": "/thread/blog?post=/quiet", "page_sent.html": pagePath + "&sent=1", "page_fragment.html": pagePath + "&fragment=1",
		"page_reply.html": pagePath + "&reply=17", "page_not_found.html": "/thread/nobody?post=/",
	} {
		t.Run(file, func(t *testing.T) {
			r := ask(t, "GET", url+path, "")
			inspect(t, r.text)
			goldenText(t, file, r.text)
		})
	}
}

func TestThePageIsAReadLikeOthers(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	for path, view := range map[string]postil.View{
		pagePath:                                   {Kind: postil.PageView, Limit: 50},
		pagePath + "&fragment=1":                   {Kind: postil.FragmentView, Limit: 50},
		pagePath + "&sent=1":                       {Kind: postil.SentView, Limit: 50},
		pagePath + "&cursor=c3RvcA":                {Kind: postil.PageView, Limit: 50, Cursor: "c3RvcA"},
		pagePath + "&focus=17&sort=newest&limit=5": {Kind: postil.PageView, Limit: 5, Focus: 17, Sort: postil.Newest},
	} {
		w.reads, w.took = nil, nil
		r := ask(t, "GET", url+"/comments"+path, "", "Cookie", "session=1", "X-Request-Id", "mine").want(t, 200, "")
		r.wantHeader(t, "Content-Type", "text/html; charset=utf-8", "Cache-Control", shared[0], "Vary", "Accept-Encoding", "X-Request-Id", "", "Set-Cookie", "",
			"Access-Control-Allow-Origin", "*", "Referrer-Policy", "same-origin", "X-Content-Type-Options", "nosniff", "Content-Security-Policy",
			"default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self' https://blog.example https://www.blog.example http://localhost:1313")
		view.Site, view.Post = "blog", "/posts/hello"
		if view.Sort == "" {
			view.Sort = postil.Oldest
		}
		if len(w.reads) != 1 || w.reads[0].view != view || len(w.took) != 0 {
			t.Errorf("%s reads %+v and takes %v", path, w.reads, w.took)
		}
		if strings.Contains(r.text, "token") {
			t.Errorf("%s: what everybody gets holds a token", path)
		}
		tag := r.Header.Get("Etag")
		for _, method := range []string{"GET", "HEAD"} {
			if r := ask(t, method, url+path, "", "If-None-Match", tag).want(t, 304, ""); r.text != "" {
				t.Errorf("%s 304 has a body", method)
			}
		}
		if r := ask(t, "HEAD", url+path, "").want(t, 200, "").wantHeader(t, "Etag", tag); r.text != "" || r.ContentLength <= 0 {
			t.Errorf("HEAD: %d bytes, length %d", len(r.text), r.ContentLength)
		}
	}
	ask(t, "GET", url+pagePath+"&v=99", "").want(t, 200, "").wantHeader(t, "Cache-Control", "no-store")
	ask(t, "GET", url+"/thread/blog", "").want(t, 400, "").wantHeader(t, "Cache-Control", "no-store", "Content-Type", "text/html; charset=UTF-8")
	r := ask(t, "GET", url+"/thread/blog?post=https://other.example/", "").want(t, 200, "")
	if root := inspect(t, r.text); len(find(root, "form")) != 0 || len(find(root, "article")) != 0 {
		t.Errorf("another site's post: %s", r.text)
	}
	w.readErr = postil.Busy("overloaded", "Too many people are reading.", 3*time.Second, nil)
	ask(t, "GET", url+pagePath, "").want(t, 503, "").wantHeader(t, "Retry-After", "3", "Cache-Control", "no-store")
}

func TestTheStyleIsCacheableAndRelative_EMB_13(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	for _, prefix := range []string{"", "/comments"} {
		root := inspect(t, ask(t, "GET", url+prefix+pagePath, "").text)
		for _, link := range find(root, "link") {
			href, under := strings.CutPrefix(attr(link, "href"), "../")
			if !under {
				t.Errorf("%s is not relative to the page", attr(link, "href"))
			}
			r := ask(t, "GET", url+prefix+"/"+href, "", "Accept-Encoding", "br").want(t, 200, "")
			if attr(link, "rel") == "stylesheet" {
				r.wantHeader(t, "Content-Type", "text/css; charset=utf-8", "Cache-Control", fileAge[0], "Content-Encoding", "br")
				if strings.Contains(r.text, "url(") || strings.Contains(r.text, "@import") {
					t.Error("the style loads something else")
				}
			} else {
				readAtom(t, r.text)
			}
		}
	}
}

func TestAPageShowsTheThread(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.thread.Comments = append(w.thread.Comments[:3:3], postil.Listed{ID: 20, Parent: 3, Depth: 4, Author: postil.Author{Name: "Cy"}, HTML: "<p>Far</p>", Created: noon}, w.thread.Comments[3])
	w.thread.Prev = "YmVmb3Jl"
	root := inspect(t, ask(t, "GET", w.open(t)+pagePath+"&sort=newest", "").text)
	const every = " React 👍 ❤️ 😄 🎉 🤔 👎"
	for id, words := range map[string]string{
		"postil-17": "Ann Author 30 November 2026, 18:17 UTC edited 30 November 2026, 18:18 UTC First & best Reply to Ann 👍 2 React ❤️ 😄 🎉 🤔 👎",
		"postil-18": "This comment was removed.",
		"postil-19": "Bo 30 November 2026, 18:17 UTC in reply to a removed comment Yes." + every, // at the deepest level nobody can answer
		"postil-20": "Cy 30 November 2026, 18:17 UTC in reply to a comment on another page Far Reply to Cy" + every,
		"postil-21": "deleted user 30 November 2026, 18:17 UTC Bye Reply to deleted user" + every,
	} {
		if got := text(byID(root, id)); got != words {
			t.Errorf("%s: %q, want %q", id, got, words)
		}
	}
	if in := byID(root, "postil-19").Parent.Parent.Parent; attr(in.FirstChild.NextSibling, "id") != "postil-18" {
		t.Error("a reply does not hang below what it answers")
	}
	var links []string
	for _, a := range find(byID(root, "postil-17"), "a") {
		links = append(links, attr(a, "href"))
	}
	for _, a := range find(root, "a") {
		if attr(a, "rel") == "prev" || attr(a, "rel") == "next" {
			links = append(links, attr(a, "href"))
		}
	}
	links = append(links, attr(find(byID(root, "postil-20"), "a")[1], "href"))
	want := []string{"https://ann.example/", "#postil-17", "?post=%2Fposts%2Fhello&reply=17#form", "?post=%2Fposts%2Fhello&sort=newest&cursor=YmVmb3Jl",
		"?post=%2Fposts%2Fhello&sort=newest&cursor=c3RvcA", "?post=%2Fposts%2Fhello&focus=3#postil-3"}
	if diff := cmp.Diff(want, links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	for _, tm := range find(root, "time") {
		if _, err := time.Parse(time.RFC3339, attr(tm, "datetime")); err != nil {
			t.Errorf("TIME-04: %v", err)
		}
	}
}

func TestAFragmentStandsOnAnyPage(t *testing.T) {
	t.Parallel()
	w := newWorld()
	r := ask(t, "GET", w.open(t)+pagePath+"&fragment=1", "").want(t, 200, "")
	root := inspect(t, r.text)
	if strings.Contains(r.text, "<html") || len(find(root, "form")) != 0 || !strings.HasPrefix(r.text, "<section ") {
		t.Errorf("there is more than the comments: %s", r.text)
	}
	for _, a := range find(root, "a") {
		if href := attr(a, "href"); !strings.HasPrefix(href, "#postil-") && !strings.HasPrefix(href, "https://") {
			t.Errorf("%s leads nowhere on another page", href)
		}
	}
	if !strings.Contains(r.text, `href="https://talk.example/comments/thread/blog?post=%2Fposts%2Fhello&amp;reply=17#form"`) {
		t.Errorf("EMB-13: replies do not lead to the page below the public URL: %s", r.text)
	}
}

func TestClosedThreadsHaveNoForm(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*postil.ThreadPage){
		"Comments are closed here.":              func(p *postil.ThreadPage) { p.Post.Closed = true },
		"Writing is paused here for the moment.": func(p *postil.ThreadPage) { p.Lockdown = true },
	} {
		w := newWorld()
		change(&w.thread)
		url := w.open(t)
		for _, path := range []string{pagePath, pagePath + "&reply=17"} {
			root := inspect(t, ask(t, "GET", url+path, "").want(t, 200, "").text)
			if len(find(root, "textarea")) != 0 || text(byID(root, "form")) != name || strings.Contains(text(root), "Reply to") && path == pagePath {
				t.Errorf("%s: %s", path, text(root))
			}
		}
	}
}

// What a comment brings is what markup lets through, and names are text.
func TestNothingInACommentBecomesPartOfThePage(t *testing.T) {
	t.Parallel()
	check := func(t rapid.TB, name, source, title string) {
		w := newWorld()
		w.thread.Post.Title = title
		w.thread.Comments = []postil.Listed{{ID: 17, Author: postil.Author{Name: name}, HTML: markup.Render(source), Created: noon},
			{ID: 18, Parent: 17, Depth: 1, Author: postil.Author{Name: name}, HTML: markup.Render(source), Created: noon}}
		for _, kind := range []postil.ViewKind{postil.PageView, postil.FragmentView, postil.SentView} {
			page, err := w.document(postil.View{Kind: kind, Site: "blog", Post: "/posts/hello"})
			if err != nil {
				t.Fatal(err)
			}
			inspect(t, string(page.Encoded("").Body))
		}
	}
	for id, source := range map[string]string{
		"XSS-01": "<details open ontoggle=alert(1)>x</details>", "XSS-05": "<img src=x onerror=1>", "XSS-07": "<javascript:void(0)> <data:text/html,hi>",
		"XSS-08": "[a](JaVaScRiPt:0) [b](vbscript:0) [c](data:text/html;base64,PGI+) [d](\njavascript:0)", "XSS-10": "<scrİpt>1</scrİpt>",
		"XSS-11": "<select><option><style><script>1</script></style></option></select>", "XSS-14": `<p style="position:fixed;inset:0"><p class="host-modal">`,
		"end of body": "</div></article></section></form><form action=//evil.example>",
	} {
		t.Run(id, func(t *testing.T) { check(t, "Ann", source, "Hello") })
	}
	t.Run("XSS-04", func(t *testing.T) {
		const name = `Ann"</a><iframe srcdoc="&#60;b&#62;x">`
		check(t, name, "x", name)
		w := newWorld()
		w.thread.Comments[0].Author.Name = name
		url := w.open(t)
		for _, path := range []string{pagePath, pagePath + "&reply=17"} {
			if root := inspect(t, ask(t, "GET", url+path, "").text); !strings.Contains(text(root), name) {
				t.Errorf("the name is not shown as it is: %s", text(root))
			}
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		check(t, "A"+hostileText().Draw(t, "name"), hostileText().Draw(t, "text"), hostileText().Draw(t, "title"))
	})
}

func TestAHostileKeyStaysInItsPlace_URL_11(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	for _, post := range []string{`"><script>alert(1)</script>`, "javascript:alert(1)", "#/a&reply=1", "//evil.example/x", "/a?b=c&d=%22"} {
		for _, more := range []string{"", "&fragment=1", "&sent=1"} {
			r := ask(t, "GET", url+"/thread/blog?post="+strings.NewReplacer("#", "%23", "&", "%26", "\"", "%22", "<", "%3C", ">", "%3E", "?", "%3F").Replace(post)+more, "").want(t, 200, "")
			inspect(t, r.text)
		}
	}
}

func TestReplyingIsPersonal(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	r := ask(t, "GET", url+pagePath+"&reply=17", "", "Sec-Fetch-Site", "cross-site").want(t, 200, "").wantHeader(t, "Cache-Control", "no-store", "Access-Control-Allow-Origin", "", "Referrer-Policy", "same-origin")
	root := inspect(t, r.text)
	sent := fields(root)
	if sent.Get("token") != "signed-token" || sent.Get("parent") != "17" || !sent.Has("remark_linesigned-token") || text(find(root, "h2")[0]) != "Reply to Ann" {
		t.Errorf("the form is %v", sent)
	}
	if diff := cmp.Diff([]string{RuleForm + " actor-of-127.0.0.1"}, w.took); diff != "" {
		t.Error(diff)
	}
	w.thread.Comments[0].Depth = postil.MaxDepth
	if root := inspect(t, ask(t, "GET", url+pagePath+"&reply=17", "").text); len(find(root, "form")) != 0 {
		t.Error("there is a form below the deepest comment")
	}
	w.refusal = &postil.Error{Kind: postil.Throttled, RetryAfter: 7 * time.Second, Sentence: "Too much at once."}
	ask(t, "GET", url+pagePath+"&reply=17", "").want(t, 429, "").wantHeader(t, "Retry-After", "7")
}

// The removed comment, the unknown one and what is no id get the same page.
func TestMOD_07_AReplyTellsNothingOfWhatIsNotPublic(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	var bodies []string
	for _, id := range []string{"18", "99", "101", "x", "-1", "", "99999999999999999999"} {
		r := ask(t, "GET", url+pagePath+"&reply="+id, "").want(t, 404, "")
		bodies = append(bodies, r.text)
	}
	bodies = append(bodies, ask(t, "GET", url+pagePath+"&focus=101", "").want(t, 404, "").text)
	if len(slices.Compact(bodies)) != 1 {
		t.Errorf("the answers differ: %v", fmt.Sprint(bodies))
	}
}
