package apptest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/app"
	"github.com/postil/postil/internal/apptest"
)

// form asks for the form under a post, as somebody behind an address.
func form(t *testing.T, a *apptest.App, post, from string) (token string, challenge map[string]any) {
	t.Helper()
	got, err := a.Do(t.Context(), "GET", "/api/v1/sites/blog/form?post="+url.QueryEscape(post), nil, "X-Forwarded-For", from)
	if err != nil || got.Status != http.StatusOK {
		t.Fatalf("%v, %d: %s", err, got.Status, got.Body)
	}
	var f struct {
		Token     string         `json:"token"`
		Challenge map[string]any `json:"challenge"`
	}
	got.JSON(t, &f)
	return f.Token, f.Challenge
}

// send posts a comment with a form and returns its id, "" when it was refused
// for coming too fast; every other refusal fails.
func send(t *testing.T, a *apptest.App, post, text, from, device string, form map[string]any) string {
	t.Helper()
	body := map[string]any{"post": post, "text": text, "author": map[string]any{"name": "Bot"}}
	if device != "" {
		body["device"] = device
	}
	if form != nil {
		body["form"] = form
	}
	got, err := a.Do(t.Context(), "POST", "/api/v1/sites/blog/comments", body, "X-Forwarded-For", from)
	if err != nil || got.Status != http.StatusAccepted && got.Status != http.StatusTooManyRequests {
		t.Fatalf("%q: %v, %d: %s", text, err, got.Status, got.Body)
	}
	if got.Status == http.StatusTooManyRequests {
		return ""
	}
	var p apptest.Posted
	got.JSON(t, &p)
	return p.Comment.ID
}

// Behind a proxy, so that each bot has an address of its own.
func proxied(c *app.Config) { c.TrustedProxies = []string{"127.0.0.1"} }

func TestScriptedBotsAreStoppedOrHeld(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Set: proxied})
	if got := a.Admin(t, "PATCH", "sites/blog", map[string]any{"policy": "score"}); got.Status != http.StatusOK {
		t.Fatalf("%d: %s", got.Status, got.Body)
	}
	const text = "I cut my roses back to three eyes last spring, and they came back stronger. Did you feed yours, too? Number "
	sent := map[string]string{} // id: what kind of bot
	keep := func(kind, id string) {
		if id != "" {
			sent[id] = kind
		}
	}
	token, _ := form(t, a, "/a", "198.51.100.1")
	keep("honeypot", send(t, a, "/a", text+"one", "198.51.100.1", "", map[string]any{"token": token, "trap": "http://x.example"}))
	token, challenge := form(t, a, "/a", "198.51.100.1")
	if challenge == nil || challenge["algorithm"] != "SHA-256" {
		t.Errorf("whoever filled the trap is asked for no work: %v", challenge)
	}
	keep("no proof of work", send(t, a, "/a", text+"two", "198.51.100.1", "", map[string]any{"token": token, "trap": ""}))
	token, challenge = form(t, a, "/b", "198.51.101.1")
	if challenge != nil {
		t.Errorf("a stranger is asked for work: %v", challenge)
	}
	keep("under two seconds", send(t, a, "/b", text+"three", "198.51.101.1", "", map[string]any{"token": token, "trap": ""}))
	keep("a token twice", send(t, a, "/b", text+"four", "198.51.101.2", "", map[string]any{"token": token, "trap": ""}))
	keep("no token", send(t, a, "/c", text+"five", "198.51.102.1", "", nil))
	keep("a token of its own", send(t, a, "/c", text+"six", "198.51.102.2", "", map[string]any{"token": "AAAA.BBBB", "trap": ""}))
	for i := range 5 {
		keep("the same text", send(t, a, fmt.Sprint("/d", i), text+"seven", fmt.Sprintf("198.51.103.%d", i+1), "", nil))
	}
	for i := range 20 {
		keep("twenty a minute", send(t, a, "/e", fmt.Sprint(text, "e", i), "198.51.104.1", strings.Repeat("d", 20), nil))
	}
	if len(sent) < 12 || len(sent) > 16 {
		t.Errorf("%d comments were taken in", len(sent))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for id, kind := range sent {
		apptest.Eventually(t, time.Minute, "comment "+id+" is checked", func() bool { return a.Detail(t, id).CheckedAt != nil })
		if d := a.Detail(t, id); d.Status != "pending" && d.Status != "spam" {
			t.Errorf("%s: comment %s is %s", kind, id, d.Status)
		}
		if ctx.Err() != nil {
			t.Fatal("the checks take too long")
		}
	}
}

// What honest people do that looks like a machine holds their comment at most.
func TestAnHonestVisitorIsHeldAtMost(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Set: func(c *app.Config) { proxied(c); c.Clock = "header" }})
	const text = "I cut my roses back to three eyes last spring, and they came back stronger. Did you feed yours, too? "
	token, _ := form(t, a, "/a", "203.0.113.1")
	ids := map[string]string{
		"a password manager filled the hidden field": send(t, a, "/a", text+"1", "203.0.113.1", "", map[string]any{"token": token, "trap": "Ann"}),
		"no script, so no token":                     send(t, a, "/a", text+"2", "203.0.113.9", "", nil),
	}
	token, _ = form(t, a, "/b", "203.0.114.1")
	ids["a slow network sent it twice"] = send(t, a, "/b", text+"3", "203.0.114.1", "", map[string]any{"token": token, "trap": ""})
	ids["pasted within a second"] = send(t, a, "/b", text+"4", "203.0.114.2", "", map[string]any{"token": token, "trap": ""})
	for what, id := range ids {
		apptest.Eventually(t, time.Minute, "comment "+id+" is checked", func() bool { return a.Detail(t, id).CheckedAt != nil })
		if d := a.Detail(t, id); d.Status != "pending" && d.Status != "approved" {
			t.Errorf("%s: %s", what, d.Status)
		}
	}
}
