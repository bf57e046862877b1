package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestBadAdminInputIsRefusedWithItsField(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "Untouched by all of this.")
	long := strings.Repeat("x", 301)
	for _, c := range []struct {
		method, path, body string
		status             int
		field              string
	}{
		// Lists.
		{"GET", "/comments?status=public", "", 400, "status"},
		{"GET", "/comments?site=nowhere", "", 400, "site"},
		{"GET", "/comments?site=NO%20SITE", "", 400, "site"},
		{"GET", "/comments?from=yesterday", "", 400, "from"},
		{"GET", "/comments?to=2026-13-01", "", 400, "to"},
		{"GET", "/comments?limit=0", "", 400, "limit"},
		{"GET", "/comments?limit=201", "", 400, "limit"},
		{"GET", "/comments?limit=many", "", 400, "limit"},
		{"GET", "/comments?cursor=%21%21", "", 400, "cursor"},
		{"GET", "/comments?cursor=" + strings.Repeat("A", 600), "", 400, "cursor"},
		{"GET", "/comments?queue=closed", "", 400, "queue"},
		{"GET", "/comments?host=%2F%2F", "", 400, "host"},
		{"GET", "/comments?post=https%3A%2F%2Fevil.example%2Fa", "", 400, "post"},
		{"GET", "/comments?site=blog&post=https%3A%2F%2Fevil.example%2Fa", "", 400, "post"},
		{"GET", "/comments?site=%zz", "", 400, "query"},
		{"GET", "/posts", "", 400, "site"},
		{"GET", "/posts?site=nowhere", "", 400, "site"},

		// Comments.
		{"GET", "/comments/0", "", 404, ""},
		{"GET", "/comments/01", "", 404, ""},
		{"GET", "/comments/x", "", 404, ""},
		{"GET", "/comments/99999999999999999999", "", 404, ""},
		{"POST", "/comments/2/decision", `{"decision":"approve"}`, 404, ""},
		{"POST", "/comments/x/decision", `{"decision":"approve"}`, 404, ""},
		{"POST", "/comments/1/decision", "", 400, "body"},
		{"POST", "/comments/1/decision", "[]", 400, "body"},
		{"POST", "/comments/1/decision", `{"decision":"appr`, 400, "body"},
		{"POST", "/comments/1/decision", `{}`, 400, "decision"},
		{"POST", "/comments/1/decision", `{"decision":"publish"}`, 400, "decision"},
		{"POST", "/comments/1/decision", `{"decision":"undo"}`, 400, "decision"},
		{"POST", "/comments/1/decision", `{"decision":"Approve"}`, 400, "decision"},
		{"POST", "/comments/1/decision", `{"decision":1}`, 400, "decision"},
		{"POST", "/comments/1/decision", `{"decision":"approve","expect":"open"}`, 400, "expect"},
		{"POST", "/comments/1/decision", `{"decision":"approve","expect_revision":-1}`, 400, "expect_revision"},
		{"POST", "/comments/1/decision", `{"decision":"approve","expect_revision":"1"}`, 400, "expect_revision"},
		{"POST", "/comments/1/decision", `{"decision":"approve","reason":"` + long + `"}`, 400, "reason"},
		{"POST", "/comments/1/decision", `{"x":"` + strings.Repeat("x", 128<<10) + `"}`, 413, ""},
		{"POST", "/comments/1/reply", `{"text":" \n"}`, 400, "text"},
		{"POST", "/comments/1/reply", `{"text":"` + strings.Repeat("x", 8001) + `"}`, 400, "text"},
		{"POST", "/comments/2/reply", `{"text":"Hello."}`, 404, ""},

		// Bulk decisions.
		{"POST", "/decisions", `{"decision":"spam"}`, 400, "ids"},
		{"POST", "/decisions", `{"decision":"spam","ids":[]}`, 400, "ids"},
		{"POST", "/decisions", `{"decision":"spam","ids":["1"],"filter":{"site":"blog"}}`, 400, "ids"},
		{"POST", "/decisions", `{"decision":"spam","ids":"1"}`, 400, "ids"},
		{"POST", "/decisions", `{"decision":"spam","ids":[1]}`, 400, "ids"},
		{"POST", "/decisions", `{"decision":7,"ids":["1"]}`, 400, "decision"},
		{"POST", "/decisions", `{"decision":"none","ids":["1"]}`, 400, "decision"},
		{"POST", "/decisions", `{"decision":"spam","filter":{}}`, 400, "filter"},
		{"POST", "/decisions", `{"decision":"spam","filter":{"status":["public"]}}`, 400, "filter.status"},
		{"POST", "/decisions", `{"decision":"spam","filter":{"host":"a b"}}`, 400, "filter.host"},
		{"POST", "/decisions", `{"decision":"spam","filter":{"site":"nowhere"}}`, 400, "filter.site"},
		{"POST", "/decisions/7/undo", "", 404, ""},
		{"POST", "/decisions/00000000-0000-4000-8000-000000000000/undo", "", 404, ""},

		// Posts and sites.
		{"PATCH", "/posts", `{"site":"blog","closed":true}`, 400, "post"},
		{"PATCH", "/posts", `{"post":"/a","closed":true}`, 400, "site"},
		{"PATCH", "/posts", `{"site":"nowhere","post":"/a","closed":true}`, 400, "site"},
		{"PATCH", "/posts", `{"site":"blog","post":"/a"}`, 400, "body"},
		{"PATCH", "/posts", `{"site":"blog","post":"/a","closed":"yes"}`, 400, "closed"},
		{"PATCH", "/posts", `{"site":"blog","post":"https://evil.example/a","closed":true}`, 400, "post"},
		{"PATCH", "/posts", `{"site":"blog","post":"/a","url":"https://evil.example/a"}`, 400, "url"},
		{"PATCH", "/posts", `{"site":"blog","post":"/a","url":"javascript:alert(1)"}`, 400, "url"},
		{"POST", "/sites", `{}`, 400, "key"},
		{"POST", "/sites", `{"key":"Big Letters"}`, 400, "key"},
		{"POST", "/sites", `{"key":"blog"}`, 409, "key"},
		{"POST", "/sites/one", `{"key":"two"}`, 400, "key"},
		{"POST", "/sites", `{"key":"new","origins":["blog.example"]}`, 400, "origins"},
		{"POST", "/sites", `{"key":"new","origins":"https://blog.example"}`, 400, "origins"},
		{"POST", "/sites", `{"key":"new","policy":"anything"}`, 400, "policy"},
		{"PATCH", "/sites/blog", `{"policy":"whatever"}`, 400, "policy"},
		{"PATCH", "/sites/blog", `{"key":"other-name"}`, 400, "key"},
		{"PATCH", "/sites/blog", `{"name":" "}`, 400, "name"},
		{"PATCH", "/sites/blog", `{"name":"` + long[:65] + `"}`, 400, "name"},
		{"PATCH", "/sites/blog", `{"max_links":-1}`, 400, "max_links"},
		{"PATCH", "/sites/blog", `{"max_links":1.5}`, 400, "max_links"},
		{"PATCH", "/sites/blog", `{"lockdown":"on"}`, 400, "lockdown"},
		{"PATCH", "/sites/blog", `{"blocked":["` + long + `"]}`, 400, "blocked"},
		{"PATCH", "/sites/blog", `{"blocked":[` + manyPhrases(1001) + `]}`, 400, "blocked"},
		{"PATCH", "/sites/nowhere", `{"name":"x"}`, 404, ""},
		{"GET", "/sites/nowhere", "", 404, ""},
		{"GET", "/sites/NO", "", 404, ""},
		{"DELETE", "/sites/nowhere", "", 404, ""},

		// People.
		{"POST", "/keys", `{}`, 400, "role"},
		{"POST", "/keys", `{"role":"owner"}`, 400, "role"},
		{"POST", "/keys", `{"role":"admin","scope":"reader"}`, 400, "scope"},
		{"POST", "/keys", `{"role":"admin","site":"nowhere"}`, 400, "site"},
		{"POST", "/keys", `{"role":"admin","name":"` + long[:65] + `"}`, 400, "name"},
		{"DELETE", "/keys/7", "", 404, ""},
		{"DELETE", "/keys/bootstrap", "", 404, ""},
		{"POST", "/moderators", `{"role":"admin"}`, 400, "name"},
		{"POST", "/moderators", `{"name":"Bo"}`, 400, "role"},
		{"POST", "/moderators", `{"name":"Bo","role":"admin","site":"nowhere"}`, 400, "site"},
		{"DELETE", "/moderators/7", "", 404, ""},

		// Addresses and methods.
		{"GET", "/nothing", "", 404, ""},
		{"PUT", "/comments/1", `{}`, 405, ""},
	} {
		name := fmt.Sprintf("%s %.40s %.60s", c.method, c.path, c.body)
		t.Run(name, func(t *testing.T) {
			r := o.ask(t, c.method, c.path, c.body)
			var p struct{ Field, Detail string }
			r.read(t, &p)
			if r.StatusCode != c.status || p.Field != c.field || p.Detail == "" {
				t.Errorf("%d with the field %q, want %d %q: %s", r.StatusCode, p.Field, c.status, c.field, r.text)
			}
			if strings.Contains(r.text, "json:") || strings.Contains(r.text, "httpapi") || strings.Contains(r.text, "SQL") {
				t.Errorf("internal words got out: %s", r.text)
			}
		})
	}
	if text := o.ask(t, "GET", "/comments/1", "").want(t, 200).text; !strings.Contains(text, `"history":[]`) || !strings.Contains(text, `"revision":1`) {
		t.Errorf("something got through: %s", text)
	}
}

