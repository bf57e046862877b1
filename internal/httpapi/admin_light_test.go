package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// newDesk is an office with views of some days and questions of two sites; its
// clock stands at 18:17 on 30 November 2026.
func newDesk(t *testing.T) *office {
	t.Helper()
	o := newOffice(t)
	at := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 30, 0, 0, time.UTC) }
	err := o.store.AddViews(ctx, "node", 1, []postil.HourViews{
		{Site: "blog", Post: "/posts/kv", Hour: at(30, 17), N: 3}, {Site: "blog", Post: "/posts/kv", Hour: at(30, 18), N: 1},
		{Site: "blog", Post: "/posts/kv", Hour: at(28, 23), N: 2}, {Site: "blog", Post: "/", Hour: at(30, 18), N: 1},
		{Site: "blog", Post: "/", Hour: at(1, 1), N: 8}, {Site: "other", Post: "/posts/kv", Hour: at(30, 18), N: 50},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"How long are questions <kept>?", "Was kostet die Überfahrt?", "Why?"} {
		site := postil.SiteID("blog")
		if i == 2 {
			site = "other"
		}
		if _, err := o.asked.Ask(ctx, site, "actor-hash", text); err != nil {
			t.Fatal(err)
		}
		o.later(time.Second)
	}
	return o
}

func TestTheDeskOfTheLightBackendAnswersAsItsGoldenFilesSay(t *testing.T) {
	t.Parallel()
	o := newDesk(t)
	for _, c := range []struct{ file, path string }{
		{"admin_views", "/views?site=blog&from=2026-11-28"},
		{"admin_views_hours", "/views?site=blog&path=/posts/kv&by=hour&from=2026-11-30T16:40:00Z&to=2026-11-30T19:00:00%2B00:00"},
		{"admin_qlog", "/qlog?site=blog"},
	} {
		o.ask(t, "GET", c.path, "").want(t, 200).golden(t, c.file)
	}
	var page struct {
		Questions []struct {
			ID   string
			Tags []string
		}
	}
	o.ask(t, "GET", "/qlog?q=kept", "").want(t, 200).read(t, &page)
	o.ask(t, "PATCH", "/qlog/"+page.Questions[0].ID, `{"tags":["Retention","retention "]}`).want(t, 200).golden(t, "admin_question_tagged")
}

func TestTrendsHaveTheirTimesAndDefaults(t *testing.T) {
	t.Parallel()
	o := newDesk(t)
	for _, c := range []struct {
		query  string
		points int
		count  int64
	}{
		{"", 30, 15}, {"?by=hour", 48, 7}, {"?path=/posts/kv", 30, 6}, {"?path=/posts/kv/%3Futm_source=x", 30, 6}, {"?path=/unread", 30, 0},
		{"?site=other", 30, 50}, {"?from=2026-11-01&to=2026-11-02", 1, 8}, {"?from=2026-10-01", 61, 15},
	} {
		var got struct {
			Count  int64
			Points []struct{ Count int64 }
		}
		o.ask(t, "GET", "/views"+c.query, "").want(t, 200).read(t, &got)
		if len(got.Points) != c.points || got.Count != c.count {
			t.Errorf("%q: %d points, %d in all; want %d, %d", c.query, len(got.Points), got.Count, c.points, c.count)
		}
	}
	for query, field := range map[string]string{
		"by=week": "by", "from=yesterday": "from", "to=2026-13-01": "to", "from=2026-11-02&to=2026-11-01": "from", "from=0002-01-01": "from",
		"from=2020-01-01&by=hour": "from", "path=//evil": "path", "path=": "path", "site=nowhere": "site",
	} {
		if r := o.ask(t, "GET", "/views?"+query, "").want(t, 400); !strings.Contains(r.text, `"field":"`+field+`"`) {
			t.Errorf("%s: %s", query, r.text)
		}
	}
}

