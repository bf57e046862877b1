package apptest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
)

// A program and a reader talk in one thread: the program under its own name and
// badge, within the limits of its key.
func TestAProgramWritesUnderItsNameWithinTheLimitsOfItsKey(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{})
	key := func(pen map[string]any) string {
		var made struct{ Secret string }
		a.Admin(t, "POST", "keys", map[string]any{"name": "robot", "role": "moderator", "scope": "author", "pen": pen}).JSON(t, &made)
		return "Bearer " + made.Secret
	}
	write := func(bearer, text string) apptest.Answer {
		got, err := a.Do(context.Background(), "POST", "/api/v1/sites/blog/comments", map[string]any{"post": "/post", "author": map[string]any{"name": "Whoever"}, "text": text}, "Authorization", bearer)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	trusted := key(map[string]any{"author": "Build robot", "badge": "program", "per_minute": 2, "per_hour": 100})
	for _, text := range []string{"The build is green.", "The build is red."} {
		if got := write(trusted, text); got.Status != http.StatusCreated || !strings.Contains(string(got.Body), `"status":"approved"`) {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
	if got := write(trusted, "The build is green again."); got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
		t.Errorf("the third in a minute: %d %s", got.Status, got.Body)
	}
	checked := key(map[string]any{"author": "Guest robot", "checked": true})
	if got := write(checked, "May I say something?"); got.Status != http.StatusCreated || !strings.Contains(string(got.Body), `"status":"pending"`) {
		t.Errorf("a checked one: %d %s", got.Status, got.Body)
	}
	apptest.Eventually(t, 2*time.Minute, "both comments are public", func() bool { return a.Thread(t, "/post").Count == 2 })
	for _, c := range a.Thread(t, "/post").Comments {
		if c.Author.Name != "Build robot" || c.Author.Badge == nil || *c.Author.Badge != "program" {
			t.Errorf("%+v", c.Author)
		}
	}
}