func manyPhrases(n int) string {
	phrases := make([]string, n)
	for i := range phrases {
		phrases[i] = fmt.Sprintf(`"phrase %d"`, i)
	}
	return strings.Join(phrases, ",")
}

func TestABodyThatIsNoJSONIsRefused(t *testing.T) {
	t.Parallel()
	t.Run("AUTH-04", func(t *testing.T) {
		o := newOffice(t)
		o.say(t, "blog", "What a foreign page would like to approve.")
		for _, contentType := range []string{"application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"} {
			for name, r := range rights {
				method, _, _ := strings.Cut(name, " ")
				if method == "GET" || r.body == "" {
					continue
				}
				for bearer, want := range map[string]int{"": 401, bootstrap: 415} {
					if got := callAs(t, method, o.url+adminAt+r.path, bearer, contentType, r.body); got.StatusCode != want {
						t.Errorf("%s as %s: %d %s", name, contentType, got.StatusCode, got.text)
					}
				}
			}
		}
	})
}

func TestAChangeOfASiteIsSeenByTheNextRequest(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	sent := 0
	send := func() int {
		sent++ // the same text again would be recognised as sent before
		body := fmt.Sprintf(`{"post":"/","author":{"name":"Ann"},"text":"Hello %d."}`, sent)
		return callFrom(t, o.url+"/api/v1/sites/blog/comments", "https://new.example", body).StatusCode
	}
	if status := send(); status != 403 {
		t.Fatalf("a foreign page: %d", status)
	}
	o.ask(t, "PATCH", "/sites/blog", `{"origins":["https://blog.example","https://new.example/"]}`).want(t, 200)
	if status := send(); status != 202 {
		t.Errorf("the page that was just added: %d", status)
	}
	o.ask(t, "PATCH", "/sites/blog", `{"lockdown":true}`).want(t, 200)
	if status := send(); status != 403 {
		t.Errorf("in lockdown: %d", status)
	}
}

