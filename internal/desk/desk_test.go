package desk_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/app"
	"github.com/postil/postil/internal/apptest"
	"github.com/postil/postil/internal/token"
)

const soon = 30 * time.Second

func start(t *testing.T) *apptest.App {
	t.Helper()
	return apptest.Start(t, apptest.Options{Set: func(c *app.Config) { c.Limits = "off" }})
}

// ask writes a comment and waits until it waits for a person.
func ask(t *testing.T, a *apptest.App, d apptest.Draft) string {
	t.Helper()
	id := a.Post(t, d).Comment.ID
	a.AwaitAsked(t, soon, id)
	return id
}

func want(t *testing.T, a apptest.Answer, status int, parts ...string) {
	t.Helper()
	if a.Status != status {
		t.Errorf("answered %d, not %d: %s", a.Status, status, a.Body)
	}
	for _, part := range parts {
		if !strings.Contains(string(a.Body), part) {
			t.Errorf("the page lacks %q:\n%s", part, a.Body)
		}
	}
}

func leadsTo(t *testing.T, a apptest.Answer, place string) {
	t.Helper()
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != place {
		t.Errorf("answered %d to %q, not 303 to %q: %s", a.Status, a.Header.Get("Location"), place, a.Body)
	}
}

func TestAModeratorDecidesOnThePageAndTakesItBack(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := ask(t, a, apptest.Draft{Name: "Cy", Text: "A *first* thought.", Device: "device-of-cy-0123456789"})
	d := a.SignedIn(t)
	want(t, d.Get(t, ""), 200, "<em>first</em>", "held: sent without the form of this blog", "(1) Waiting")
	leadsTo(t, d.Press(t, "comments/"+id+"/act", url.Values{"do": {"approve"}, "expect": {"pending"}, "back": {"?site=blog"}}), "../../?c="+id+"&d=1&did=approve&site=blog")
	a.AwaitStatus(t, soon, id, "approved")
	want(t, d.Get(t, "?c="+id+"&d=1&did=approve&site=blog"), 200, "Approved <a", "decisions/1/undo")
	want(t, d.Get(t, "comments/"+id), 200, "approve: pending → approved, by <bdi>admin</bdi> from this page")
	leadsTo(t, d.Press(t, "decisions/1/undo", url.Values{"back": {"comments"}}), "../../comments?c="+id+"&did=undo")
	a.AwaitStatus(t, soon, id, "pending")
	if th := a.Thread(t, "/post"); th.Count != 0 {
		t.Errorf("%d comments are public", th.Count)
	}
}

func TestAnAnswerApprovesAndIsPublicAtOnce(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := ask(t, a, apptest.Draft{Text: "Is it so?"})
	d := a.SignedIn(t)
	leadsTo(t, d.Press(t, "comments/"+id+"/act", url.Values{"do": {"reply"}, "text": {"It is.\r\nTruly."}}), "../../?c="+id+"&did=reply")
	apptest.Eventually(t, soon, "both are public", func() bool { return a.Thread(t, "/post").Count == 2 })
	for _, c := range a.Thread(t, "/post").Comments {
		if c.ParentID != nil && (*c.ParentID != id || !strings.Contains(c.HTML, "It is.")) {
			t.Errorf("%+v", c)
		}
	}
	// What cannot be sent comes back with the text in it.
	other := ask(t, a, apptest.Draft{Text: "And this?", Name: "Bo"})
	long := strings.Repeat("long ", 2000)
	want(t, d.Press(t, "comments/"+other+"/act", url.Values{"do": {"reply"}, "text": {long}}), 422, "Shorten it a little", long)
}

func TestMOD_11_WhoeverIsLateIsToldWhoWon(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := ask(t, a, apptest.Draft{Text: "Two moderators look at this."})
	d := a.SignedIn(t)
	a.Decide(t, id, "reject")
	late := url.Values{"do": {"approve"}, "expect": {"pending"}, "revision": {"1"}}
	want(t, d.Press(t, "comments/"+id+"/act", late), 409, "rejected already, decided by admin")
	script := d.Press(t, "comments/"+id+"/act", late, "Accept", "application/json")
	want(t, script, 409, `"ok":false`, `"status":"rejected"`)
	want(t, d.Press(t, "bulk", url.Values{"do": {"approve"}, "expect": {"pending"}, "ids": {id}}), 200, "rejected already", "1 comment was left")
	if got := a.Detail(t, id).Status; got != "rejected" {
		t.Errorf("it is %s", got)
	}
}

