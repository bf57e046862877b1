package apptest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/app"
	"github.com/postil/postil/internal/apptest"
)

func TestWhatThreeReadersReportIsAskedAboutAndStaysPublicMeanwhile(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Set: func(c *app.Config) { c.Limits = "off" }})
	id := approved(t, a, "a comment that some people do not like")
	answers := map[string]bool{}
	report := func(n int) {
		t.Helper()
		got, err := a.Do(t.Context(), "POST", "/api/v1/sites/blog/comments/"+id+"/reports",
			map[string]string{"device": fmt.Sprint("device-of-reader-", n), "reason": "abuse", "text": "It hurts."})
		if err != nil || got.Status != http.StatusAccepted {
			t.Fatalf("the report was answered with %d: %s (%v)", got.Status, got.Body, err)
		}
		answers[string(got.Body)] = true
	}
	state := func() (review, why string, d apptest.Detail) {
		t.Helper()
		var out struct {
			Comment struct {
				Why    string `json:"why"`
				Review struct {
					State *string `json:"state"`
				} `json:"review"`
			} `json:"comment"`
		}
		a.Admin(t, "GET", "comments/"+id, nil).JSON(t, &out)
		if out.Comment.Review.State != nil {
			review = *out.Comment.Review.State
		}
		return review, out.Comment.Why, a.Detail(t, id)
	}
	for _, n := range []int{1, 1, 2, 2} {
		report(n)
	}
	if review, why, _ := state(); review == "open" || strings.Contains(why, "readers") {
		t.Errorf("after two readers the review is %q: %q", review, why)
	}
	report(3)
	apptest.Eventually(t, 2*time.Minute, "a person is asked because of three readers", func() bool { // the checks may still be under way
		review, why, d := state()
		return review == "open" && strings.HasPrefix(why, "held: 3 readers reported this") && d.Status == "approved"
	})
	a.AwaitAsked(t, 10*time.Second, id)
	if a.Thread(t, "/post").Find(id) == nil {
		t.Error("nobody has decided, and it is gone")
	}
	if first, again := a.Decide(t, id, "approve"), a.Decide(t, id, "approve"); !first.Changed || again.Changed {
		t.Errorf("to keep it: %+v, then %+v", first, again)
	}
	if review, _, _ := state(); review != "done" {
		t.Errorf("after the decision the review is %q", review)
	}
	for n := range 3 {
		report(n + 1)
	}
	if review, _, _ := state(); review != "done" {
		t.Errorf("the same readers asked again, and the review is %q", review)
	}
	if len(answers) != 1 {
		t.Errorf("reports were answered in different ways: %v", answers)
	}
	var list struct {
		Reports []map[string]any `json:"reports"`
	}
	a.Admin(t, "GET", "reports?site=blog&comment="+id, nil).JSON(t, &list)
	if len(list.Reports) != 3 || list.Reports[0]["text"] != "It hurts." || list.Reports[0]["reason"] != "abuse" || list.Reports[0]["settled_at"] == nil {
		t.Errorf("listed are %v", list.Reports)
	}
	if raw, _ := json.Marshal(list); strings.Contains(string(raw), "device") || strings.Contains(string(raw), "person") {
		t.Errorf("the list tells who reported: %s", raw)
	}
}

func TestAReportThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{})
	id := approved(t, a, "a comment")
	pending := a.Post(t, apptest.Draft{Text: "another that waits"}).Comment.ID
	path := "/api/v1/sites/blog/comments/%s/reports"
	for _, row := range []struct {
		id     string
		body   any
		status int
	}{
		{id, map[string]string{"reason": "because"}, 400}, {id, map[string]string{"text": strings.Repeat("é", 501)}, 400},
		{id, map[string]string{"device": "short"}, 400}, {id, []string{}, 400}, {id, nil, 202},
		{pending, nil, 404}, {"4711", nil, 404}, {"x", nil, 404},
	} {
		got, err := a.Do(t.Context(), "POST", fmt.Sprintf(path, row.id), row.body)
		if err != nil || got.Status != row.status {
			t.Errorf("%s %v: %d %s (%v)", row.id, row.body, got.Status, got.Body, err)
		}
		if row.status == 404 && got.Header.Get("RateLimit") != `"reports";r=19;t=60` {
			t.Errorf("%s leaves an allowance of %q", row.id, got.Header.Get("RateLimit"))
		}
	}
}

