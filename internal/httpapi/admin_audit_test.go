package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// leaves says which line each write of the admin API leaves in the audit log, or
// after "-" why it leaves none. A new write without a row fails the test.
var leaves = map[string]string{
	"PATCH /comments/:id":            "comment.edit",
	"POST /comments/:id/decision":    "comment.approve",
	"POST /comments/:id/reply":       "comment.approve",
	"POST /decisions":                "comment.approve",
	"POST /decisions/:id/undo":       "comment.undo",
	"PATCH /posts":                   "post.set",
	"POST /posts/merge":              "post.merge",
	"POST /posts/rename":             "post.rename",
	"POST /posts/split":              "post.split",
	"POST /posts/moves/:id/undo":     "post.undo",
	"POST /sites":                    "site.add",
	"POST /sites/:key":               "site.add",
	"PATCH /sites/:key":              "site.set",
	"DELETE /sites/:key":             "site.remove",
	"POST /keys":                     "key.add",
	"DELETE /keys/:id":               "key.revoke",
	"POST /moderators":               "moderator.add",
	"DELETE /moderators/:id":         "moderator.revoke",
	"POST /rules":                    "rule.add",
	"DELETE /rules":                  "rules.drop",
	"POST /rules/import":             "rules.import",
	"DELETE /rules/:id":              "rule.remove",
	"POST /notes":                    "note.add",
	"DELETE /notes/:id":              "note.remove",
	"POST /reply-templates":          "reply-template.add",
	"DELETE /reply-templates/:id":    "reply-template.remove",
	"DELETE /sessions/:id":           "session.end",
	"POST /signin-links":             "signin-link.add",
	"PATCH /qlog/:id":                "question.tag",
	"DELETE /qlog/:id":               "question.remove",
	"POST /webhooks":                 "webhook.add",
	"PATCH /webhooks/:id":            "webhook.set",
	"DELETE /webhooks/:id":           "webhook.remove",
	"POST /webhooks/:id/secret":      "webhook.rotate",
	"POST /webhooks/:id/replay":      "webhook.replay",
	"POST /webhooks/:id/test":        "- it changes nothing here",
	"POST /people/erase":             "person.erase",
	"POST /people/export":            "- it reads, and asks with a body because addresses of mail do not belong into a log of requests",
	"POST /probes":                   "- it answers what it was asked with",
	"PUT /config/:name":              "config.set",
	"POST /config/:name/rollback":    "config.set",
	"POST /config/:name/preview":     "- it reads, and asks with a body as long as a list may be",
	"DELETE /config/:name/plans/:id": "config.unplan",
	"PUT /flags/:name":               "flag.set",
	"DELETE /flags/:name":            "flag.set",
	"POST /flags/:name/rollback":     "flag.set",
	"DELETE /flags/:name/plans/:id":  "flag.unplan",
	"POST /backups":                  "- whoever makes the file writes backup.make",
}

// Every write of the route table is done once, in an office of its own, and the
// newest line of the audit log must tell of it.
func TestEveryAdminWriteStandsInTheAuditLog(t *testing.T) {
	t.Parallel()
	for _, line := range newOffice(t).server.Routes() {
		method, path, _ := strings.Cut(line, " ")
		route, ours := strings.CutPrefix(path, adminAt)
		if !ours || method == "GET" {
			continue
		}
		name := method + " " + route
		t.Run(name, func(t *testing.T) {
			r, want := rights[name], leaves[name]
			if want == "" {
				t.Fatal("it has no row in leaves, which says what line of the audit log tells of it")
			}
			if strings.HasPrefix(want, "- ") {
				return
			}
			o := prepared(t)
			o.ready(t, name)
			before := o.audit(t, "")
			switch name { // the requests of these rows find nothing, on purpose
			case "DELETE /webhooks/:id":
				r.path = "/webhooks/1"
			case "DELETE /notes/:id":
				o.ask(t, "POST", "/notes", rights["POST /notes"].body).want(t, 201)
				r.path = "/notes/1"
			case "DELETE /reply-templates/:id":
				o.ask(t, "POST", "/reply-templates", rights["POST /reply-templates"].body).want(t, 201)
				r.path = "/reply-templates/1"
			case "DELETE /config/:name/plans/:id":
				o.ask(t, "PUT", "/config/policy.mode", `{"site":"blog","value":"open","at":"2026-12-24T18:00:00Z"}`).want(t, 202)
				r.path = "/config/policy.mode/plans/1"
			case "DELETE /flags/:name/plans/:id":
				o.ask(t, "PUT", "/flags/editor", `{"type":"boolean","value":false,"at":"2026-12-24T18:00:00Z"}`).want(t, 202)
				r.path = "/flags/editor/plans/1"
			case "POST /posts/split":
				r.body = `{"site":"blog","post":"/posts/hello","comments":["1"],"into":"/posts/apart"}`
			case "POST /people/erase":
				r.body = `{"email":"cy@mail.example"}`
			}
			got := call(t, method, o.url+adminAt+r.path, bootstrap, r.body)
			if got.StatusCode/100 != 2 {
				t.Fatalf("the request of its row does nothing: %d %s", got.StatusCode, got.text)
			}
			after := o.audit(t, "")
			news := after[:len(after)-len(before)]
			if !slices.ContainsFunc(news, func(a audited) bool {
				return a.Action == want && a.Channel == "rest" && a.By != "" && a.Actor != "" && a.Subject != "" && a.At != ""
			}) {
				t.Errorf("no new line of the log says %s: %+v", want, news)
			}
		})
	}
}