func TestManyAreDecidedAtOnceAndTakenBackAtOnce(t *testing.T) {
	t.Parallel()
	a := start(t)
	for i := range 4 {
		ask(t, a, apptest.Draft{Text: fmt.Sprintf("Number %d.", i), Post: "/many"})
	}
	ask(t, a, apptest.Draft{Text: "Elsewhere.", Post: "/one"})
	d := a.SignedIn(t)
	page := d.Get(t, "bulk?queue=open&post=%2Fmany&site=blog")
	want(t, page, 200, "4 comments match: 4 pending", "Spam 4")
	ids := regexp.MustCompile(`name="ids" value="([0-9,]+)"`).FindSubmatch(page.Body)
	ask(t, a, apptest.Draft{Text: "Written after the preview.", Post: "/many"})
	done := d.Press(t, "bulk", url.Values{"do": {"spam"}, "expect": {"pending"}, "ids": {string(ids[1])}})
	want(t, done, 200, "Marked as spam: 4 comments.")
	want(t, d.Get(t, ""), 200, "(2) Waiting")
	undo := regexp.MustCompile(`decisions/([0-9a-f-]{36})/undo`).FindSubmatch(done.Body)
	want(t, d.Press(t, "decisions/"+string(undo[1])+"/undo", nil), 200, "Taken back: 4 comments.")
	want(t, d.Get(t, ""), 200, "(6) Waiting")
	want(t, d.Get(t, "bulk"), 422, "Narrow the list first")
}

// Everything that a stranger can send is text on every page that shows it.
func TestXSS_05_NothingThatAReaderSentIsMarkupAtTheDesk(t *testing.T) {
	t.Parallel()
	a := start(t)
	const hostile = `"><img src=x onerror=1>'</script>`
	sent := a.Must(t, 202, "POST", "/api/v1/sites/blog/comments", map[string]any{"post": "/p?x=" + hostile, "title": hostile, "text": hostile + " <svg onload=1>",
		"author": map[string]any{"name": hostile, "website": "https://x.example/?q=%22%3E%3Cimg%20onerror=1%3E"}}, "User-Agent", `<img src=x onerror=1>`)
	var p apptest.Posted
	sent.JSON(t, &p)
	a.AwaitAsked(t, soon, p.Comment.ID)
	d := a.SignedIn(t)
	for _, path := range []string{"", "posts", "reports", "people", "comments", "comments/" + p.Comment.ID, "bulk?queue=open", "comments?q=" + url.QueryEscape(hostile) + "&author=" + url.QueryEscape(hostile),
		"?did=" + url.QueryEscape(hostile) + "&c=" + url.QueryEscape(hostile), "signin?next=" + url.QueryEscape(hostile), "comments/" + p.Comment.ID + "/item?root=" + url.QueryEscape(hostile) + "&back=" + url.QueryEscape(hostile)} {
		page := d.Get(t, path)
		for _, bad := range []string{"<img", "<svg", "</script>'", "onerror=1>"} {
			if i := strings.Index(strings.ReplaceAll(string(page.Body), `defer></script>`, ""), bad); i >= 0 {
				t.Errorf("%s holds %q: …%.200s", path, bad, string(page.Body)[max(0, i-80):])
			}
		}
	}
	want(t, d.Get(t, "people"), 200) // the browser's own name is data, too
	want(t, d.Get(t, "comments/"+p.Comment.ID), 200, "&lt;img src=x onerror=1&gt;")
}