func TestQuestionsAreFoundTaggedExportedAndDeleted(t *testing.T) {
	t.Parallel()
	o := newDesk(t)
	ids := func(query string) (found []string) {
		var page struct {
			Questions []struct{ ID string }
			Next      string `json:"next_cursor"`
		}
		for cursor := ""; ; cursor = "&cursor=" + page.Next {
			page.Next, page.Questions = "", nil
			o.ask(t, "GET", "/qlog?limit=1&"+query+cursor, "").want(t, 200).read(t, &page)
			for _, q := range page.Questions {
				found = append(found, q.ID)
			}
			if page.Next == "" {
				return found
			}
		}
	}
	for query, n := range map[string]int{"": 3, "site=blog": 2, "q=UBERFAHRT": 1, "q=nothing": 0, "from=2026-11-30&to=2026-12-01": 3, "to=2026-11-30": 0} {
		if got := ids(query); len(got) != n {
			t.Errorf("%q finds %v", query, got)
		}
	}
	id := ids("q=kostet")[0]
	o.ask(t, "PATCH", "/qlog/"+id, `{"tags":["Preis"]}`).want(t, 200)
	if got := ids("tag=PREIS"); len(got) != 1 || got[0] != id {
		t.Errorf("the tag finds %v", got)
	}
	export := o.ask(t, "GET", "/qlog/export?site=blog&tag=preis", "").want(t, 200)
	want := fmt.Sprintf(`{"id":%q,"site":"blog","question":"Was kostet die Überfahrt?","tags":["preis"],"asked_at":"2026-11-30T18:17:01.000Z"}`+"\n", id)
	if export.text != want || export.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("%s: %s", export.Header.Get("Content-Type"), export.text)
	}
	all := o.ask(t, "GET", "/qlog/export", "").want(t, 200).text
	if strings.Count(all, "\n") != 3 || strings.Contains(all, "actor") || !strings.Contains(all, "<kept>") {
		t.Errorf("the export: %s", all)
	}
	o.ask(t, "DELETE", "/qlog/"+id, "").want(t, 204)
	o.ask(t, "DELETE", "/qlog/"+id, "").want(t, 404)
	if got := ids("tag=preis"); len(got) != 0 {
		t.Errorf("deleted, and found: %v", got)
	}
	for body, field := range map[string]string{`{}`: "tags", `{"tags":"a"}`: "tags", `{"tags":[" "]}`: "tags", `[]`: "body"} {
		if r := o.ask(t, "PATCH", "/qlog/"+ids("")[0], body).want(t, 400); !strings.Contains(r.text, `"field":"`+field+`"`) {
			t.Errorf("%s: %s", body, r.text)
		}
	}
	for query, field := range map[string]string{"limit=0": "limit", "cursor=%21": "cursor", "tag=%20": "tag", "from=x": "from", "site=nowhere": "site"} {
		if r := o.ask(t, "GET", "/qlog?"+query, "").want(t, 400); !strings.Contains(r.text, `"field":"`+field+`"`) {
			t.Errorf("%s: %s", query, r.text)
		}
	}
}

func TestQuestionsOfAnotherSiteAreNobodysBusiness(t *testing.T) {
	t.Parallel()
	o := newDesk(t)
	other := o.key(t, postil.APIKey{Name: "Other", Role: postil.ModeratorRole, Site: "other"})
	var page struct{ Questions []struct{ ID, Site string } }
	o.ask(t, "GET", "/qlog?site=blog", "").read(t, &page)
	id := page.Questions[0].ID
	call(t, "DELETE", o.url+adminAt+"/qlog/"+id, other, "").want(t, 403)
	call(t, "PATCH", o.url+adminAt+"/qlog/"+id, other, `{"tags":[]}`).want(t, 403)
	call(t, "GET", o.url+adminAt+"/qlog", other, "").want(t, 200).read(t, &page)
	if len(page.Questions) != 1 || page.Questions[0].Site != "other" {
		t.Errorf("who is bound to a site sees %v", page.Questions)
	}
	if export := call(t, "GET", o.url+adminAt+"/qlog/export", other, "").want(t, 200); strings.Contains(export.text, `"blog"`) {
		t.Errorf("and exports %s", export.text)
	}
}
