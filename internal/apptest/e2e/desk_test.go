//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

// atDesk opens the admin page as somebody who presses the button of a sign-in
// link.
func atDesk(t *testing.T, s *stage, name string) *apptest.Page {
	t.Helper()
	var made struct{ URL string }
	s.Admin(t, "POST", "signin-links", map[string]any{"name": name, "role": "admin"}).JSON(t, &made)
	p := s.browser.Reader(t)
	p.Open(t, made.URL)
	p.Until(t, slow, "there is a button", `document.querySelector("main form button")`)
	apptest.Eval[bool](t, p, `(document.querySelector("main form button").click(), true)`)
	p.Until(t, slow, "the desk is open", `document.querySelector("nav [aria-current]")?.textContent.includes("Waiting")`)
	return p
}

// hit presses a key where the focus is.
func hit(t *testing.T, p *apptest.Page, key string) {
	t.Helper()
	apptest.Eval[bool](t, p, fmt.Sprintf(`(document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: %q, bubbles: true, cancelable: true })), true)`, key))
}

func askAbout(t *testing.T, s *stage, n int) (ids []string) {
	t.Helper()
	for i := range n {
		posted := s.Post(t, apptest.Draft{Post: s.page, Name: fmt.Sprintf("Reader %d", i), Text: fmt.Sprintf("Number %d waits.", i), Device: fmt.Sprintf("device-of-reader-%d-0000", i)})
		s.AwaitAsked(t, slow, posted.Comment.ID)
		ids = append(ids, posted.Comment.ID)
	}
	return ids
}

const hereIs = `document.querySelector(".item.here")?.dataset.id`

func TestAModeratorWorksByKeyWithoutReloading(t *testing.T) {
	s := setUp(t, apptest.Options{}, "POSTIL_LIMITS=off")
	ids := askAbout(t, s, 3)
	p := atDesk(t, s, "Ann")
	apptest.Eval[bool](t, p, `(window.same = true)`)
	p.Until(t, slow, "the oldest is current", hereIs+` === "5"`)
	hit(t, p, "j")
	p.Until(t, slow, "the next is current", fmt.Sprintf(`%s === %q`, hereIs, ids[0]))
	hit(t, p, "a")
	s.AwaitStatus(t, slow, ids[0], "approved")
	p.Until(t, slow, "the one after it is current", fmt.Sprintf(`%s === %q`, hereIs, ids[1]))
	hit(t, p, "s")
	s.AwaitStatus(t, slow, ids[1], "spam")
	p.Until(t, slow, "and the one after that", fmt.Sprintf(`%s === %q`, hereIs, ids[2]))
	hit(t, p, "u")
	s.AwaitStatus(t, slow, ids[1], "pending")
	p.Until(t, slow, "what was taken back is current", fmt.Sprintf(`%s === %q && !document.querySelector("#c%s.done")`, hereIs, ids[1], ids[1]))
	hit(t, p, "?")
	p.Until(t, slow, "the keys are listed", `document.querySelector("#help").open`)
	hit(t, p, "r") // nothing happens behind the list of keys
	apptest.Eval[bool](t, p, `(document.querySelector("#help").close(), true)`)
	s.Decide(t, ids[2], "reject") // a colleague is faster
	hit(t, p, "j")
	hit(t, p, "a")
	p.Until(t, slow, "the page says who won", fmt.Sprintf(`document.querySelector("#c%s .slip")?.textContent.includes("rejected already, decided by admin")`, ids[2]))
	if !apptest.Eval[bool](t, p, `window.same === true`) {
		t.Error("the page was loaded anew")
	}
	if got := s.Detail(t, ids[1]).Status; got != "pending" {
		t.Errorf("a key behind the list of keys made it %s", got)
	}
}

func TestAFollowedLinkFromElsewhereFindsTheDeskOpen(t *testing.T) {
	s := setUp(t, apptest.Options{}, "POSTIL_LIMITS=off")
	p := atDesk(t, s, "Ann")
	elsewhere := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	if elsewhere == s.URL {
		elsewhere = strings.Replace(s.URL, "localhost", "127.0.0.1", 1)
	}
	p.Open(t, elsewhere+"/demo/")
	apptest.Eval[bool](t, p, fmt.Sprintf(`(() => { const a = document.createElement("a"); a.href = %q; document.body.append(a); a.click(); return true; })()`, s.URL+"/admin/comments/5"))
	p.Until(t, slow, "the comment is shown", `document.querySelector("h1")?.textContent.startsWith("Comment by")`)
}

