package apptest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

// What an admin decides counts with the next request, without a restart.
func TestWhatAnAdminDecidesCountsAtOnce(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{})
	put := func(name string, value any) {
		t.Helper()
		if got := a.Admin(t, "PUT", "config/"+name, map[string]any{"value": value, "reason": "a test"}); got.Status != http.StatusOK {
			t.Fatalf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	post := func(text string) apptest.Answer {
		t.Helper()
		got, err := a.Do(t.Context(), "POST", "/api/v1/sites/blog/comments", map[string]any{"post": "/p", "author": map[string]any{"name": "Ann"}, "text": text})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	is := func(got apptest.Answer, status int, part string) {
		t.Helper()
		if got.Status != status || !strings.Contains(string(got.Body), part) {
			t.Errorf("%d %s, want %d with %s", got.Status, got.Body, status, part)
		}
	}
	put("limits.text", 10)
	is(post("longer than ten"), 400, `"limit":10`)
	put("policy.lockdown", true)
	put("texts.lockdown", map[string]string{"en": "We are moving house."})
	is(post("short"), 403, "We are moving house.")
	put("policy.lockdown", nil)
	is(post("short"), 202, "pending")
	put("limits.rate.comments", []string{"100 in 1h"})
	put("policy.slow", true)
	is(post("another"), 202, "pending")
	is(post("a third"), 429, "rate-limited")
	is(post("another"), 202, "pending") // sent twice, and taken in once: a double click is no second comment
	put("policy.slow", false)
	put("limits.comments.post", []string{"1 in 1h"})
	is(post("a fourth"), 429, "rate-limited")
	is(post("another"), 202, "pending")
	put("limits.comments.post", nil)
	put("limits.rate.comments", []string{"2 in 1h"})
	is(post("a fourth"), 429, "rate-limited")
}