func TestNobodyWithoutASessionSeesOrChangesAnything(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := ask(t, a, apptest.Draft{Text: "Private for now."})
	d := a.NewDesk(t)
	leadsTo(t, d.Get(t, "comments?status=spam"), "./signin?next=comments%3Fstatus%3Dspam")
	leadsTo(t, d.Get(t, "comments/"+id), "../signin?next=comments%2F"+id)
	leadsTo(t, d.Send(t, "comments/"+id+"/act", url.Values{"do": {"approve"}}), "../../signin")
	want(t, d.Send(t, "comments/"+id+"/act", url.Values{"do": {"approve"}}, "Accept", "application/json"), 401, "signed out")
	leadsTo(t, d.Get(t, "nowhere"), "./signin?next=nowhere")
	if got := a.Detail(t, id).Status; got != "pending" {
		t.Errorf("it is %s", got)
	}
	// A link that is followed from elsewhere comes without the cookie, whoever follows it.
	want(t, d.Get(t, "comments/"+id, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"), 200, `content="0; url=../comments/`+id+`"`)
}

// A foreign page sends every form there is, in all the ways in which forms are
// sent, with the cookie of somebody who is signed in.
func TestAUTH_04_NoForeignPageUsesTheDesk(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := ask(t, a, apptest.Draft{Text: "Still private."})
	d := a.SignedIn(t)
	csrf := d.CSRF(t)
	for _, path := range []string{"comments/" + id + "/act", "decisions/1/undo", "bulk", "signout"} {
		fields := url.Values{"do": {"approve"}, "ids": {id}, "decision": {"approve"}}
		for name, row := range map[string]struct{ csrf, origin, site string }{
			"no token": {"", a.URL, "same-origin"}, "a wrong token": {"x" + csrf, a.URL, "same-origin"}, "a foreign page": {csrf, "https://evil.example", ""},
			"a hidden page": {csrf, "null", ""}, "a page that hides": {csrf, "", "cross-site"}, "a neighbour": {csrf, "", "same-site"},
		} {
			fields.Set("csrf", row.csrf)
			headers := []string{}
			if row.origin != "" {
				headers = append(headers, "Origin", row.origin)
			}
			if row.site != "" {
				headers = append(headers, "Sec-Fetch-Site", row.site)
			}
			if got := d.Send(t, path, fields, headers...); got.Status != 403 {
				t.Errorf("%s with %s: %d", path, name, got.Status)
			}
		}
		for _, kind := range []string{"text/plain", "multipart/form-data; boundary=x", "application/json"} {
			if got := d.Send(t, path, url.Values{"csrf": {csrf}, "do": {"approve"}}, "Content-Type", kind, "Origin", a.URL); got.Status != 403 {
				t.Errorf("%s as %s: %d", path, kind, got.Status)
			}
		}
		if got := d.Get(t, path); got.Status < 400 && path != "bulk" {
			t.Errorf("GET %s: %d", path, got.Status)
		}
	}
	if got := a.Detail(t, id).Status; got != "pending" {
		t.Errorf("it is %s", got)
	}
}

func TestAUTH_08_ARevokedKeyEndsItsSessions(t *testing.T) {
	t.Parallel()
	a := start(t)
	var made struct {
		Key    struct{ ID string }
		Secret string
	}
	a.Admin(t, "POST", "keys", map[string]any{"role": "moderator", "name": "Mo"}).JSON(t, &made)
	mo, chief := a.SignedInWith(t, made.Secret), a.SignedIn(t)
	want(t, mo.Get(t, ""), 200, "Mo")
	a.Admin(t, "DELETE", "keys/"+made.Key.ID, nil)
	leadsTo(t, mo.Get(t, ""), "./signin")
	want(t, chief.Get(t, ""), 200)
	leadsTo(t, chief.Press(t, "signout", nil), "./signin")
	leadsTo(t, chief.Get(t, ""), "./signin")
}

func TestALinkSignsInWithAButtonAndOnce(t *testing.T) {
	t.Parallel()
	a := start(t)
	var made struct{ URL string }
	a.Admin(t, "POST", "signin-links", map[string]any{"name": "Bo"}).JSON(t, &made)
	path := strings.TrimPrefix(made.URL, a.URL+"/admin/")
	bo, preview := a.NewDesk(t), a.NewDesk(t)
	for range 3 {
		want(t, preview.Get(t, path), 200, "This link signs you in as <b>Bo</b>")
	}
	leadsTo(t, bo.Send(t, path, nil), "../")
	want(t, bo.Get(t, ""), 200, "Bo<br>")
	want(t, preview.Get(t, path), 404, "was used, or is older than 15 minutes")
	want(t, preview.Send(t, path, nil), 404, "was used")
	leadsTo(t, preview.Get(t, ""), "./signin")
}

func TestAUTH_11_SigningInLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := ask(t, a, apptest.Draft{Text: "Something to decide."})
	for next, place := range map[string]string{
		"": "./", "comments?status=spam": "./comments?status=spam", "?site=blog": "./?site=blog", "comments/5": "./comments/5",
		"https://evil.example/": "./", "//evil.example": "./", `/\evil.example`: "./", `\\evil.example`: "./", "javascript:alert(1)": "./", "/admin": "./", "..//evil.example": "./",
		"comments\r\nSet-Cookie: x=1": "./", "comments?a=\x00": "./", "a@evil.example": "./", "evil.example:80": "./", "comments/..//evil.example": "./", strings.Repeat("a", 3000): "./",
	} {
		d := a.NewDesk(t)
		leadsTo(t, d.Send(t, "signin", url.Values{"key": {apptest.AdminKey}, "next": {next}}), place)
		leadsTo(t, d.Get(t, "signin?next="+url.QueryEscape(next)), place)
		back := d.Press(t, "comments/"+id+"/act", url.Values{"do": {"approve"}, "back": {next}}).Header.Get("Location")
		if !strings.HasPrefix(back, "../../") || strings.Contains(back, "evil") {
			t.Errorf("a form with %q leads to %q", next, back)
		}
	}
}

func TestSigningInIsTriedFiveTimesAMinute(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{})
	d := a.NewDesk(t)
	want(t, d.Send(t, "signin", nil), 422, "Paste a key") // which costs nothing
	for range 5 {
		want(t, d.Send(t, "signin", url.Values{"key": {"pk_guess"}}), 422, "not in force")
	}
	want(t, d.Send(t, "signin", url.Values{"key": {apptest.AdminKey}}), 429)
}