// ready does what a request of the table needs to have something to change.
func (o *office) ready(t *testing.T, route string) {
	switch route {
	case "POST /decisions/:id/undo":
		o.ask(t, "POST", "/comments/1/decision", `{"decision":"approve"}`).want(t, 200)
	case "PATCH /posts":
		o.ask(t, "PATCH", "/posts?site=blog&post=/posts/hello", `{"closed":true}`).want(t, 200)
	case "DELETE /rules/:id":
		o.ask(t, "POST", "/rules", `{"comment":"1","effect":"ban"}`).want(t, 201)
	case "DELETE /rules":
		o.ask(t, "POST", "/rules/import", `{"site":"blog","list":"public","kind":"host","entries":["ads.example"]}`).want(t, 200)
	case "DELETE /sites/:key":
		o.ask(t, "POST", "/sites", `{"key":"third"}`).want(t, 201)
	case "DELETE /sessions/:id":
		if _, _, err := o.desk.SignIn(ctx, bootstrap, "Firefox"); err != nil {
			t.Fatal(err)
		}
	}
}

// audited is a line of the log as the API tells it.
type audited struct {
	ID, At, By, Actor, Channel, Action, Subject string
	Site, Detail                                *string
	BatchID                                     *string `json:"batch_id"`
	Before, After                               map[string]any
}

func (o *office) audit(t testing.TB, query string) (all []audited) {
	t.Helper()
	for cursor := ""; ; {
		var page struct {
			Entries    []audited
			NextCursor *string `json:"next_cursor"`
		}
		o.ask(t, "GET", "/audit?"+query+cursor, "").want(t, 200).read(t, &page)
		all = append(all, page.Entries...)
		if page.NextCursor == nil {
			return all
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

func TestTheAuditLogSaysWhoChangedWhatAndWhatItWas(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "The text, which is nobody's business here.")
	ann := o.key(t, postil.APIKey{Name: "Ann", Role: postil.ModeratorRole, Site: "blog"})
	o.later(time.Hour)
	call(t, "POST", o.url+adminAt+"/comments/1/decision", ann, `{"decision":"approve","reason":"kind words"}`).want(t, 200)
	call(t, "POST", o.url+adminAt+"/comments/1/decision", ann, `{"decision":"approve"}`).want(t, 200) // changes nothing
	o.ask(t, "PATCH", "/sites/blog", `{"policy":"hold-all","max_links":7}`).want(t, 200)
	o.ask(t, "PATCH", "/posts", `{"site":"blog","post":"/posts/hello","title":"Anew","closed":true}`).want(t, 200)
	o.ask(t, "PATCH", "/sites/other", `{"name":"Elsewhere"}`).want(t, 200)

	all := o.audit(t, "from=2026-11-30T19:00:00Z")
	all = slices.DeleteFunc(all, func(a audited) bool { return a.Action == "config.set" }) // a site's settings stand there, too
	if len(all) != 4 {
		t.Fatalf("%d lines: %+v", len(all), all)
	}
	decision, site, post := all[3], all[2], all[1]
	if decision.Action != "comment.approve" || decision.Subject != "comment:1" || decision.By != "Ann" || decision.Channel != "rest" || *decision.Detail != "kind words" ||
		fmt.Sprint(decision.Before, decision.After) != "map[status:pending] map[status:approved]" || decision.At != "2026-11-30T19:17:00.000Z" {
		t.Errorf("the decision: %+v", decision)
	}
	if fmt.Sprint(site.Before, site.After) != "map[max_links:2 policy:first-comment] map[max_links:7 policy:hold-all]" {
		t.Errorf("the site: %v, %v", site.Before, site.After)
	}
	if fmt.Sprint(post.Before, post.After) != "map[closed:false title:Hello] map[closed:true title:Anew]" || *post.Site != "blog" {
		t.Errorf("the post: %+v", post)
	}
	for query, want := range map[string]int{"q=ANN+kind": 1, "q=hold-all&action=site.": 1, "q=nothing": 0, "q=%22&action=comment": 1, "action=site.": 4, "action=site.set&site=blog": 1, "actor=Ann": 1, "subject=site:other": 2, "channel=telegram": 0, "limit=1&action=comment": 1,
		"to=2026-11-30T19:00:00Z": 3, "site=other": 2} {
		if got := o.audit(t, query); len(got) != want {
			t.Errorf("%s: %d lines, not %d: %+v", query, len(got), want, got)
		}
	}
	export := o.ask(t, "GET", "/audit/export?site=blog", "").want(t, 200)
	lines := strings.Split(strings.TrimSuffix(export.text, "\n"), "\n")
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("exported: %s", line)
		}
	}
	if export.Header.Get("Content-Type") != "application/x-ndjson" || len(lines) != len(o.audit(t, "site=blog")) || strings.Contains(export.text, "nobody's business") {
		t.Errorf("%s, %d lines", export.Header.Get("Content-Type"), len(lines))
	}
	bound := o.key(t, postil.APIKey{Name: "Bo", Role: postil.AdminRole, Site: "other"})
	if got := call(t, "GET", o.url+adminAt+"/audit", bound, "").want(t, 200); strings.Contains(got.text, `"site":"blog"`) || !strings.Contains(got.text, `"site":"other"`) {
		t.Errorf("who is bound to a site reads %s", got.text)
	}
}

