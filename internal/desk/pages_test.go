package desk_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
)

// pages are those of the menu, and what an empty installation shows there.
var pages = []string{"", "comments", "spam", "spam?sort=doubt", "spam?sort=doubt&site=blog", "reports", "authors", "authors?site=blog&q=ann", "rules", "replies", "posts", "sites", "sites/blog", "views", "views?by=hour", "stats", "stats?by=hour", "happened", "happened?kind=comment.held", "questions", "people", "settings", "settings?site=blog", "flags"}

func TestEveryPageOfTheMenuOpensForAdminsAndModerators(t *testing.T) {
	t.Parallel()
	a := start(t)
	var made struct{ Secret string }
	a.Admin(t, "POST", "keys", map[string]any{"role": "moderator", "name": "Mo", "site": "blog"}).JSON(t, &made)
	for name, d := range map[string]*apptest.Desk{"admin": a.SignedIn(t), "moderator": a.SignedInWith(t, made.Secret)} {
		for _, path := range pages {
			page := d.Get(t, path)
			if page.Status != 200 {
				t.Errorf("%s at %q: %d %s", name, path, page.Status, page.Body)
			}
		}
		for _, link := range regexp.MustCompile(`<li><a href="\./([^"]*)"`).FindAllSubmatch(d.Get(t, "").Body, -1) {
			if got := d.Get(t, string(link[1])); got.Status != 200 {
				t.Errorf("the menu of the %s leads to %s: %d", name, link[1], got.Status)
			}
		}
	}
}

