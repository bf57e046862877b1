package httpapi_test

import (
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// One day at the desk; each answer is a golden file.
func TestEveryAdminEndpointAnswersAsItsGoldenFileSays(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "Well *said*, & <b>more</b>.")
	o.later(time.Minute)
	o.say(t, "blog", "A second thought on the matter.")
	o.later(time.Minute)
	o.say(t, "other", "Elsewhere.")
	for _, c := range []struct {
		file, method, path, body string
		status                   int
	}{
		{"admin_comments", "GET", "/comments?site=blog&status=pending&limit=1", "", 200},
		{"admin_queue", "GET", "/comments?queue=open&limit=1", "", 200},
		{"admin_comment", "GET", "/comments/1", "", 200},
		{"admin_decision", "POST", "/comments/1/decision", `{"decision":"approve","expect":"pending","expect_revision":0,"reason":"kind"}`, 200},
		{"admin_decision_again", "POST", "/comments/1/decision", `{"decision":"approve"}`, 200},
		{"admin_decision_late", "POST", "/comments/1/decision", `{"decision":"spam","expect":"pending"}`, 409},
		{"admin_reply", "POST", "/comments/1/reply", `{"text":"Thank *you*."}`, 201},
		{"admin_reply_unseen", "POST", "/comments/3/reply", `{"text":""}`, 400},
		{"admin_decisions", "POST", "/decisions", `{"ids":["2","1","99","2","x"],"decision":"spam","expect":"pending"}`, 200},
		{"admin_undo", "POST", "/decisions/1/undo", "", 200},
		{"admin_undo_again", "POST", "/decisions/1/undo", "", 200},
		{"admin_decision_overruled", "POST", "/comments/2/decision", `{"decision":"approve"}`, 200},
		{"admin_undo_late", "POST", "/decisions/3/undo", "", 409},
		{"admin_comment_decided", "GET", "/comments/1", "", 200},
		{"admin_posts", "GET", "/posts?site=blog", "", 200},
		{"admin_post_set", "PATCH", "/posts", `{"site":"blog","post":"https://blog.example/posts/hello/?utm_source=x","title":"Hello again","closed":true}`, 200},
		{"admin_sites", "GET", "/sites", "", 200},
		{"admin_site", "GET", "/sites/blog", "", 200},
		{"admin_site_added", "POST", "/sites", `{"key":"new","origins":["HTTPS://New.example:443/blog"],"blocked":["casino"]}`, 201},
		{"admin_site_set", "PATCH", "/sites/new", `{"policy":"hold-all","lockdown":true,"max_links":0,"name":"A new blog"}`, 200},
		{"admin_site_policy_unknown", "PATCH", "/sites/new", `{"policy":"whatever"}`, 400},
		{"admin_key_added", "POST", "/keys", `{"role":"moderator","scope":"author","site":"blog","name":"Ann"}`, 201},
		{"admin_keys", "GET", "/keys", "", 200},
		{"admin_moderator_added", "POST", "/moderators", `{"name":"Bo","role":"admin"}`, 201},
		{"admin_moderators", "GET", "/moderators", "", 200},
		{"admin_webhook_added", "POST", "/webhooks", `{"name":"CI","url":"https://hooks.example/x","events":["comment.approved"]}`, 201},
		{"admin_webhook_bad_address", "POST", "/webhooks", `{"url":"ftp://hooks.example/x"}`, 400},
		{"admin_webhook_bad_event", "POST", "/webhooks", `{"url":"https://hooks.example/x","events":["comment.eaten"]}`, 400},
		{"admin_webhook_set", "PATCH", "/webhooks/1", `{"active":false,"format":"slack"}`, 200},
		{"admin_webhook_rotated", "POST", "/webhooks/1/secret", "", 200},
		{"admin_webhooks", "GET", "/webhooks", "", 200},
		{"admin_deliveries", "GET", "/webhooks/1/deliveries?state=dead", "", 200},
		{"admin_replay", "POST", "/webhooks/1/replay", "", 200},
		{"admin_signals", "GET", "/signals?kind=comment.held&kind=comment.decided&limit=2", "", 200},
		{"admin_stats", "GET", "/stats?by=hour&from=2026-11-30T18:00:00Z&to=2026-11-30T20:00:00Z", "", 200},
		{"admin_authors", "GET", "/authors?site=blog&q=CY", "", 200},
		{"admin_author", "GET", "/authors/" + cy + "?site=blog", "", 200},
		{"admin_author_unknown", "GET", "/authors/nobody?site=blog", "", 404},
		{"admin_note_added", "POST", "/notes", `{"site":"blog","author":"` + cy + `","text":" Met at the fair. "}`, 201},
		{"admin_note_about_nothing", "POST", "/notes", `{"text":"Whom?"}`, 400},
		{"admin_notes", "GET", "/notes?site=blog&author=" + cy, "", 200},
		{"admin_reply_template_added", "POST", "/reply-templates", `{"site":"blog","name":"Thanks","text":"Thank you, {name}, for reading {post} ({url}) on {site}! {me}, {nobody}"}`, 201},
		{"admin_reply_templates", "GET", "/reply-templates?comment=1", "", 200},
		{"admin_not_found", "GET", "/comments/99", "", 404},
	} {
		o.later(time.Second)
		o.ask(t, c.method, c.path, c.body).want(t, c.status).golden(t, c.file)
	}
	for _, path := range []string{"/sites/new", "/keys/1", "/moderators/1"} {
		if r := o.ask(t, "DELETE", path, "").want(t, 204); r.text != "" {
			t.Errorf("%s: %q", path, r.text)
		}
	}
	call(t, "GET", o.url+adminAt+"/keys", "", "").want(t, 401).golden(t, "admin_key_required")
	moderator := o.key(t, postil.APIKey{Name: "Mo", Role: postil.ModeratorRole, Site: "blog"})
	call(t, "GET", o.url+adminAt+"/keys", moderator, "").want(t, 403).golden(t, "admin_forbidden")
	call(t, "GET", o.url+adminAt+"/comments/3", moderator, "").want(t, 403).golden(t, "admin_forbidden_site")
}

func TestADraftAndItsDecisionsShowInTheDetail(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	id := o.say(t, "blog", "The first version of it.")
	o.ask(t, "POST", "/comments/1/decision", `{"decision":"approve"}`).want(t, 200)
	o.later(time.Minute)
	if _, err := o.door.Edit(ctx, "blog", id, postil.TextChange{Text: "The second version.", HTML: "<p>The second version.</p>"},
		func(postil.Comment) bool { return true }); err != nil {
		t.Fatal(err)
	}
	o.ask(t, "GET", "/comments/1", "").want(t, 200).golden(t, "admin_comment_draft")
}