func TestOriginsThatMeanTheSameAreOne(t *testing.T) {
	t.Parallel()
	t.Run("AUTH-02", func(t *testing.T) {
		o := newOffice(t)
		var v struct{ Origins, Warnings []string }
		o.ask(t, "PATCH", "/sites/blog", `{"origins":["https://blog.example/","HTTPS://Blog.example:443","https://blog.example/path"]}`).want(t, 200).read(t, &v)
		if fmt.Sprint(v.Origins) != "[https://blog.example]" || len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0], "/path") {
			t.Errorf("%+v", v)
		}
		o.ask(t, "PATCH", "/sites/blog", `{"origins":[]}`).want(t, 200).read(t, &v)
		if len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0], "origin") {
			t.Errorf("%+v", v)
		}
	})
}

func TestAPostIsClosedBeforeItsFirstComment(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.ask(t, "PATCH", "/posts?site=blog&post=/a/b%3Fref=x", `{"closed":true,"title":" A  title ","url":"https://blog.example/a/b"}`).want(t, 200)
	var list struct {
		Posts []struct {
			Key, Title, URL string
			Closed          bool
		}
	}
	o.ask(t, "GET", "/posts?site=blog", "").want(t, 200).read(t, &list)
	if got := fmt.Sprintf("%+v", list.Posts); got != "[{Key:/a/b Title:A title URL:https://blog.example/a/b Closed:true}]" {
		t.Error(got)
	}
	status := callFrom(t, o.url+"/api/v1/sites/blog/comments", "https://blog.example", `{"post":"/a/b","author":{"name":"Ann"},"text":"Hello."}`).StatusCode
	if status != 403 {
		t.Errorf("a comment on the closed post: %d", status)
	}
}
