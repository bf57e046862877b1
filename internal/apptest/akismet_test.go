package apptest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postil/postil/internal/app"
	"github.com/postil/postil/internal/apptest"
	"github.com/postil/postil/internal/token"
)

// fakeAkismet speaks Akismet's protocol as its documentation tells it.
type fakeAkismet struct {
	*httptest.Server
	mu    sync.Mutex
	down  int // calls that are still to fail
	calls []url.Values
}

func startAkismet(t *testing.T) *fakeAkismet {
	t.Helper()
	f := &fakeAkismet{}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fakeAkismet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := r.ParseForm(); err != nil || r.Method != "POST" || r.PostForm.Get("api_key") != "abc" || r.PostForm.Get("blog") == "" {
		w.Header().Set("X-Akismet-Debug-Help", "Empty or invalid request")
		_, _ = io.WriteString(w, "invalid")
		return
	}
	if f.down > 0 {
		f.down--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	method := strings.TrimPrefix(r.URL.Path, "/1.1/")
	r.PostForm.Set("method", method)
	f.calls = append(f.calls, r.PostForm)
	switch text := r.PostForm.Get("comment_content"); {
	case method == "submit-spam" || method == "submit-ham":
		_, _ = io.WriteString(w, "Thanks for making the web a better place.")
	case strings.Contains(text, "blatant"):
		w.Header().Set("X-Akismet-Pro-Tip", "discard")
		_, _ = io.WriteString(w, "true")
	case strings.Contains(text, "advert"):
		_, _ = io.WriteString(w, "true")
	default:
		_, _ = io.WriteString(w, "false")
	}
}

// told returns what came in by a method about a text.
func (f *fakeAkismet) told(method, text string) url.Values {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.calls {
		if c.Get("method") == method && c.Get("comment_content") == text {
			return c
		}
	}
	return nil
}

func (f *fakeAkismet) fail(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = n
}

// later makes it later for a server whose clock its requests tell.
func later(t *testing.T, a *apptest.App, now *time.Time, d time.Duration) {
	t.Helper()
	*now = now.Add(d)
	if _, err := a.Do(t.Context(), "GET", "/healthz", nil, "X-Postil-Now", strconv.FormatInt(now.UnixMilli(), 10)); err != nil {
		t.Fatal(err)
	}
}

func TestAkismetHoldsStopsAndIsToldWhereItWasWrong(t *testing.T) {
	t.Parallel()
	f := startAkismet(t)
	a := apptest.Start(t, apptest.Options{Set: func(c *app.Config) {
		proxied(c)
		c.AkismetKey, c.AkismetURL, c.Limits = token.NewSecret("abc"), f.URL+"/1.1/", "off"
		c.Clock = "header"
	}})
	if got := a.Admin(t, "PATCH", "sites/blog", map[string]any{"policy": "open"}); got.Status != http.StatusOK {
		t.Fatalf("%d: %s", got.Status, got.Body)
	}
	now := time.Now()
	say := func(text, from string) (id, status, why string) {
		t.Helper()
		tok, _ := form(t, a, "/a", from)
		later(t, a, &now, 5*time.Second)
		id = send(t, a, "/a", text, from, "", map[string]any{"token": tok, "trap": ""})
		apptest.Eventually(t, time.Minute, "comment "+id+" is checked", func() bool { return a.Detail(t, id).CheckedAt != nil })
		d := a.Detail(t, id)
		return id, d.Status, d.Why
	}
	good, status, why := say("I cut my roses back to three eyes and they came back stronger.", "203.0.113.7")
	if status != "approved" {
		t.Errorf("an honest comment is %s: %s", status, why)
	}
	call := f.told("comment-check", "I cut my roses back to three eyes and they came back stronger.")
	if call.Has("user_ip") || call.Has("comment_author_email") || strings.Contains(call.Encode(), "203.0.113") {
		t.Errorf("more is sent than need be: %v", call)
	}
	wrong, status, why := say("This is no advert at all, I only wonder about the roses.", "203.0.113.8")
	if status != "pending" || !strings.Contains(why, "Akismet calls it spam") {
		t.Errorf("%s: %s", status, why)
	}
	if _, status, why := say("A blatant one about other roses.", "203.0.114.8"); status != "spam" || !strings.Contains(why, "blatant") {
		t.Errorf("%s: %s", status, why)
	}
	f.fail(3)
	if _, status, why := say("Nobody can say anything about these roses.", "203.0.115.8"); status != "pending" || !strings.Contains(why, "gave no answer") {
		t.Errorf("during an outage: %s, %s", status, why)
	}
	a.Decide(t, wrong, "approve") // told after two more failures
	a.Decide(t, good, "spam")
	apptest.Eventually(t, time.Minute, "Akismet has learned", func() bool {
		return f.told("submit-ham", "This is no advert at all, I only wonder about the roses.") != nil && f.told("submit-spam", "I cut my roses back to three eyes and they came back stronger.") != nil
	})
	if got := a.Admin(t, "PUT", "config/outside.akismet_network", map[string]any{"value": true, "site": "blog"}); got.Status != http.StatusOK {
		t.Fatalf("%d: %s", got.Status, got.Body)
	}
	say("With a network this time, about other plants.", "203.0.116.77")
	if ip := f.told("comment-check", "With a network this time, about other plants.").Get("user_ip"); ip != "203.0.116.0" {
		t.Errorf("the network is %q", ip)
	}
}

func TestWhatAProxySaysOfTheSenderCanOnlyHold(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Set: func(c *app.Config) {
		proxied(c)
		c.BotScoreHeader, c.CountryHeader, c.Limits = "X-Bot-Score", "X-Country", "off"
		c.Clock = "header"
	}})
	if got := a.Admin(t, "PATCH", "sites/blog", map[string]any{"policy": "open"}); got.Status != http.StatusOK {
		t.Fatalf("%d: %s", got.Status, got.Body)
	}
	if got := a.Admin(t, "PUT", "config/outside.countries", map[string]any{"value": []string{"xx"}}); got.Status != http.StatusOK {
		t.Fatalf("%d: %s", got.Status, got.Body)
	}
	now := time.Now()
	for _, row := range []struct{ score, country, why string }{
		{"2", "DE", "for a program (score 2)"}, {"99", "XX", "(XX)"}, {"99", "DE", ""}, {"", "", ""}, {"many", "?", ""},
	} {
		tok, _ := form(t, a, "/a", "203.0.113.1")
		later(t, a, &now, 5*time.Second)
		got, err := a.Do(t.Context(), "POST", "/api/v1/sites/blog/comments", map[string]any{"post": "/a", "author": map[string]any{"name": "Ann"},
			"text": "These roses have score " + row.score + " in " + row.country, "form": map[string]any{"token": tok, "trap": ""}},
			"X-Forwarded-For", "203.0.113.1", "X-Bot-Score", row.score, "X-Country", row.country)
		if err != nil || got.Status != http.StatusAccepted {
			t.Fatalf("%d: %s (%v)", got.Status, got.Body, err)
		}
		var out struct{ Comment struct{ ID string } }
		got.JSON(t, &out)
		apptest.Eventually(t, time.Minute, "it is checked", func() bool { return a.Detail(t, out.Comment.ID).CheckedAt != nil })
		d := a.Detail(t, out.Comment.ID)
		if row.why == "" && d.Status != "approved" || row.why != "" && (d.Status != "pending" || !strings.Contains(d.Why, row.why)) {
			t.Errorf("%+v: %s, %s", row, d.Status, d.Why)
		}
	}
}

// RL-02: the header of somebody who is no proxy of ours says nothing.
func TestRL_02_ABotScoreOfAStrangerSaysNothing(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Set: func(c *app.Config) {
		c.TrustedProxies, c.BotScoreHeader = []string{"192.0.2.1/32"}, "X-Bot-Score"
	}})
	got, err := a.Do(t.Context(), "POST", "/api/v1/sites/blog/comments", map[string]any{"post": "/a", "author": map[string]any{"name": "Ann"}, "text": "Roses."}, "X-Bot-Score", "1")
	if err != nil || got.Status != http.StatusAccepted {
		t.Fatalf("%d: %s (%v)", got.Status, got.Body, err)
	}
	var out struct{ Comment struct{ ID string } }
	got.JSON(t, &out)
	apptest.Eventually(t, time.Minute, "it is checked", func() bool { return a.Detail(t, out.Comment.ID).CheckedAt != nil })
	if d := a.Detail(t, out.Comment.ID); strings.Contains(d.Why, "program") {
		t.Errorf("a stranger was believed: %s", d.Why)
	}
}
