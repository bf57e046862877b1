package httpapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/postil/postil/internal/postil"
)

// right is a row of the table of rights: what a request to a route needs. The
// request is about the site "blog" or about no site at all.
type right struct {
	method, path, body string
	moderator          bool // a moderator may do it, not only an admin
	whole              bool // it concerns all sites, so that nobody bound to one may do it
	own                bool // it names no site, so that whoever is bound to another one does it there
}

// rights has a row for each admin route; a route without one fails the test. To
// add one: a request that works in a new office (comment 1 is pending, there are
// key 1, moderator 1 and the questions of prepared), and who may send
// it; a write has a row in leaves, too.
var rights = map[string]right{
	"GET /comments":               {path: "/comments?site=blog", moderator: true},
	"GET /comments/:id":           {path: "/comments/1", moderator: true},
	"GET /reports":                {path: "/reports?site=blog", moderator: true},
	"GET /authors":                {path: "/authors?site=blog", moderator: true},
	"GET /authors/:id":            {path: "/authors/" + cy + "?site=blog", moderator: true},
	"PATCH /comments/:id":         {path: "/comments/1", body: `{"text":"A corrected text."}`, moderator: true},
	"POST /comments/:id/decision": {path: "/comments/1/decision", body: `{"decision":"approve"}`, moderator: true},
	"POST /comments/:id/reply":    {path: "/comments/1/reply", body: `{"text":"Thanks."}`, moderator: true},
	"POST /decisions":             {path: "/decisions", body: `{"filter":{"site":"blog"},"decision":"approve"}`, moderator: true},
	"POST /decisions/:id/undo":    {path: "/decisions/1/undo", moderator: true},
	"GET /posts":                  {path: "/posts?site=blog", moderator: true},
	"PATCH /posts":                {path: "/posts?site=blog&post=/posts/hello", body: `{"closed":false}`},
	"GET /posts/twins":            {path: "/posts/twins?site=blog", moderator: true},
	"GET /posts/moves":            {path: "/posts/moves?site=blog", moderator: true},
	"POST /posts/moves/:id/undo":  {path: "/posts/moves/1/undo"},
	"POST /posts/merge":           {path: "/posts/merge", body: `{"site":"blog","post":"/posts/twin","into":"/posts/hello"}`},
	"POST /posts/rename":          {path: "/posts/rename", body: `{"site":"blog","post":"/posts/nowhere","into":"/posts/elsewhere"}`},
	"POST /posts/split":           {path: "/posts/split", body: `{"site":"blog","post":"/posts/hello","comments":["99"],"into":"/posts/apart"}`},
	"GET /sites":                  {path: "/sites", moderator: true, own: true},
	"POST /sites":                 {path: "/sites", body: `{"key":"third"}`, whole: true},
	"GET /sites/:key":             {path: "/sites/blog", moderator: true},
	"POST /sites/:key":            {path: "/sites/third", body: `{}`, whole: true},
	"PATCH /sites/:key":           {path: "/sites/blog", body: `{"max_links":3}`},
	"DELETE /sites/:key":          {path: "/sites/third", whole: true},
	"GET /keys":                   {path: "/keys", own: true},
	"POST /keys":                  {path: "/keys", body: `{"role":"admin","site":"blog"}`},
	"DELETE /keys/:id":            {path: "/keys/1"},
	"GET /moderators":             {path: "/moderators", own: true},
	"POST /moderators":            {path: "/moderators", body: `{"name":"Bo","role":"admin","site":"blog"}`},
	"DELETE /moderators/:id":      {path: "/moderators/1"},
	"GET /rules":                  {path: "/rules?site=blog", moderator: true},
	"POST /rules":                 {path: "/rules", body: `{"comment":"1","effect":"ban"}`, moderator: true},
	"DELETE /rules":               {path: "/rules?site=blog&list=public"},
	"POST /rules/import":          {path: "/rules/import", body: `{"site":"blog","list":"public","kind":"host","entries":["ads.example"]}`},
	"DELETE /rules/:id":           {path: "/rules/1", moderator: true, own: true}, // the first removes it
	"GET /notes":                  {path: "/notes?comment=1", moderator: true},
	"POST /notes":                 {path: "/notes", body: `{"comment":"1","text":"An old friend."}`, moderator: true},
	"DELETE /notes/:id":           {path: "/notes/99", moderator: true, own: true}, // there is none
	"GET /reply-templates":        {path: "/reply-templates?site=blog", moderator: true},
	"POST /reply-templates":       {path: "/reply-templates", body: `{"site":"blog","name":"Thanks","text":"Thank you, {name}!"}`, moderator: true},
	"DELETE /reply-templates/:id": {path: "/reply-templates/99", moderator: true, own: true}, // there is none
	"GET /audit":                  {path: "/audit?site=blog"},
	"GET /audit/export":           {path: "/audit/export?site=blog"},
	"GET /sessions":               {path: "/sessions", moderator: true, own: true},
	"DELETE /sessions/:id":        {path: "/sessions/1", moderator: true, own: true}, // of others they find none
	"POST /signin-links":          {path: "/signin-links", body: `{"name":"Si","role":"admin","site":"blog"}`},
	"POST /probes":                {path: "/probes", whole: true},
	"POST /people/export":         {path: "/people/export", body: `{"email":"nobody@mail.example"}`, whole: true},
	"POST /people/erase":          {path: "/people/erase", body: `{"email":"nobody@mail.example"}`, whole: true},
	"GET /exports":                {path: "/exports?site=blog"},
	"POST /backups":               {path: "/backups", whole: true},
	"GET /signals":                {path: "/signals?site=blog", moderator: true},
	"GET /stats":                  {path: "/stats?site=blog", moderator: true},
	"GET /views":                  {path: "/views?site=blog", moderator: true},
	"GET /qlog":                   {path: "/qlog?site=blog", moderator: true},
	"GET /qlog/export":            {path: "/qlog/export?site=blog", moderator: true},
	"PATCH /qlog/:id":             {path: "/qlog/2026-11-30-first", body: `{"tags":["a"]}`, moderator: true},
	"DELETE /qlog/:id":            {path: "/qlog/2026-11-30-second", moderator: true, own: true}, // the first deletes it

	"GET /config":                    {path: "/config?site=blog", moderator: true},
	"GET /config/:name":              {path: "/config/policy.mode?site=blog", moderator: true},
	"PUT /config/:name":              {path: "/config/policy.mode", body: `{"site":"blog","value":"open"}`},
	"POST /config/:name/preview":     {path: "/config/policy.mode/preview", body: `{"site":"blog","value":"open"}`},
	"POST /config/:name/rollback":    {path: "/config/policy.mode/rollback", body: `{"site":"blog"}`},
	"GET /config/:name/history":      {path: "/config/policy.mode/history", moderator: true, own: true},
	"GET /config/:name/plans":        {path: "/config/policy.mode/plans", moderator: true, own: true},
	"DELETE /config/:name/plans/:id": {path: "/config/policy.mode/plans/99", own: true}, // there is none
	"GET /plans":                     {path: "/plans", moderator: true, own: true},
	"GET /flags":                     {path: "/flags", moderator: true, own: true},
	"GET /flags/:name":               {path: "/flags/editor", moderator: true, own: true},
	"PUT /flags/:name":               {path: "/flags/editor", body: `{"type":"boolean","value":false}`, whole: true},
	"DELETE /flags/:name":            {path: "/flags/editor", whole: true},
	"POST /flags/:name/rollback":     {path: "/flags/editor/rollback", whole: true},
	"GET /flags/:name/history":       {path: "/flags/editor/history", moderator: true, own: true},
	"GET /flags/:name/plans":         {path: "/flags/editor/plans", moderator: true, own: true},
	"DELETE /flags/:name/plans/:id":  {path: "/flags/editor/plans/99", own: true}, // there is none

	"GET /webhooks":                {path: "/webhooks", own: true},
	"POST /webhooks":               {path: "/webhooks", body: `{"name":"W","url":"https://hooks.example/","site":"blog"}`},
	"GET /webhooks/:id":            {path: "/webhooks/1"},
	"PATCH /webhooks/:id":          {path: "/webhooks/1", body: `{"active":true}`},
	"DELETE /webhooks/:id":         {path: "/webhooks/99", own: true}, // there is none: deleting the one there is would leave nothing to ask about
	"POST /webhooks/:id/secret":    {path: "/webhooks/1/secret"},
	"POST /webhooks/:id/test":      {path: "/webhooks/1/test"},
	"GET /webhooks/:id/deliveries": {path: "/webhooks/1/deliveries"},
	"POST /webhooks/:id/replay":    {path: "/webhooks/1/replay"},
}

