package httpapi_test

import (
	"net/http"
	"testing"
)

func TestLightReadsAreOpenToEveryPageAndWritesToThoseOfTheSite(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	const page, question, refused = `{"path":"/a"}`, `{"question":"Why?"}`, `{"error":"origin_not_allowed"}`
	for _, c := range []struct {
		name    string
		h       http.Header
		site    string
		allowed bool
		echo    string
	}{
		{"no browser", http.Header{}, "", true, ""},
		{"a page of the service", http.Header{"Sec-Fetch-Site": {"same-origin"}}, "", true, ""},
		{"the service's own origin", http.Header{"Origin": {"https://talk.example"}}, "", true, "https://talk.example"},
		{"the blog", http.Header{"Origin": {"https://blog.example"}, "Sec-Fetch-Site": {"cross-site"}}, "", true, "https://blog.example"},
		{"the blog by name", http.Header{"Origin": {"https://blog.example"}}, "?site=blog", true, "https://blog.example"},
		{"the other site", http.Header{"Origin": {"https://other.example"}}, "?site=other", true, "https://other.example"},
		{"the blog for the other site", http.Header{"Origin": {"https://blog.example"}}, "?site=other", false, ""},
		{"a stranger", http.Header{"Origin": {"https://evil.example"}}, "", false, ""},
		{"a sandboxed frame", http.Header{"Origin": {"null"}}, "", false, ""},
		{"a browser that hides the page", http.Header{"Sec-Fetch-Site": {"cross-site"}}, "", false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for path, body := range map[string]string{"/api/view": page, "/api/qlog": question} {
				r := roundTrip(t, "POST", b.url+path+c.site, c.h.Clone(), body)
				if !c.allowed {
					r.is(t, 403, refused)
				} else if r.StatusCode >= 300 {
					t.Errorf("%s: %d %s", path, r.StatusCode, r.text)
				}
				if got := r.Header.Get("Access-Control-Allow-Origin"); got != c.echo || r.Header.Get("Vary") != "Origin" {
					t.Errorf("%s: Access-Control-Allow-Origin %q, Vary %q", path, got, r.Header.Get("Vary"))
				}
			}
			r := roundTrip(t, "GET", b.url+"/api/views?path=/z", c.h.Clone(), "").is(t, 200, `{"path":"/z","count":0}`)
			if got := r.Header.Get("Access-Control-Allow-Origin"); got != "*" {
				t.Errorf("views: Access-Control-Allow-Origin %q", got)
			}
		})
	}
	for _, path := range []string{"/api/views", "/api/views?path=/a&site=nowhere", "/api/unknown"} {
		if r := roundTrip(t, "GET", b.url+path, http.Header{"Origin": {"https://evil.example"}}, ""); r.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: an error that a page cannot read: %v", path, r.Header)
		}
	}
}

func TestLightPreflights(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	for _, c := range []struct {
		path, origin, method string
		status               int
		echo, methods        string
	}{
		{"/api/view", "https://blog.example", "POST", 204, "https://blog.example", "POST"},
		{"/comments/api/qlog", "https://blog.example", "POST", 204, "https://blog.example", "POST"},
		{"/api/qlog?site=other", "https://other.example", "POST", 204, "https://other.example", "POST"},
		{"/api/qlog", "https://evil.example", "POST", 403, "", ""},
		{"/api/view?site=nowhere", "https://blog.example", "POST", 404, "", ""},
		{"/api/views", "https://evil.example", "GET", 204, "*", "GET, HEAD"},
	} {
		h := http.Header{"Origin": {c.origin}, "Access-Control-Request-Method": {c.method}, "Access-Control-Request-Headers": {"content-type"}}
		r := roundTrip(t, "OPTIONS", b.url+c.path, h, "")
		if r.StatusCode != c.status || r.Header.Get("Access-Control-Allow-Origin") != c.echo || r.Header.Get("Access-Control-Allow-Methods") != c.methods {
			t.Errorf("%s from %s: %d %v", c.path, c.origin, r.StatusCode, r.Header)
		}
	}
	r := roundTrip(t, "HEAD", b.url+"/api/views?path=/a", http.Header{}, "")
	if r.StatusCode != 200 || r.text != "" || r.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("HEAD: %d %v", r.StatusCode, r.Header)
	}
}