func TestAModeratorManagesNothing(t *testing.T) {
	t.Parallel()
	a := start(t)
	var made struct{ Secret string }
	a.Admin(t, "POST", "keys", map[string]any{"role": "moderator", "name": "Mo"}).JSON(t, &made)
	mo := a.SignedInWith(t, made.Secret)
	for path, fields := range map[string]url.Values{
		"keys": {"role": {"admin"}, "name": {"More"}}, "moderators": {"role": {"admin"}, "name": {"More"}}, "signin-links": {"role": {"admin"}, "name": {"More"}},
		"keys/1/revoke": nil, "moderators/1/revoke": nil, "sites": {"key": {"mine"}, "origins": {"https://mine.example"}}, "sites/blog": {"name": {"Mine"}, "policy": {"open"}, "max_links": {"9"}},
		"sites/blog/lockdown": {"lockdown": {"true"}}, "posts": {"site": {"blog"}, "post": {"/post"}, "closed": {"true"}}, "rules": {"kind": {"word"}, "value": {"x"}, "effect": {"spam"}},
	} {
		if got := mo.Press(t, path, fields); got.Status != 403 {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
	if page := string(mo.Get(t, "people").Body); strings.Contains(page, "Keys for the API") || !strings.Contains(page, "Signed in") {
		t.Error("a moderator sees keys, or not where they are signed in")
	}
}

func TestAnAdminRunsASiteFromItsPage(t *testing.T) {
	t.Parallel()
	a := start(t)
	d := a.SignedIn(t)
	want(t, d.Get(t, "sites/blog"), 200, `&lt;script src="`+a.URL+`/widget.js" defer`, `&lt;postil-comments site="blog"&gt;`)
	leadsTo(t, d.Press(t, "sites/blog", url.Values{"name": {"The <b>blog</b>"}, "policy": {"hold-all"}, "origins": {a.URL + "\r\nhttps://www.blog.example\r\n"}, "blocked": {"casino\r\n\r\nbuy now"}, "max_links": {"0"}, "back": {"sites/blog"}}), "../sites/blog?did=saved")
	var site struct {
		Name, Policy     string
		Origins, Blocked []string
		MaxLinks         int `json:"max_links"`
		Lockdown         bool
	}
	a.Admin(t, "GET", "sites/blog", nil).JSON(t, &site)
	if site.Name != "The <b>blog</b>" || site.Policy != "hold-all" || len(site.Origins) != 2 || len(site.Blocked) != 2 || site.MaxLinks != 0 {
		t.Errorf("%+v", site)
	}
	want(t, d.Get(t, "sites/blog?did=saved"), 200, "Saved.", "The &lt;b&gt;blog&lt;/b&gt;", "buy now")
	want(t, d.Press(t, "sites/blog", url.Values{"name": {"B"}, "policy": {"whatever"}}), 400, "policy")
	leadsTo(t, d.Press(t, "sites/blog/lockdown", url.Values{"lockdown": {"true"}, "back": {"sites/blog"}}), "../../sites/blog?did=saved")
	if a.Admin(t, "GET", "sites/blog", nil).JSON(t, &site); !site.Lockdown {
		t.Error("there is no lockdown")
	}
	leadsTo(t, d.Press(t, "sites", url.Values{"key": {"second"}, "origins": {"https://second.example"}, "back": {"sites"}}), "./sites?did=saved")
	want(t, d.Get(t, "sites"), 200, "second.example", "lockdown")
}

func TestAnAdminClosesAndNamesAPost(t *testing.T) {
	t.Parallel()
	a := start(t)
	ask(t, a, apptest.Draft{Text: "On a post.", Post: "/a?x=<b>"})
	d := a.SignedIn(t)
	key := regexp.MustCompile(`name="post" value="([^"]+)"`).FindSubmatch(d.Get(t, "posts").Body)
	if key == nil {
		t.Fatal("there is no post")
	}
	post := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#43;", "+", "&amp;", "&").Replace(string(key[1]))
	leadsTo(t, d.Press(t, "posts", url.Values{"site": {"blog"}, "post": {post}, "closed": {"true"}, "back": {"posts"}}), "./posts?did=saved")
	leadsTo(t, d.Press(t, "posts", url.Values{"site": {"blog"}, "post": {post}, "title": {"A <i>title</i>"}, "url": {""}, "back": {"posts"}}), "./posts?did=saved")
	want(t, d.Get(t, "posts"), 200, "closed", "A &lt;i&gt;title&lt;/i&gt;", ">Open</button>")
}

func TestKeysAndLinksAreShownOnceAndWork(t *testing.T) {
	t.Parallel()
	a := start(t)
	d := a.SignedIn(t)
	made := d.Press(t, "keys", url.Values{"name": {"For <me>"}, "role": {"moderator"}})
	want(t, made, 200, "For &lt;me&gt;", "It is shown here once")
	key := regexp.MustCompile(`pk_[a-z2-7]{52}`).Find(made.Body)
	other := a.SignedInWith(t, string(key))
	if page := string(d.Get(t, "people").Body); strings.Contains(page, string(key)) || !strings.Contains(page, "For &lt;me&gt;") {
		t.Error("the list lacks the key's name, or shows the key")
	}
	leadsTo(t, d.Press(t, "keys/1/revoke", url.Values{"back": {"people"}}), "../../people?did=revoked")
	leadsTo(t, other.Get(t, ""), "./signin")
	want(t, d.Press(t, "moderators", url.Values{"name": {"Bo"}, "role": {"moderator"}}), 200, "/start ")
	link := d.Press(t, "signin-links", url.Values{"name": {"Bo"}})
	path := regexp.MustCompile(`signin/[a-z2-7]{32}`).Find(link.Body)
	bo := a.NewDesk(t)
	leadsTo(t, bo.Send(t, string(path), nil), "../")
	session := regexp.MustCompile(`sessions/([0-9]+)/end`).FindSubmatch(bo.Get(t, "people").Body)
	leadsTo(t, d.Press(t, "sessions/"+string(session[1])+"/end", url.Values{"back": {"people"}}), "../../people?did=ended")
	leadsTo(t, bo.Get(t, ""), "./signin")
	want(t, d.Get(t, "people"), 200, "(this one)")
}

func TestRulesAreLaidDownAndRemoved(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := ask(t, a, apptest.Draft{Text: "I sell things.", Device: "device-of-a-seller-0123"})
	d := a.SignedIn(t)
	leadsTo(t, d.Press(t, "rules", url.Values{"kind": {"word"}, "value": {"<b>casino</b>"}, "effect": {"hold"}, "reason": {"no"}, "back": {"rules"}}), "./rules?did=saved")
	want(t, d.Get(t, "rules"), 200, "casino", "no</td>")
	leadsTo(t, d.Press(t, "rules/ban", url.Values{"comment": {id}, "effect": {"ban"}, "back": {"comments/" + id}}), "../comments/"+id+"?did=banned")
	want(t, d.Get(t, "comments/"+id+"?did=banned"), 200, "Banned: ")
	page := d.Get(t, "rules")
	want(t, page, 200, ">ban<")
	for _, m := range regexp.MustCompile(`rules/([0-9]+)/remove`).FindAllSubmatch(page.Body, -1) {
		leadsTo(t, d.Press(t, "rules/"+string(m[1])+"/remove", url.Values{"back": {"rules"}}), "../../rules?did=removed")
	}
	want(t, d.Get(t, "rules"), 200, "There is no rule yet")
}

func TestAnAuthorHasAPageWithHistoryStandingAndTheirData(t *testing.T) {
	t.Parallel()
	a := start(t)
	first := ask(t, a, apptest.Draft{Name: "Sal <b>", Text: "I sell *things*.", Device: "device-of-a-seller-0123"})
	second := ask(t, a, apptest.Draft{Name: "Sally", Text: "Other things.", Device: "device-of-a-seller-0123", Post: "/other"})
	ask(t, a, apptest.Draft{Name: "Nameless", Text: "Nobody knows me."})
	d := a.SignedIn(t)
	list := d.Get(t, "authors")
	want(t, list, 200, "Sally")
	if body := string(list.Body); strings.Contains(body, "Nameless") || strings.Contains(body, "Sal &lt;b&gt;") {
		t.Error("somebody stands in the list who is nobody, or twice")
	}
	want(t, d.Get(t, "authors?q=nobody"), 200, "Nobody here matches")
	at := string(regexp.MustCompile(`authors/[A-Za-z0-9_-]+\?site=blog`).Find(list.Body))
	want(t, d.Get(t, "comments/"+first), 200, at)
	page := d.Get(t, at)
	want(t, page, 200, "Sal &lt;b&gt;", "<em>things</em>", "Other things.", "0 approved, 2 waiting", "Nothing is laid down", `id="c`+first+`"`)
	path, _, _ := strings.Cut(at, "?")
	leadsTo(t, d.Press(t, "rules/ban", url.Values{"comment": {second}, "effect": {"ban"}, "reason": {"sells <i>"}, "back": {at}}), "../"+path+"?did=banned&site=blog")
	page = d.Get(t, at)
	want(t, page, 200, "<b>ban</b>", "sells &lt;i&gt;")
	want(t, d.Get(t, "authors"), 200, "<td>ban</td>")
	lift := regexp.MustCompile(`rules/[0-9]+/remove`).Find(page.Body)
	leadsTo(t, d.Press(t, string(lift), url.Values{"back": {at}}), "../../"+path+"?did=removed&site=blog")

	export := d.Get(t, path+"/export")
	want(t, export, 200, "I sell *things*.", "Other things.")
	if !strings.Contains(export.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("the export is shown: %v", export.Header)
	}
	var made struct{ Secret string }
	a.Admin(t, "POST", "keys", map[string]any{"role": "admin", "name": "Mo", "site": "blog"}).JSON(t, &made)
	mo := a.SignedInWith(t, made.Secret)
	if body := string(mo.Get(t, at).Body); strings.Contains(body, "Erase") || !strings.Contains(body, "Other things.") {
		t.Error("who is bound to a site could erase people, or sees no author")
	}
	want(t, mo.Get(t, path+"/export"), 403)
	want(t, mo.Press(t, path+"/erase", url.Values{"sure": {"yes"}}), 403)
	want(t, d.Press(t, path+"/erase", url.Values{"texts": {"yes"}}), 422, "Nothing was erased")
	want(t, d.Get(t, at), 200, "Other things.")
	leadsTo(t, d.Press(t, path+"/erase", url.Values{"sure": {"yes"}, "back": {"authors?site=blog"}}), "../../authors?did=erased&site=blog")
	want(t, d.Get(t, at), 404)
	want(t, d.Get(t, "comments/"+first), 200, "<em>things</em>")
}

func TestModeratorsNoteThingsThatNobodyElseSees(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := ask(t, a, apptest.Draft{Text: "I sell *things*.", Device: "device-of-a-seller-0123"})
	other := ask(t, a, apptest.Draft{Text: "Other things.", Device: "device-of-a-seller-0123"})
	d := a.SignedIn(t)
	at := string(regexp.MustCompile(`authors/[A-Za-z0-9_-]+`).Find(d.Get(t, "comments/"+id).Body))
	author := strings.TrimPrefix(at, "authors/")
	leadsTo(t, d.Press(t, "notes", url.Values{"comment": {id}, "text": {"The <b>first</b> of many.\r\nWatch."}, "back": {"comments/" + id}}), "./comments/"+id+"?did=saved")
	leadsTo(t, d.Press(t, "notes", url.Values{"site": {"blog"}, "author": {author}, "text": {"A dealer."}, "back": {at + "?site=blog"}}), "./"+at+"?did=saved&site=blog")
	page := d.Get(t, "comments/"+id)
	want(t, page, 200, "The &lt;b&gt;first&lt;/b&gt; of many.\nWatch.", "A dealer.", "On this author")
	if body := string(d.Get(t, "comments/"+other).Body); !strings.Contains(body, "A dealer.") || strings.Contains(body, "of many") {
		t.Error("another comment of the author lacks their note, or has one of the first")
	}
	want(t, d.Get(t, at+"?site=blog"), 200, "A dealer.")
	want(t, d.Press(t, "notes", url.Values{"comment": {id}, "text": {" "}}), 400, "Write something")
	want(t, d.Press(t, "notes", url.Values{"site": {"blog"}, "author": {"nobody"}, "text": {"Who?"}}), 404)

	a.Decide(t, id, "approve")
	apptest.Eventually(t, soon, "it is public", func() bool { return a.Thread(t, "/post").Count == 1 })
	for _, path := range []string{"/api/v1/sites/blog/comments?post=/post", "/api/v1/sites/blog/feed.atom", "/thread/blog?post=/post", "/api/v1/admin/exports?site=blog"} {
		got, err := a.Do(t.Context(), "GET", path, nil, "Authorization", "Bearer "+apptest.AdminKey)
		if err != nil || got.Status != 200 || strings.Contains(string(got.Body), "of many") || strings.Contains(string(got.Body), "dealer") {
			t.Errorf("%s: %v, %d %s", path, err, got.Status, got.Body)
		}
	}
	if got := d.Get(t, at+"/export"); strings.Contains(string(got.Body), "dealer") {
		t.Errorf("the author would read %s", got.Body)
	}
	remove := regexp.MustCompile(`notes/[0-9]+/remove`).FindAll(page.Body, -1)
	leadsTo(t, d.Press(t, string(remove[0]), url.Values{"back": {"comments/" + id}}), "../../comments/"+id+"?did=removed")
	if body := string(d.Get(t, "comments/"+id).Body); strings.Contains(body, "A dealer.") || !strings.Contains(body, "of many") {
		t.Error("the wrong note went")
	}
	leadsTo(t, d.Press(t, at+"/erase", url.Values{"sure": {"yes"}, "back": {"authors"}}), "../../authors?did=erased")
	if body := string(d.Get(t, "comments/"+id).Body); strings.Contains(body, "of many") {
		t.Error("a note outlives whom it is about")
	}
}

func TestASavedReplyIsPutIntoTheAnswer(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := ask(t, a, apptest.Draft{Name: "[Sal](https://evil.example)", Text: "Is it so?", Title: "On *stars*"})
	d := a.SignedIn(t)
	want(t, d.Get(t, "replies"), 200, "There is no saved reply yet", "{name}")
	if strings.Contains(string(d.Get(t, "comments/"+id).Body), "Saved reply") {
		t.Error("a choice of nothing is offered")
	}
	leadsTo(t, d.Press(t, "replies", url.Values{"name": {"So <it> is"}, "text": {"It is, {name}.\r\nSee {post}."}, "back": {"replies"}}), "./replies?did=saved")
	want(t, d.Get(t, "replies"), 200, "So &lt;it&gt; is", "every site")
	want(t, d.Get(t, "comments/"+id), 200, "So &lt;it&gt; is</option>", "Put it in")
	page := d.Press(t, "comments/"+id+"/act", url.Values{"do": {"template"}, "template": {"1"}, "text": {"Well."}})
	want(t, page, 200, "Well.\n\nIt is, \\[Sal\\](https\\://evil.example).\nSee On \\*stars\\*.</textarea>")
	if got := a.Detail(t, id).Status; got != "pending" {
		t.Errorf("choosing a reply made it %s", got)
	}
	want(t, d.Press(t, "comments/"+id+"/act", url.Values{"do": {"template"}, "template": {"99"}, "text": {"Well."}}), 200, ">Well.</textarea>")
	want(t, d.Press(t, "replies", url.Values{"name": {""}, "text": {"x"}}), 400)
	leadsTo(t, d.Press(t, "replies/1/remove", url.Values{"back": {"replies"}}), "../../replies?did=removed")
	want(t, d.Get(t, "replies"), 200, "There is no saved reply yet")
}

func TestQuestionsAndViewsAreShown(t *testing.T) {
	t.Parallel()
	a := start(t)
	d := a.SignedIn(t)
	a.Must(t, 201, "POST", "/api/qlog", map[string]any{"question": "Why <b>so</b>?"})
	page := d.Get(t, "questions")
	want(t, page, 200, "Why &lt;b&gt;so&lt;/b&gt;?")
	id := regexp.MustCompile(`questions/([^/"]+)/tags`).FindSubmatch(page.Body)
	leadsTo(t, d.Press(t, "questions/"+string(id[1])+"/tags", url.Values{"tags": {"idea, later"}, "back": {"questions"}}), "../../questions?did=saved")
	want(t, d.Get(t, "questions?tag=idea"), 200, "idea, later")
	leadsTo(t, d.Press(t, "questions/"+string(id[1])+"/remove", url.Values{"back": {"questions"}}), "../../questions?did=removed")
	want(t, d.Get(t, "questions"), 200, "Nobody has asked anything yet")
	want(t, d.Get(t, "views"), 200, "0 views from")
}

func TestWhatReadersReportIsListedUntilSomebodyDecides(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := ask(t, a, apptest.Draft{Text: "Somewhat rude.", Device: "device-of-somebody-rude"})
	a.Decide(t, id, "approve")
	apptest.Eventually(t, soon, "it is public", func() bool { return a.Thread(t, "/post").Count == 1 })
	a.Must(t, 0, "POST", "/api/v1/sites/blog/comments/"+id+"/reports", map[string]any{"reason": "abuse", "text": "He <i>is</i>."})
	d := a.SignedIn(t)
	want(t, d.Get(t, "reports"), 200, "abuse", "“He &lt;i&gt;is&lt;/i&gt;.”", "Somewhat rude.")
	leadsTo(t, d.Press(t, "comments/"+id+"/act", url.Values{"do": {"reject"}, "expect": {"approved"}, "back": {"reports"}}), "../../reports?c="+id+"&d=2&did=reject")
	want(t, d.Get(t, "reports"), 200, "No reader has reported anything")
}

func TestSettingsFlagsAndWebhooksAreChangedFromTheirPages(t *testing.T) {
	t.Parallel()
	a := start(t)
	d := a.SignedIn(t)
	var all struct {
		Config []struct {
			Name  string
			Value any
		}
	}
	a.Admin(t, "GET", "config", nil).JSON(t, &all)
	for _, c := range all.Config { // each goes through its form as it is shown
		is, ok := c.Value.(bool)
		if !ok {
			continue
		}
		value := map[bool]string{true: "false", false: "true"}[is]
		leadsTo(t, d.Press(t, "settings/"+c.Name, url.Values{"value": {value}, "back": {"settings"}}), "../settings?did=saved")
		want(t, d.Get(t, "settings"), 200, "Back to the default")
		leadsTo(t, d.Press(t, "settings/"+c.Name, url.Values{"default": {"yes"}, "back": {"settings"}}), "../settings?did=saved")
	}
	want(t, d.Press(t, "settings/"+all.Config[0].Name, url.Values{"value": {"{{"}}), 422, "no value of this setting")
	leadsTo(t, d.Press(t, "flags", url.Values{"name": {"new-editor"}, "flag": {`{"type":"boolean","value":true,"enabled":true}`}, "back": {"flags"}}), "./flags?did=saved")
	want(t, d.Get(t, "flags"), 200, "new-editor", "&#34;boolean&#34;")
	later := url.Values{"name": {"new-editor"}, "flag": {`{"type":"boolean","value":false}`}, "at": {time.Now().UTC().Add(48 * time.Hour).Format("2006-01-02T15:04")}, "back": {"flags"}}
	leadsTo(t, d.Press(t, "flags", later), "./flags?did=planned")
	planned := d.Get(t, "flags")
	want(t, planned, 200, "Planned", "Drop the planned change of new-editor")
	drop := regexp.MustCompile(`plans/([0-9]+)/drop`).FindSubmatch(planned.Body)
	leadsTo(t, d.Press(t, "plans/"+string(drop[1])+"/drop", url.Values{"kind": {"flag"}, "name": {"new-editor"}, "back": {"flags"}}), "../../flags?did=dropped")
	leadsTo(t, d.Press(t, "flags/new-editor/remove", url.Values{"back": {"flags"}}), "../../flags?did=removed")
	want(t, d.Press(t, "webhooks", url.Values{"name": {"Ann's <hook>"}, "url": {"https://hooks.example/x"}, "format": {"json"}}), 200, "It is shown here once", "&lt;hook&gt;")
	leadsTo(t, d.Press(t, "webhooks/1", url.Values{"active": {"false"}, "back": {"webhooks"}}), "../webhooks?did=saved")
	want(t, d.Get(t, "webhooks"), 200, "paused", "https://hooks.example/x")
	want(t, d.Press(t, "webhooks/1/secret", nil), 200, "It is shown here once")
	leadsTo(t, d.Press(t, "webhooks/1/remove", url.Values{"back": {"webhooks"}}), "../../webhooks?did=removed")
}

func TestAChangeOfASettingIsPreviewedPlannedAndDropped(t *testing.T) {
	t.Parallel()
	a := start(t)
	ask(t, a, apptest.Draft{Text: "Words about a casino."})
	d := a.SignedIn(t)
	try := url.Values{"value": {`["casino"]`}, "site": {"blog"}, "back": {"settings?site=blog"}, "setting": {"lists.spam_words"}}
	want(t, d.Press(t, "settings?site=blog", try), 200, "Not saved yet. This would hold 0 of the last one comment, publish 0 and stop 1 as spam", "[\n  &#34;casino&#34;\n]", `name="back" value="settings?site=blog"`)
	var now struct{ Value []string }
	if a.Admin(t, "GET", "config/lists.spam_words?site=blog", nil).JSON(t, &now); len(now.Value) != 0 {
		t.Errorf("a preview saved %q", now.Value)
	}
	try.Set("at", "2020-01-01T00:00")
	want(t, d.Press(t, "settings/lists.spam_words", try), 400, "a time to come")
	try.Set("at", time.Now().UTC().Add(48*time.Hour).Format("2006-01-02T15:04"))
	leadsTo(t, d.Press(t, "settings/lists.spam_words", try), "../settings?did=planned&site=blog")
	page := d.Get(t, "settings?site=blog&did=planned")
	want(t, page, 200, "It stands in the list until it happens", "lists.spam_words on blog", "casino")
	var made struct{ Secret string }
	a.Admin(t, "POST", "keys", map[string]any{"role": "moderator", "name": "Mo"}).JSON(t, &made)
	mo := a.SignedInWith(t, made.Secret)
	if body := string(mo.Get(t, "settings").Body); !strings.Contains(body, "lists.spam_words on blog") || strings.Contains(body, "/drop") {
		t.Error("a moderator does not see the plan, or could drop it")
	}
	drop := regexp.MustCompile(`plans/([0-9]+)/drop`).FindSubmatch(page.Body)
	fields := url.Values{"kind": {"config"}, "name": {"lists.spam_words"}, "back": {"settings?site=blog"}}
	want(t, mo.Press(t, "plans/"+string(drop[1])+"/drop", fields), 403)
	want(t, mo.Press(t, "settings", url.Values{"value": {"[]"}, "setting": {"lists.spam_words"}}), 403)
	leadsTo(t, d.Press(t, "plans/"+string(drop[1])+"/drop", fields), "../../settings?did=dropped&site=blog")
	if strings.Contains(string(d.Get(t, "settings?site=blog").Body), "lists.spam_words on blog") {
		t.Error("the plan is still there")
	}
	want(t, d.Get(t, "audit"), 200, "config.plan", "config.unplan")
}

func TestWhatIsDoneAtTheDeskStandsInTheAuditLog(t *testing.T) {
	t.Parallel()
	a := start(t)
	d := a.SignedIn(t)
	d.Press(t, "sites/blog/lockdown", url.Values{"lockdown": {"true"}})
	d.Press(t, "keys", url.Values{"name": {"For <me>"}, "role": {"moderator"}})
	want(t, d.Get(t, "audit"), 200, "<td>key.add</td>", "<td>session.add</td>", "site:blog", "from this page")
	want(t, d.Get(t, "audit?action=key.add"), 200, "<td>key.add</td>")
	if page := string(d.Get(t, "audit?action=key.add").Body); strings.Contains(page, "<td>session.add</td>") {
		t.Error("the log is not narrowed")
	}
}