func TestTheStreamsOfARemovedSiteEnd(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{})
	stays := a.Stream(t, "/post")
	if got := a.Admin(t, "POST", "sites", map[string]any{"key": "gone", "origins": []string{"https://gone.example"}}); got.Status != 201 {
		t.Fatalf("%d: %s", got.Status, got.Body)
	}
	ends := a.On("gone").Stream(t, "/post")
	if got := a.Admin(t, "DELETE", "sites/gone", nil); got.Status >= 300 {
		t.Fatalf("%d: %s", got.Status, got.Body)
	}
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	for open := true; open; {
		select {
		case _, open = <-ends.Frames:
		case <-late.C:
			t.Fatal("the stream of a removed site goes on")
		}
	}
	approved(t, a, "a comment on the site that stays")
	stays.Next(t, 10*time.Second, "comment.approved")
}

func TestAnEditThatWasTakenBackLeavesNoTrace(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{})
	posted := a.Post(t, apptest.Draft{Text: "as it was written"})
	id := posted.Comment.ID
	a.Decide(t, id, "approve")
	got, err := a.Do(t.Context(), "PATCH", "/api/v1/sites/blog/comments/"+id, map[string]string{"text": "as it was edited"}, "Authorization", "Bearer "+posted.EditKey)
	if err != nil || got.Status != 200 {
		t.Fatal(got.Status, err)
	}
	cleared := a.Decide(t, id, "approve")
	public := func(text string, edited bool) {
		t.Helper()
		apptest.Eventually(t, 10*time.Second, fmt.Sprintf("readers see %q, edited: %t", text, edited), func() bool {
			c := a.Thread(t, "/post").Find(id)
			return c != nil && strings.Contains(c.HTML, text) && (c.EditedAt != nil) == edited
		})
	}
	public("as it was edited", true)
	if got := a.Admin(t, "POST", "decisions/"+cleared.DecisionID+"/undo", nil); got.Status != 200 {
		t.Fatalf("%d: %s", got.Status, got.Body)
	}
	public("as it was written", false)
}

func TestWrongAdminKeysAreCountedAndTheRightOneIsNeverLockedOut(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{})
	for i := range 12 {
		got, err := a.Do(t.Context(), "GET", "/api/v1/admin/sites", nil, "Authorization", fmt.Sprint("Bearer guess-number-", i))
		want := 401
		if i >= 5 {
			want = 429
		}
		if err != nil || got.Status != want || want == 429 && got.Header.Get("Retry-After") == "" {
			t.Errorf("guess %d was answered with %d (%v)", i, got.Status, err)
		}
		if right := a.Admin(t, "GET", "sites", nil); right.Status != 200 {
			t.Errorf("after guess %d the right key is answered with %d", i, right.Status)
		}
	}
}

func TestHowManyReportsItTakesIsASetting(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Set: func(c *app.Config) { c.Limits = "off" }})
	if got := a.Admin(t, "PUT", "config/limits.reports", map[string]any{"value": 1, "site": "blog"}); got.Status != http.StatusOK {
		t.Fatalf("%d: %s", got.Status, got.Body)
	}
	id := approved(t, a, "a comment that one person does not like")
	got, err := a.Do(t.Context(), "POST", "/api/v1/sites/blog/comments/"+id+"/reports", map[string]string{"device": "device-of-reader-1", "reason": "abuse"})
	if err != nil || got.Status != http.StatusAccepted {
		t.Fatalf("%d: %s (%v)", got.Status, got.Body, err)
	}
	a.AwaitAsked(t, 10*time.Second, id)
}