// A very wide comment leaves the buttons where they are, and acting on one row
// keeps what the list was narrowed to.
func TestSRCH_05_ANarrowedListStaysNarrowAndItsButtonsInReach(t *testing.T) {
	s := setUp(t, apptest.Options{}, "POSTIL_LIMITS=off")
	var ids []string
	for i := range 3 {
		posted := s.Post(t, apptest.Draft{Post: s.page, Name: fmt.Sprintf("Reader %d", i), Device: fmt.Sprintf("device-of-reader-%d-0000", i),
			Text: fmt.Sprintf("Broad number %d:\n\n```\n%s\n```\n", i, strings.Repeat("column ", 43))})
		s.AwaitAsked(t, slow, posted.Comment.ID)
		ids = append(ids, posted.Comment.ID)
	}
	p := atDesk(t, s, "Ann")
	narrow := s.URL + "/admin/comments?status=pending&q=broad&site=demo"
	for _, width := range []int64{375, 1280} {
		p.Size(t, width, 800, width < 500)
		p.Open(t, narrow)
		p.Until(t, slow, "the three are listed", fmt.Sprintf(`document.querySelectorAll(".item").length === 3 && document.querySelector("#c%s")`, ids[0]))
		noSideways(t, p, fmt.Sprint(width))
		for _, out := range apptest.Eval[[]string](t, p, `[...document.querySelectorAll(".item button")].filter(b => b.checkVisibility() && (b.getBoundingClientRect().right > innerWidth || b.getBoundingClientRect().left < 0)).map(b => b.textContent)`) {
			t.Errorf("at %d pixels the button %q is out of reach", width, out)
		}
	}
	for apptest.Eval[string](t, p, hereIs+` ?? ""`) != ids[0] {
		hit(t, p, "j")
	}
	hit(t, p, "a")
	s.AwaitStatus(t, slow, ids[0], "approved")
	p.Until(t, slow, "the next one is current", fmt.Sprintf(`%s && %s !== %q`, hereIs, hereIs, ids[0]))
	if at := apptest.Eval[string](t, p, `location.href`); at != narrow {
		t.Errorf("after acting the page is %s", at)
	}
	p.Reload(t)
	p.Until(t, slow, "two are left of what was asked for", fmt.Sprintf(`document.querySelectorAll(".item").length === 2 && !document.querySelector("#c%s")`, ids[0]))
	quiet(t, p)
}

func TestTheDeskLooksRightAndIsAccessible(t *testing.T) {
	s := setUp(t, apptest.Options{}, "POSTIL_LIMITS=off")
	asked := askAbout(t, s, 2)
	pages := append(slices.Clone(deskPages), spoken(t, s, asked[0])...)
	s.Post(t, apptest.Draft{Post: s.page, Name: strings.Repeat("Very Long Name ", 4), Website: "https://shop.example/" + strings.Repeat("long-", 30),
		Text: "A long one: " + strings.Repeat("Donaudampfschifffahrts", 12) + "\n\n" + strings.Repeat("And it goes on, line after line, for quite a while.\n\n", 30)})
	axe := axeCore(t)
	p := atDesk(t, s, "Ann")
	for _, size := range []struct {
		name          string
		width, height int64
		mobile        bool
	}{{"desk", 1280, 900, false}, {"phone", 375, 812, true}} {
		p.Size(t, size.width, size.height, size.mobile)
		for _, scheme := range []string{"light", "dark"} {
			if scheme == "dark" {
				p.Dark(t)
			} else {
				p.Light(t)
			}
			for _, page := range pages {
				p.Open(t, s.URL+"/admin/"+page.path)
				p.Until(t, slow, page.name+" is shown", `document.querySelector("h1")`)
				name := "admin-" + page.name + "-" + size.name + "-" + scheme
				noSideways(t, p, name)
				for _, slip := range violations(t, p, axe) {
					t.Errorf("%s: %s", name, slip)
				}
				p.Shot(t, name)
			}
		}
	}
	quiet(t, p)
}

// spoken lays down, notes and saves something about a comment and its author,
// and returns the pages that tell of it.
func spoken(t *testing.T, s *stage, id string) []deskPage {
	t.Helper()
	var of struct {
		Comment struct{ Author struct{ ID string } }
	}
	s.Admin(t, "GET", "comments/"+id, nil).JSON(t, &of)
	author := of.Comment.Author.ID
	for path, in := range map[string]map[string]any{
		"rules": {"comment": id, "effect": "ban", "reason": "Sells things, " + strings.Repeat("again and ", 20) + "again."}, "reply-templates": {"name": "Thanks", "text": "Thank you, {name}, for reading {post}!"},
		"notes?on=comment": {"comment": id, "text": "Wrote the same elsewhere.\n" + strings.Repeat("long", 60)}, "notes?on=author": {"site": "demo", "author": author, "text": "Met at the fair."},
	} {
		if got := s.Admin(t, "POST", path, in); got.Status != 201 {
			t.Fatalf("%s: %d %s", path, got.Status, got.Body)
		}
	}
	return []deskPage{{"author", "authors/" + author + "?site=demo"}, {"noted", "comments/" + id}, {"saved", "replies"}}
}

type deskPage struct{ name, path string }

// deskPages are the pages that are looked at.
var deskPages = []deskPage{
	{"queue", ""}, {"comments", "comments"}, {"spam", "spam"}, {"doubt", "spam?sort=doubt"}, {"comment", "comments/2"}, {"bulk", "bulk?queue=open"}, {"reports", "reports"}, {"rules", "rules"}, {"authors", "authors?site=demo"},
	{"posts", "posts?site=demo"}, {"sites", "sites"}, {"site", "sites/demo"}, {"views", "views"}, {"stats", "stats"}, {"happened", "happened"}, {"questions", "questions"}, {"people", "people"},
	{"settings", "settings"}, {"flags", "flags"}, {"webhooks", "webhooks"}, {"audit", "audit"},
}

// axeCore is the script that looks for what keeps people out.
func axeCore(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	install := exec.CommandContext(t.Context(), "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir, "axe-core@4.10.3")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("this test needs npm and its registry, for axe-core: %v\n%s", err, out)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// violations runs axe on the page and lists what it finds.
func violations(t *testing.T, p *apptest.Page, axe string) []string {
	t.Helper()
	apptest.Eval[bool](t, p, axe+`; axe.run().then(r => { window.axeFound = r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.target + " " + n.html.slice(0, 120) + " " + (n.any[0]?.message ?? ""))); }); true`)
	p.Until(t, slow, "axe has looked", `window.axeFound`)
	return apptest.Eval[[]string](t, p, `window.axeFound`)
}