// caller is a column of the table.
type caller struct {
	name, bearer string
	admin        bool
	site         postil.SiteID
}

func (c caller) may(r right) bool {
	return (c.admin || r.moderator) && (c.site == "" || !r.whole && (c.site == "blog" || r.own))
}

// prepared is an office in which every request of the table does something.
func prepared(t testing.TB) *office {
	t.Helper()
	o := newOffice(t)
	o.say(t, "blog", "A comment to decide about.")
	o.key(t, postil.APIKey{Name: "the key to be revoked", Role: postil.ModeratorRole, Site: "blog"})
	if _, err := o.store.AddModerator(ctx, postil.Moderator{Name: "Mo", Role: postil.ModeratorRole, Site: "blog"}, "hash", o.now(ctx), setup); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"2026-11-30-first", "2026-11-30-second"} {
		if err := o.store.AddQuestion(ctx, postil.Question{ID: id, Site: "blog", Text: "Why?", Asked: o.now(ctx)}, "why?"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := o.store.AddWebhook(ctx, postil.Webhook{Name: "W", Site: "blog", URL: "https://hooks.example/", Format: postil.PlainJSON, Active: true}, setup); err != nil {
		t.Fatal(err)
	}
	if _, err := o.store.MovePost(ctx, postil.MoveRequest{Site: "blog", Kind: postil.Merge, From: "/posts/hallo", To: "/posts/hello", By: setup}); err != nil {
		t.Fatal(err)
	}
	o.ask(t, "PUT", "/config/policy.mode", `{"site":"blog","value":"hold-all"}`).want(t, 200)
	o.ask(t, "PUT", "/flags/editor", `{"type":"boolean","value":true}`).want(t, 200)
	return o
}

func TestEachRouteIsOpenToThoseWhoMayAndToNobodyElse(t *testing.T) {
	t.Parallel()
	o := prepared(t)
	o.ask(t, "POST", "/comments/1/decision", `{"decision":"approve"}`).want(t, 200)
	callers := []caller{{name: "the bootstrap key", bearer: bootstrap, admin: true}}
	for _, role := range []postil.Role{postil.AdminRole, postil.ModeratorRole} {
		for _, site := range []postil.SiteID{"", "blog", "other"} {
			name := strings.TrimSpace(string(role) + " " + string(site))
			callers = append(callers, caller{name, o.key(t, postil.APIKey{Name: name, Role: role, Site: site}), role == postil.AdminRole, site})
		}
	}
	callers = append(callers, caller{name: "an author", bearer: o.key(t, postil.APIKey{Name: "Ann", Role: postil.ModeratorRole, Scope: postil.AuthorScope})})

	o.revoked = o.key(t, postil.APIKey{Name: "Former", Role: postil.AdminRole})
	keys, err := o.store.Keys(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.store.RevokeKey(ctx, keys[0].ID, setup); err != nil {
		t.Fatal(err)
	}
	for _, line := range o.server.Routes() {
		method, path, _ := strings.Cut(line, " ")
		route, ours := strings.CutPrefix(path, adminAt)
		if !ours {
			continue
		}
		name := method + " " + route
		r, known := rights[name]
		if !known {
			t.Errorf("%s has no row in the table of rights; add one to rights, whose comment says how", name)
			continue
		}
		r.method = method
		t.Run(name, func(t *testing.T) { o.tryAll(t, r, callers) })
	}
	for name := range rights {
		method, route, _ := strings.Cut(name, " ")
		if !slices.Contains(o.server.Routes(), method+" "+adminAt+route) {
			t.Errorf("%s is in the table of rights and is no route", name)
		}
	}
}

// tryAll sends one request as every caller, over TCP and over the socket. What
// is refused must leave no trace.
func (o *office) tryAll(t *testing.T, r right, callers []caller) {
	for _, bearer := range []string{"", "pk_unknown", bootstrap[1:], o.revoked} {
		if got := o.tryRight(t, r, o.url, bearer); got.StatusCode != 401 || got.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("the key %q: %d %s", bearer, got.StatusCode, got.text)
		}
	}
	for _, c := range callers {
		before := len(o.events(t, 0))
		got := o.tryRight(t, r, o.url, c.bearer)
		switch {
		case c.may(r) && (got.StatusCode == 401 || got.StatusCode == 403 || got.StatusCode >= 500):
			t.Errorf("%s may, and was answered %d %s", c.name, got.StatusCode, got.text)
		case !c.may(r) && (got.StatusCode != 403 || !strings.Contains(got.text, "/forbidden")):
			t.Errorf("%s may not, and was answered %d %s", c.name, got.StatusCode, got.text)
		case !c.may(r) && len(o.events(t, 0)) != before:
			t.Errorf("%s was refused, and something happened", c.name)
		}
	}
	if got := o.tryRight(t, r, o.local, ""); got.StatusCode >= 401 && got.StatusCode <= 403 {
		t.Errorf("the socket: %d %s", got.StatusCode, got.text)
	}
}

func (o *office) tryRight(t *testing.T, r right, at, bearer string) told {
	return call(t, r.method, at+adminAt+r.path, bearer, r.body)
}

func TestARevokedKeyIsRefusedAtTheNextRequest(t *testing.T) {
	t.Parallel()
	t.Run("AUTH-08", func(t *testing.T) {
		o := newOffice(t)
		var made struct {
			Key    struct{ ID string }
			Secret string
		}
		o.ask(t, "POST", "/keys", `{"role":"admin"}`).want(t, 201).read(t, &made)
		other := o.key(t, postil.APIKey{Name: "Other", Role: postil.AdminRole})
		call(t, "GET", o.url+adminAt+"/sites", made.Secret, "").want(t, 200)
		o.ask(t, "DELETE", "/keys/"+made.Key.ID, "").want(t, 204)
		call(t, "GET", o.url+adminAt+"/sites", made.Secret, "").want(t, 401)
		call(t, "GET", o.url+adminAt+"/sites", other, "").want(t, 200)
		o.ask(t, "DELETE", "/keys/"+made.Key.ID, "").want(t, 204) // again: nothing to do
	})
}

func TestAKeyOfAnErasedSiteIsRefused(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	bound := o.key(t, postil.APIKey{Name: "Bound", Role: postil.AdminRole, Site: "blog"})
	call(t, "DELETE", o.url+adminAt+"/sites/blog", bound, "").want(t, 204)
	call(t, "GET", o.url+adminAt+"/sites", bound, "").want(t, 401)
	o.ask(t, "GET", "/sites/blog", "").want(t, 404)
}

func TestTheLastUseOfAKeyIsShown(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	key := o.key(t, postil.APIKey{Name: "Ann", Role: postil.ModeratorRole})
	call(t, "GET", o.url+adminAt+"/sites", key, "").want(t, 200)
	var list struct {
		Keys []struct {
			LastUsedAt *string `json:"last_used_at"`
		}
	}
	o.ask(t, "GET", "/keys", "").want(t, 200).read(t, &list)
	if len(list.Keys) != 1 || list.Keys[0].LastUsedAt == nil || *list.Keys[0].LastUsedAt != "2026-11-30T18:17:00.000Z" {
		t.Errorf("%+v", list)
	}
}

func TestWhoIsBoundToASiteSeesAndMakesOnlyWhatIsOfThatSite(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "A comment here.")
	o.say(t, "other", "A comment there.")
	o.key(t, postil.APIKey{Name: "Everywhere", Role: postil.AdminRole})
	bound := o.key(t, postil.APIKey{Name: "Bound", Role: postil.AdminRole, Site: "other"})
	ask := func(method, path, body string) told { return call(t, method, o.url+adminAt+path, bound, body) }
	for path, want := range map[string]string{"/comments": `"site":"other"`, "/comments?queue=open": `"site":"other"`, "/sites": `"key":"other"`, "/keys": `"name":"Bound"`} {
		text := ask("GET", path, "").want(t, 200).text
		if strings.Count(text, want) != 1 || strings.Contains(text, `"blog"`) || strings.Contains(text, "Everywhere") {
			t.Errorf("%s: %s", path, text)
		}
	}
	for path, body := range map[string]string{"/keys": `{"role":"admin"}`, "/moderators": `{"role":"moderator","name":"Bo"}`} {
		if text := ask("POST", path, body).want(t, 201).text; !strings.Contains(text, `"site":"other"`) {
			t.Errorf("%s made something for more than the own site: %s", path, text)
		}
	}
	ask("DELETE", "/keys/1", "").want(t, 403)
	if text := ask("POST", "/decisions", `{"ids":["1","2"],"decision":"spam"}`).want(t, 200).text; !strings.Contains(text, `"status":403`) || !strings.Contains(text, `"status":"spam"`) {
		t.Error(text)
	}
	if o.status(t, 1) != postil.Pending || o.status(t, 2) != postil.Spam {
		t.Error("a decision about another site was taken")
	}
}

func TestTheAuthorPostsWithAKeyOfThatScope(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	body := `{"post":"/posts/hello","author":{"name":"Ann"},"text":"By the author."}`
	post := func(bearer string) told { return call(t, "POST", o.url+"/api/v1/sites/blog/comments", bearer, body) }
	author := post(o.key(t, postil.APIKey{Name: "Ann", Role: postil.ModeratorRole, Scope: postil.AuthorScope, Site: "blog"}))
	if author.StatusCode != 201 || !strings.Contains(author.text, `"status":"approved"`) {
		t.Errorf("%d %s", author.StatusCode, author.text)
	}
	for bearer, want := range map[string]int{"pk_unknown": 401, bootstrap: 403, o.key(t, postil.APIKey{Name: "Bo", Role: postil.ModeratorRole, Scope: postil.AuthorScope, Site: "other"}): 403} {
		if got := post(bearer); got.StatusCode != want {
			t.Errorf("%q: %d %s", bearer, got.StatusCode, got.text)
		}
	}
}
