package httpapi_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
)

var field = regexp.MustCompile(`name="([^"]+)" value="([^"]*)"`)

// fetch gets a page of the service as a browser without scripts and cookies.
func fetch(t *testing.T, c *apptest.Client, path string) apptest.Answer {
	t.Helper()
	a, err := c.Do(t.Context(), "GET", path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// submit sends a form as a browser does, without following the answer.
func submit(t *testing.T, c *apptest.Client, path string, form url.Values, origin string) apptest.Answer {
	t.Helper()
	direct := *c
	direct.HTTP = &http.Client{Transport: c.HTTP.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	headers := []string{"Content-Type", "application/x-www-form-urlencoded"}
	if origin != "" {
		headers = append(headers, "Origin", origin)
	}
	a, err := direct.Do(t.Context(), "POST", path, []byte(form.Encode()), headers...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The whole way of a reader without scripts, over the real rooms and store:
// write, be thanked, be read by the author, stand on the page and in the
// feeds, be answered.
func TestACommentIsWrittenAndAnsweredWithoutScript(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.Options{Prefix: "/comments"})
	const page = "/thread/blog?post=/posts/hello"
	own := strings.TrimSuffix(service.URL, "/comments")

	if first := fetch(t, service.Client, page); !strings.Contains(string(first.Body), "No comments yet") {
		t.Fatalf("an empty thread: %s", first.Body)
	}
	a := submit(t, service.Client, page, url.Values{"name": {"Ann"}, "text": {"Hello *there*\r\n\x01<b>"}}, own)
	if a.Status != 303 || a.Header.Get("Location") != "?post=%2Fposts%2Fhello&sent=1#sent" || a.Header.Get("Set-Cookie") != "" {
		t.Fatalf("%d to %q: %s", a.Status, a.Header.Get("Location"), a.Body)
	}
	thanks := fetch(t, service.Client, "/thread/blog?post=%2Fposts%2Fhello&sent=1")
	if thanks.Status != 200 || !strings.Contains(string(thanks.Body), "waits for the author of this blog") || strings.Contains(string(thanks.Body), "there</em>") {
		t.Fatalf("after sending: %d %s", thanks.Status, thanks.Body)
	}

	unseen := fetch(t, service.Client, page+"&reply=1")
	unknown := fetch(t, service.Client, page+"&reply=999")
	if unseen.Status != 404 || string(unseen.Body) != string(unknown.Body) {
		t.Errorf("MOD-07: a comment that waits can be told from none: %d %s", unseen.Status, unseen.Body)
	}
	for _, feed := range []string{"/api/v1/sites/blog/feed.atom", "/api/v1/sites/blog/feed.atom?post=/posts/hello"} {
		if f := fetch(t, service.Client, feed); f.Status != 200 || strings.Contains(string(f.Body), "<entry>") {
			t.Errorf("CACHE-04: what waits is in %s: %d %s", feed, f.Status, f.Body)
		}
	}

	service.Decide(t, "1", "approve")
	for _, path := range []string{page, page + "&fragment=1", "/api/v1/sites/blog/feed.atom", "/api/v1/sites/blog/feed.atom?post=/posts/hello"} {
		apptest.Eventually(t, 5*time.Second, "the comment stands in "+path, func() bool {
			return strings.Contains(string(fetch(t, service.Client, path).Body), "there")
		})
	}
	if feed := string(fetch(t, service.Client, "/api/v1/sites/blog/feed.atom?post=/posts/hello").Body); !strings.Contains(feed, `href="`+own+`/posts/hello#postil-1"`) {
		t.Errorf("RSS-04: the entry leads elsewhere: %s", feed)
	}

	reply := fetch(t, service.Client, page+"&reply=1")
	form := url.Values{"name": {"Bo"}, "text": {"Hello Ann"}}
	for _, f := range field.FindAllStringSubmatch(string(reply.Body), -1) {
		if f[2] != "" {
			form.Set(f[1], f[2])
		}
	}
	if reply.Status != 200 || form.Get("token") == "" || form.Get("parent") != "1" || reply.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v: %s", reply.Status, form, reply.Body)
	}
	form.Set("preview", "1")
	if p := submit(t, service.Client, page, form, own); p.Status != 200 || !strings.Contains(string(p.Body), form.Get("token")) || !strings.Contains(string(p.Body), "<p dir=\"auto\">Hello Ann</p>") {
		t.Errorf("preview: %d %s", p.Status, p.Body)
	}
	form.Del("preview")
	if a := submit(t, service.Client, page, form, own); a.Status != 303 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	service.Decide(t, "2", "approve")
	apptest.Eventually(t, 5*time.Second, "the answer stands below the comment", func() bool {
		return strings.Contains(string(fetch(t, service.Client, page).Body), `in reply to <a href="#postil-1"><bdi>Ann</bdi></a>`)
	})
	for i, press := range []struct{ name, says string }{{"emoji", "👍 1"}, {"emoji", "👍 1"}, {"back", ""}, {"back", ""}} {
		a := submit(t, service.Client, page+"&react=1", url.Values{press.name: {"👍"}}, own)
		if a.Status != 303 {
			t.Fatalf("reacting: %d %s", a.Status, a.Body)
		}
		address, _, _ := strings.Cut(a.Header.Get("Location"), "#")
		if after := string(fetch(t, service.Client, "/thread/blog"+address).Body); strings.Contains(after, ">👍 1<") != (press.says != "") || strings.Contains(after, "Take 👍 back") != (press.says != "") {
			t.Errorf("after press %d of %s: %s", i, press.name, after)
		}
	}
	if a := submit(t, service.Client, page, form, "null"); a.Status != 403 {
		t.Errorf("AUTH-14: Origin null is answered %d", a.Status)
	}
	bad := submit(t, service.Client, page, url.Values{"name": {"Ann"}, "text": {"Keep me"}, "website": {`x"></a><img src=q onerror=1>`}}, own)
	if bad.Status != 422 || !strings.Contains(string(bad.Body), "Keep me</textarea>") || strings.Contains(string(bad.Body), "<img") {
		t.Errorf("XSS-02: %d %s", bad.Status, bad.Body)
	}
}

func TestTooManyFormsAreAnsweredWithThePageAndTheText_UX_01(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.Options{})
	var last apptest.Answer
	for i := range 4 {
		last = submit(t, service.Client, "/thread/blog?post=/p", url.Values{"name": {"Ann"}, "text": {"Number " + string(rune('0'+i))}}, "")
	}
	if last.Status != 429 || last.Header.Get("Retry-After") == "" || !strings.Contains(string(last.Body), "Number 3</textarea>") {
		t.Errorf("%d %q: %s", last.Status, last.Header.Get("Retry-After"), last.Body)
	}
}