func TestAModeratorCorrectsTextAndNameAndTakesItBack(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	id := o.say(t, "blog", "A text with an adress.")
	o.ask(t, "POST", "/comments/1/decision", `{"decision":"approve"}`).want(t, 200)
	before := len(o.events(t, id))
	o.ask(t, "PATCH", "/comments/1", `{"text":"<b>A text</b> with an *address*.","name":"Cyd","expect_revision":1}`).want(t, 200)
	c, err := o.store.Comment(ctx, id)
	if err != nil || c.Text != "<b>A text</b> with an *address*." || c.Author.Name != "Cyd" || c.Status != postil.Approved || strings.Contains(c.HTML, "<b>") || !strings.Contains(c.HTML, "<em>") {
		t.Fatalf("%+v, %v", c, err)
	}
	if news := o.events(t, id)[before:]; len(news) != 1 || news[0].Kind != postil.CommentUpdated {
		t.Errorf("announced: %+v", news)
	}
	o.ask(t, "PATCH", "/comments/1", `{"text":"Too late.","expect_revision":1}`).want(t, 409)
	o.ask(t, "PATCH", "/comments/1", `{"name":"Cyd"}`).want(t, 200) // as it is: nothing happens
	for _, body := range []string{`{}`, `{"text":""}`, `{"name":"\u200b"}`, `{"text":7}`} {
		o.ask(t, "PATCH", "/comments/1", body).want(t, 400)
	}
	o.ask(t, "POST", "/decisions/2/undo", "").want(t, 200)
	if c, _ := o.store.Comment(ctx, id); c.Text != "A text with an adress." {
		t.Errorf("taken back: %q", c.Text)
	}
}

func TestABulkDecisionCanBeLookedAtBefore(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i := range 3 {
		o.say(t, "blog", fmt.Sprintf("Number %d with https://shop.evil.example/x in it.", i))
	}
	o.say(t, "blog", "An honest word.")
	o.say(t, "other", "See https://evil.example there.")
	before := len(o.events(t, 0))
	var preview struct {
		DryRun   bool `json:"dry_run"`
		Count    int
		Statuses map[string]int
		Sample   []string
	}
	for body, want := range map[string]int{
		`{"filter":{"host":"evil.example"},"decision":"spam","dry_run":true}`:                          4,
		`{"filter":{"host":"evil.example","site":"blog"},"decision":"spam","dry_run":true}`:            3,
		`{"filter":{"q":"\"honest word\""},"decision":"spam","dry_run":true}`:                          1,
		`{"filter":{"network":"network-hash","to":"2026-12-01"},"decision":"spam","dry_run":true}`:     5,
		`{"filter":{"author":"cy@mail.example","from":"2026-12-01"},"decision":"spam","dry_run":true}`: 0,
		`{"ids":["1","2","99"],"decision":"spam","dry_run":true}`:                                      2,
	} {
		o.ask(t, "POST", "/decisions", body).want(t, 200).read(t, &preview)
		if !preview.DryRun || preview.Count != want || len(preview.Sample) != want {
			t.Errorf("%s: %+v", body, preview)
		}
	}
	if len(o.events(t, 0)) != before {
		t.Error("looking changed something")
	}
	var batch struct {
		BatchID string `json:"batch_id"`
		Results []struct{ ID, Status string }
	}
	o.ask(t, "POST", "/decisions", `{"filter":{"host":"evil.example","site":"blog"},"decision":"spam"}`).want(t, 200).read(t, &batch)
	if len(batch.Results) != 3 || o.status(t, 1) != postil.Spam || o.status(t, 4) == postil.Spam {
		t.Errorf("%+v", batch)
	}
	o.ask(t, "POST", "/decisions/"+batch.BatchID+"/undo", "").want(t, 200)
	if o.status(t, 1) != postil.Pending || o.status(t, 3) != postil.Pending {
		t.Error("the one undo did not take all of it back")
	}
}
