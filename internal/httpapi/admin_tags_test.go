package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/postil/postil/internal/postil"
)

// Every route that answers one thing by its name has a tag, and 304 for whoever
// has that.
func TestEverySingleThingHasATagUntilItChanges(t *testing.T) {
	t.Parallel()
	o := prepared(t)
	seen := 0
	for _, line := range o.server.Routes() {
		method, path, _ := strings.Cut(line, " ")
		route, ours := strings.CutPrefix(path, adminAt)
		if last := path[strings.LastIndex(path, "/")+1:]; !ours || method != "GET" || !strings.HasPrefix(last, ":") {
			continue
		}
		seen++
		at := o.url + adminAt + rights["GET "+route].path
		ask := func(tag string) told {
			return roundTrip(t, "GET", at, http.Header{"Authorization": {"Bearer " + bootstrap}, "If-None-Match": {tag}}, "")
		}
		first := ask(`"another"`).want(t, 200)
		tag := first.Header.Get("ETag")
		if len(tag) < 10 || tag[0] != '"' {
			t.Errorf("%s: the tag is %q", route, tag)
			continue
		}
		for _, has := range []string{tag, "W/" + tag, `"x", ` + tag} {
			if again := ask(has); again.StatusCode != 304 || again.text != "" || again.Header.Get("ETag") != tag {
				t.Errorf("%s, %s: %d %q", route, has, again.StatusCode, again.text)
			}
		}
	}
	if seen < 6 {
		t.Errorf("only %d routes answer one thing; the test looks in the wrong place", seen)
	}
	before := o.ask(t, "GET", "/comments/1", "").want(t, 200).Header.Get("ETag")
	o.ask(t, "POST", "/comments/1/decision", `{"decision":"approve"}`).want(t, 200)
	if after := o.ask(t, "GET", "/comments/1", "").want(t, 200).Header.Get("ETag"); after == before {
		t.Error("a decision leaves the tag")
	}
}

func TestKeysAndModeratorsAreListedPageByPage(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i := range 3 {
		o.key(t, postil.APIKey{Name: "k", Role: postil.ModeratorRole, Site: "blog"})
		o.key(t, postil.APIKey{Name: "elsewhere", Role: postil.ModeratorRole, Site: "other"})
		if _, err := o.store.AddModerator(ctx, postil.Moderator{Name: "Mo", Role: postil.ModeratorRole, Site: "blog"}, fmt.Sprint(i), o.now(ctx), setup); err != nil {
			t.Fatal(err)
		}
	}
	bound := o.key(t, postil.APIKey{Name: "Bound", Role: postil.AdminRole, Site: "blog"}) // the seventh
	for list, want := range map[string][]string{"keys": {"7", "5", "3", "1"}, "moderators": {"3", "2", "1"}} {
		var ids []string
		for cursor := ""; ; {
			var page map[string]any
			call(t, "GET", o.url+adminAt+"/"+list+"?limit=2"+cursor, bound, "").want(t, 200).read(t, &page)
			rows := page[list].([]any)
			for _, row := range rows {
				ids = append(ids, row.(map[string]any)["id"].(string))
			}
			next, more := page["next_cursor"].(string)
			if !more {
				break
			}
			if len(rows) != 2 {
				t.Fatalf("a page of %d", len(rows))
			}
			cursor = "&cursor=" + next
		}
		if !slices.Equal(ids, want) {
			t.Errorf("%s: %v, not %v", list, ids, want)
		}
		o.ask(t, "GET", "/"+list+"?cursor=x", "").want(t, 400)
		o.ask(t, "GET", "/"+list+"?limit=0", "").want(t, 400)
	}
}
