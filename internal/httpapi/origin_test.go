package httpapi

import (
	"strings"
	"testing"
)

// The decision table of Origin, for every route that writes.
func TestOriginDecisionTable_AUTH_04_AUTH_14(t *testing.T) {
	t.Parallel()
	routes := []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/comments", newComment, 202},
		{"POST", "/preview", `{"text":"x"}`, 200},
		{"POST", "/comments/own", `{"keys":[]}`, 200},
		{"PATCH", "/comments/23", `{"text":"x"}`, 200},
		{"DELETE", "/comments/23", "", 200},
		{"GET", "/form?post=/", "", 200},
	}
	for _, c := range []struct {
		name     string
		headers  []string
		accepted bool
		echoed   string
	}{
		{"no browser", nil, true, ""},
		{"own page", []string{"Sec-Fetch-Site", "same-origin"}, true, ""},
		{"typed address", []string{"Sec-Fetch-Site", "none"}, true, ""},
		{"hidden origin across sites", []string{"Sec-Fetch-Site", "cross-site"}, false, ""},
		{"the blog", []string{"Origin", "https://blog.example", "Sec-Fetch-Site", "cross-site"}, true, "https://blog.example"},
		{"AUTH-01 alias", []string{"Origin", "https://www.blog.example"}, true, "https://www.blog.example"},
		{"origin with port", []string{"Origin", "http://localhost:1313"}, true, "http://localhost:1313"},
		{"the service itself", []string{"Origin", "https://talk.example"}, true, "https://talk.example"},
		{"AUTH-14 no Referer", []string{"Origin", "https://blog.example", "Referer", ""}, true, "https://blog.example"},
		{"AUTH-14 null", []string{"Origin", "null"}, false, ""},
		{"AUTH-01 not an alias", []string{"Origin", "https://m.blog.example"}, false, ""},
		{"other scheme", []string{"Origin", "http://blog.example"}, false, ""},
		{"other port", []string{"Origin", "https://blog.example:8443"}, false, ""},
		{"name in front", []string{"Origin", "https://evil-blog.example"}, false, ""},
		{"name behind", []string{"Origin", "https://blog.example.evil.example"}, false, ""},
		{"with a path", []string{"Origin", "https://blog.example/evil"}, false, ""},
		{"with a user", []string{"Origin", "https://blog.example@evil.example"}, false, ""},
		{"several", []string{"Origin", "https://blog.example|https://evil.example"}, false, ""},
		{"list in one", []string{"Origin", "https://blog.example https://evil.example"}, false, ""},
		{"empty", []string{"Origin", " "}, false, ""},
		{"nonsense", []string{"Origin", "%%%"}, false, ""},
		{"Host does not matter", []string{"Origin", "https://evil.example", "X-Forwarded-Host", "evil.example"}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url := newWorld().open(t)
			for _, route := range routes {
				headers := append([]string{}, c.headers...)
				if strings.HasPrefix(route.path, "/comments/23") {
					headers = append(headers, "Authorization", "Bearer edit-key-23")
				}
				r := ask(t, route.method, url+blog+route.path, route.body, headers...)
				if !c.accepted {
					r.want(t, 403, "origin-not-allowed")
					if !strings.Contains(r.text, "https://blog.example, https://www.blog.example") {
						t.Errorf("%s: the allowed list is missing: %s", route.path, r.text)
					}
					echoed := ""
					if route.method == "GET" {
						echoed = "*" // so that the widget can show why nothing works
					}
					r.wantHeader(t, "Access-Control-Allow-Origin", echoed, "Access-Control-Allow-Credentials", "")
					continue
				}
				r.want(t, route.status, "").wantHeader(t, "Access-Control-Allow-Origin", c.echoed, "Vary", "Origin", "Access-Control-Allow-Credentials", "")
			}
		})
	}
}

func TestFormsOfForeignPagesChangeNothing_AUTH_04(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	for _, kind := range []string{"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", ""} {
		for _, c := range []struct{ method, path string }{{"POST", "/comments"}, {"POST", "/preview"}, {"POST", "/comments/own"}, {"PATCH", "/comments/23"}} {
			headers := []string{"Content-Type", kind, "Authorization", "Bearer edit-key-23", "Cookie", "session=1"}
			if c.path == "/comments" {
				headers = append(headers[:2], headers[4:]...)
			}
			ask(t, c.method, url+blog+c.path, newComment, append(headers, "Origin", "https://evil.example")...).want(t, 403, "origin-not-allowed")
			ask(t, c.method, url+blog+c.path, newComment, headers...).want(t, 415, "json-required")
		}
	}
	if len(w.sent) != 0 || len(w.took) != 0 {
		t.Errorf("something got through: %v %v", w.sent, w.took)
	}
}

func TestAStrangerIsLoggedOnce_AUTH_01(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := w.open(t)
	for range 3 {
		ask(t, "POST", url+blog+"/comments", newComment, "Origin", "https://m.blog.example").want(t, 403, "origin-not-allowed")
	}
	if n := strings.Count(w.log.String(), "origin=https://m.blog.example"); n != 1 {
		t.Errorf("logged %d times, want once", n)
	}
}

func TestAMalformedCookieIsNoSession_AUTH_07(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	for _, path := range []string{blog + "/comments?post=/posts/hello", blog + "/form?post=/", "/healthz", "/widget.js"} {
		ask(t, "GET", url+path, "", "Cookie", "session=%E0%A4%A; x").want(t, 200, "")
	}
}

func TestPreflightOpensOnlyWhatIsUsed(t *testing.T) {
	t.Parallel()
	url := newWorld().open(t)
	write := func(path, method, origin string) reply {
		return ask(t, "OPTIONS", url+blog+path, "", "Origin", origin, "Access-Control-Request-Method", method, "Access-Control-Request-Headers", "content-type")
	}
	write("/comments", "POST", "https://blog.example").want(t, 204, "").wantHeader(t,
		"Access-Control-Allow-Origin", "https://blog.example", "Access-Control-Allow-Methods", "GET, HEAD, POST",
		"Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, X-Request-Id",
		"Access-Control-Max-Age", "7200", "Access-Control-Allow-Credentials", "", "Vary", "Origin")
	write("/comments/17", "PATCH", "https://www.blog.example").want(t, 204, "").wantHeader(t, "Access-Control-Allow-Methods", "PATCH, DELETE")
	write("/comments", "GET", "https://anybody.example").want(t, 204, "").wantHeader(t, "Access-Control-Allow-Origin", "*")
	for _, origin := range []string{"https://evil.example", "null"} {
		write("/comments", "POST", origin).want(t, 403, "origin-not-allowed").wantHeader(t, "Access-Control-Allow-Origin", "", "Access-Control-Allow-Methods", "")
		write("/form", "GET", origin).want(t, 403, "origin-not-allowed")
	}
	ask(t, "OPTIONS", url+"/api/v1/sites/nobody/comments", "", "Origin", "https://blog.example", "Access-Control-Request-Method", "POST").want(t, 404, "not-found")
	ask(t, "OPTIONS", url+blog+"/comments", "").want(t, 204, "").wantHeader(t, "Allow", "GET, HEAD, POST, OPTIONS", "Access-Control-Allow-Origin", "")
}
