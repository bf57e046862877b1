package httpapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// A day of laying down rules; each answer is a golden file.
func TestRulesAnswerAsTheirGoldenFilesSay(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "Well said, and more.")
	for _, c := range []struct {
		file, method, path, body string
		status                   int
	}{
		{"admin_rule_ban", "POST", "/rules", `{"comment":"1","effect":"ban","reason":"insults","until":"2027-01-31T12:00:00Z"}`, 201},
		{"admin_rule_word", "POST", "/rules", `{"site":"blog","kind":"word","value":"Ｃasino","effect":"hold"}`, 201},
		{"admin_rule_network", "POST", "/rules", `{"kind":"network","value":"203.0.113.77","effect":"ban"}`, 201},
		{"admin_rules_imported", "POST", "/rules/import", `{"site":"blog","list":"public","kind":"host","entries":["# hosts","0.0.0.0 ads.example","!!"]}`, 200},
		{"admin_rules", "GET", "/rules?site=blog&limit=2", "", 200},
		{"admin_rules_of_list", "GET", "/rules?list=public", "", 200},
		{"admin_rule_wrong", "POST", "/rules", `{"kind":"name","value":"Ann","effect":"trust"}`, 400},
		{"admin_rule_past", "POST", "/rules", `{"kind":"word","value":"x","effect":"hold","until":"2020-01-01T00:00:00Z"}`, 400},
	} {
		o.later(time.Second)
		o.ask(t, c.method, c.path, c.body).want(t, c.status).golden(t, c.file)
	}
	o.ask(t, "DELETE", "/rules/2", "").want(t, 204)
	o.ask(t, "DELETE", "/rules/2", "").want(t, 404)
	o.ask(t, "DELETE", "/rules?site=blog&list=public", "").want(t, 204)
	o.ask(t, "DELETE", "/rules?site=blog&list=public", "").want(t, 404)
	var page struct {
		Rules []struct{ ID string }
		Lists []any
		Next  string `json:"next_cursor"`
	}
	o.ask(t, "GET", "/rules?limit=1", "").want(t, 200).read(t, &page)
	o.ask(t, "GET", "/rules?limit=1&cursor="+page.Next, "").want(t, 200).read(t, &page)
	if len(page.Rules) != 1 || page.Rules[0].ID != "1" || len(page.Lists) != 0 {
		t.Errorf("%+v", page)
	}
}

func TestWhoDecidesMayBanAuthorsAndOnlyAdminsKeepLists(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "On the blog, with pleasure.")
	o.say(t, "other", "Elsewhere, with pleasure.")
	moderator := o.key(t, postil.APIKey{Name: "Mo", Role: postil.ModeratorRole, Site: "blog"})
	admin := o.key(t, postil.APIKey{Name: "Ad", Role: postil.AdminRole, Site: "blog"})
	for _, c := range []struct {
		name, key, method, path, body string
		status                        int
	}{
		{"a moderator bans", moderator, "POST", "/rules", `{"comment":"1","effect":"ban"}`, 201},
		{"elsewhere", moderator, "POST", "/rules", `{"comment":"2","effect":"ban"}`, 403},
		{"a moderator lists a word", moderator, "POST", "/rules", `{"kind":"word","value":"x","effect":"hold"}`, 403},
		{"a moderator imports", moderator, "POST", "/rules/import", `{"list":"l","kind":"word","entries":["x"]}`, 403},
		{"a moderator reads", moderator, "GET", "/rules", "", 200},
		{"the site's admin lists a word", admin, "POST", "/rules", `{"kind":"word","value":"x","effect":"hold"}`, 201},
		{"a moderator takes it back", moderator, "DELETE", "/rules/2", "", 403},
		{"for another site", admin, "POST", "/rules", `{"site":"other","kind":"word","value":"x","effect":"hold"}`, 403},
		{"a moderator lifts the ban", moderator, "DELETE", "/rules/1", "", 204},
		{"of a comment that there is not", moderator, "POST", "/rules", `{"comment":"99","effect":"ban"}`, 404},
		{"what is no effect", moderator, "POST", "/rules", `{"comment":"1","effect":"spam"}`, 400},
	} {
		if got := call(t, c.method, o.url+adminAt+c.path, c.key, c.body); got.StatusCode != c.status {
			t.Errorf("%s: %d instead of %d: %s", c.name, got.StatusCode, c.status, got.text)
		}
	}
	if r := call(t, "GET", o.url+adminAt+"/rules", moderator, ""); strings.Contains(r.text, `"site":null`) {
		t.Errorf("%s", r.text)
	}
}
