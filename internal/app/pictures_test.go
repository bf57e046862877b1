package app_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
)

// The service fetches, opens and serves no picture of anybody: one in a comment
// is a link. So there is no proxy that a document could pass through (SEC-01)
// and no decoder that a file could exhaust (SEC-02).
func TestSEC_01_SEC_02_NoPictureIsFetchedOpenedOrServed(t *testing.T) {
	t.Parallel()
	var fetched atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fetched.Add(1) }))
	defer elsewhere.Close()
	p := apptest.RunBinary(t, apptest.Options{})
	address := elsewhere.URL + "/bomb.png"
	posted := p.Post(t, apptest.Draft{Post: "/pictures", Text: "See ![a picture](" + address + ") and <img src=\"" + address + "\">."})
	p.AwaitAsked(t, time.Minute, posted.Comment.ID)
	p.Decide(t, posted.Comment.ID, "approve")
	for _, path := range []string{"/api/v1/sites/blog/comments?post=/pictures", "/thread/blog?post=/pictures", "/api/v1/sites/blog/feed.atom"} {
		res, err := http.Get(p.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		var body strings.Builder
		_ = res.Write(&body)
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
		if text := body.String(); strings.Contains(text, "<img") || strings.Contains(text, `\u003cimg`) {
			t.Errorf("%s holds an image: %s", path, text)
		}
	}
	res, err := http.Post(p.URL+"/api/v1/sites/blog/comments", "image/png", strings.NewReader("\x89PNG\r\n\x1a\n"))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("a picture that is sent is answered with %d", res.StatusCode)
	}
	if n := fetched.Load(); n != 0 {
		t.Errorf("the picture was fetched %d times", n)
	}
}
