package apptest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/app"
	"github.com/postil/postil/internal/apptest"
)

type effect struct {
	Looked    int
	Now, Then struct{ Published, Held, Stopped, Refused int }
	Changes   []struct{ ID, From, To string }
	Detail    string
}

func TestAChangeOfASettingIsForetoldAndChangesNothing(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Set: func(c *app.Config) { c.Limits = "off" }})
	var ids []string
	for i := range 4 {
		text := fmt.Sprintf("The %dth word about roses.", i)
		if i == 0 {
			text = strings.Repeat("long ", 50) + "casino"
		}
		id := a.Post(t, apptest.Draft{Text: text, Name: fmt.Sprintf("N%d", i)}).Comment.ID
		a.AwaitAsked(t, 2*time.Minute, id)
		ids = append(ids, id)
	}
	ask := func(name string, value any) (e effect) {
		t.Helper()
		got := a.Admin(t, "POST", "config/"+name+"/preview", map[string]any{"value": value, "site": "blog"})
		if got.Status != 200 {
			t.Fatalf("%s: %d %s", name, got.Status, got.Body)
		}
		got.JSON(t, &e)
		if e.Looked != 4 || e.Now.Held != 4 || len(e.Changes) != e.Then.Published+e.Then.Stopped+e.Then.Refused {
			t.Errorf("%s: %+v", name, e)
		}
		return e
	}
	if e := ask("lists.spam_words", []string{"casino"}); e.Then.Stopped != 1 || e.Changes[0].ID != ids[0] || e.Changes[0].From != "held" || e.Changes[0].To != "stopped" {
		t.Errorf("%+v", e)
	}
	if e := ask("limits.text", 100); e.Then.Refused != 1 || !strings.Contains(e.Detail, "not take in 1") {
		t.Errorf("%+v", e)
	}
	if e := ask("policy.mode", "hold-all"); e.Then.Held != 4 || !strings.Contains(e.Detail, "the same as now") {
		t.Errorf("%+v", e)
	}
	for path, status := range map[string]int{"config/retention.spam_days/preview": 400, "config/nothing/preview": 404, "config/policy.mode/preview": 400} {
		if got := a.Admin(t, "POST", path, map[string]any{"value": "x"}); got.Status != status {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
	var config struct {
		Value    []string
		Revision int
		Preview  bool
	}
	if a.Admin(t, "GET", "config/lists.spam_words?site=blog", nil).JSON(t, &config); len(config.Value) != 0 || config.Revision != 0 || !config.Preview {
		t.Errorf("it was changed: %+v", config)
	}
	for _, id := range ids {
		if d := a.Detail(t, id); d.Status != "pending" {
			t.Errorf("%s is %s", id, d.Status)
		}
	}
}