func TestAUTH_07_ADamagedCookieIsNoSession(t *testing.T) {
	t.Parallel()
	a := start(t)
	for _, cookie := range []string{"session=%E0%A4%A; x", "postil-desk=%E0%A4%A; x", ";;="} {
		got := a.Must(t, 0, "GET", "/admin/signin", nil, "Cookie", cookie)
		want(t, got, 200, "API key")
		want(t, a.Must(t, 0, "GET", "/thread/blog?post=/post", nil, "Cookie", cookie), 200)
	}
}

func TestTheDeskLivesBelowAPathAndItsPagesAreStrict(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Prefix: "/comments", Set: func(c *app.Config) { c.AdminKey = token.NewSecret(apptest.AdminKey) }})
	d := a.SignedIn(t)
	page := d.Get(t, "")
	want(t, page, 200)
	for _, link := range regexp.MustCompile(`(?:href|src|action)="([^"]*)"`).FindAllStringSubmatch(string(page.Body), -1) {
		if strings.HasPrefix(link[1], "/") {
			t.Errorf("%s leads past the path", link[1])
		}
	}
	for name, value := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff"} {
		if got := page.Header.Get(name); got != value {
			t.Errorf("%s is %q", name, got)
		}
	}
	policy := page.Header.Get("Content-Security-Policy")
	if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Error(policy)
	}
	if inline := regexp.MustCompile(`<style|\sstyle=|\son[a-z]+=|<script>`).Find(page.Body); inline != nil {
		t.Errorf("the page holds %q", inline)
	}
	for _, name := range []string{"admin.css", "admin.js"} {
		file := d.Get(t, "assets/"+name)
		if file.Status != 200 || !strings.Contains(file.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", name, file.Status, file.Header)
		}
	}
	want(t, d.Get(t, "nowhere"), 404, "no such page")
	want(t, d.Get(t, "comments/99"), 404)
}
