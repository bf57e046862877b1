package app

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/token"
)

// visible is a post and what was said on it; the test knows of each comment
// only its status and its parent, and works out by itself what readers see.
type visible struct {
	a    *App
	site postil.SiteID
	keys map[postil.CommentID]string // edit keys
	ids  []postil.CommentID
	took []postil.DecisionID
}

const visiblePost = "/posts/hello"

// Readers and moderators do anything in any order.
// Afterwards every public answer shows the same comments, and its number is
// theirs: all pages of the thread in every order, the counts, the newest
// comments, the feed and the page without scripts.
func TestWhatIsCountedIsWhatIsSeen_CACHE_01_CACHE_02_CACHE_04_CACHE_11(t *testing.T) {
	a := storeOnly(t)
	checks := flag.Lookup("rapid.checks")
	if old := checks.Value.String(); old == "100" { // the usual number; each check is a small life of a site
		if err := checks.Value.Set("25"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = checks.Value.Set(old) })
	}
	var sites atomic.Int64
	rapid.Check(t, func(rt *rapid.T) {
		v := &visible{a: a, site: postil.SiteID(fmt.Sprint("site-", sites.Add(1))), keys: map[postil.CommentID]string{}}
		if _, err := a.store.AddSite(t.Context(), postil.Site{ID: v.site, Policy: postil.HoldAll, Origins: []string{"https://blog.example"}}, theTester); err != nil {
			rt.Fatal(err)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"post": v.post, "post again": v.post, "decide": v.decide, "decide again": v.decide, "undo": v.undo,
			"edit": v.edit, "take back": v.takeBack, "react": v.react, "close": v.close, "": v.check,
		})
	})
}

var theTester = postil.By{Channel: postil.ByREST, Actor: "key:1", Name: "Test"}

// storeOnly is a service of which only the store runs.
func storeOnly(t *testing.T) *App {
	t.Helper()
	cfg := Config{Listen: "127.0.0.1:0", URL: "http://127.0.0.1:8080", Data: t.TempDir(), ClientIPHeader: "X-Forwarded-For", TelegramMode: "poll",
		Limits: "on", Clock: "system", LogLevel: "info", EditWindow: 15 * time.Minute, Secret: token.NewSecret("a secret of the test that is long enough")}
	a, err := New(t.Context(), slog.New(slog.DiscardHandler), cfg, Terminal{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stored := make(chan error, 1)
	go func() { stored <- a.store.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := cmp.Or(<-stored, a.Close()); err != nil {
			t.Error(err)
		}
	})
	return a
}

func (v *visible) some(rt *rapid.T) postil.CommentID {
	if len(v.ids) == 0 {
		rt.Skip("nothing was said yet")
	}
	return rapid.SampledFrom(v.ids).Draw(rt, "comment")
}

func (v *visible) post(rt *rapid.T) {
	s := postil.Submission{Site: v.site, Post: visiblePost, Name: "Ann", Text: fmt.Sprint("comment number ", len(v.ids)), Actor: "actor", Network: "network"}
	if len(v.ids) > 0 && rapid.Bool().Draw(rt, "answers") {
		s.ParentID = v.some(rt).String()
	}
	n, err := v.a.intake.Check(rt.Context(), s)
	if err != nil {
		rt.Fatal(err)
	}
	r, err := v.a.intake.Accept(rt.Context(), n)
	switch postil.KindOf(err) {
	case postil.Invalid, postil.Forbidden: // the parent is not public, or the post is closed
		return
	}
	if err != nil {
		rt.Fatal(err)
	}
	v.ids, v.keys[r.Comment.ID] = append(v.ids, r.Comment.ID), r.EditKey
}

func (v *visible) decide(rt *rapid.T) {
	verb := rapid.SampledFrom([]postil.Verb{postil.Approve, postil.Approve, postil.Approve, postil.Reject, postil.MarkSpam, postil.Delete, postil.Restore}).Draw(rt, "verb")
	batch := ""
	for range rapid.IntRange(1, 3).Draw(rt, "at once") {
		out, err := v.a.door.Decide(rt.Context(), postil.DecisionRequest{Comment: v.some(rt), Verb: verb, By: theTester, Batch: batch})
		if err != nil {
			rt.Fatal(err)
		}
		if out.Changed {
			v.took = append(v.took, out.Decision.ID)
		}
	}
}

func (v *visible) undo(rt *rapid.T) {
	if len(v.took) == 0 {
		rt.Skip("nothing was decided yet")
	}
	id := rapid.SampledFrom(v.took).Draw(rt, "decision")
	out, err := v.a.door.Undo(rt.Context(), id, theTester, "")
	if err != nil && postil.KindOf(err) != postil.Conflict {
		rt.Fatal(err)
	}
	if err == nil && out.Changed {
		v.took = append(v.took, out.Decision.ID)
	}
}

func (v *visible) edit(rt *rapid.T) {
	id := v.some(rt)
	_, _, err := v.a.intake.Edit(rt.Context(), v.site, id, v.keys[id], rapid.SampledFrom([]string{"another text", "a third text"}).Draw(rt, "text"))
	if err != nil && postil.KindOf(err) != postil.Forbidden {
		rt.Fatal(err)
	}
}

func (v *visible) takeBack(rt *rapid.T) {
	id := v.some(rt)
	if _, _, err := v.a.intake.Remove(rt.Context(), v.site, id, v.keys[id]); err != nil && postil.KindOf(err) != postil.Forbidden {
		rt.Fatal(err)
	}
}

func (v *visible) react(rt *rapid.T) {
	device := rapid.SampledFrom([]string{"device-of-ann-0001", "device-of-bob-0002", ""}).Draw(rt, "device")
	if _, err := v.a.intake.React(rt.Context(), v.site, v.some(rt), "👍", device, "actor", rapid.Bool().Draw(rt, "on")); err != nil && postil.KindOf(err) != postil.NotFound {
		rt.Fatal(err)
	}
}

func (v *visible) close(rt *rapid.T) {
	closed, title := rapid.IntRange(0, 3).Draw(rt, "closed") == 0, "A day"
	if _, err := v.a.store.SetPost(rt.Context(), v.site, visiblePost, postil.PostChange{Closed: &closed, Title: &title}, theTester); err != nil {
		rt.Fatal(err)
	}
}

// expected works out what readers see: what is approved and reached through
// comments that are, or were when they were deleted.
func (v *visible) expected(rt *rapid.T) []string {
	all, err := v.a.store.Comments(rt.Context(), v.ids)
	if err != nil {
		rt.Fatal(err)
	}
	byID := map[postil.CommentID]postil.Comment{}
	for _, c := range all {
		byID[c.ID] = c
	}
	seen := []string{}
	for _, c := range all {
		reached := c.Status == postil.Approved
		for up := c.Parent; up != 0 && reached; up = byID[up].Parent {
			p := byID[up]
			reached = p.Status == postil.Approved || p.Status == postil.Deleted && p.Before == postil.Approved
		}
		if reached {
			seen = append(seen, c.ID.String())
		}
	}
	slices.Sort(seen)
	return seen
}

// threadBody is what a page of a thread says.
type threadBody struct {
	Count    int
	Next     string `json:"next_cursor"`
	Prev     string `json:"prev_cursor"`
	Comments []struct {
		ID      string
		Deleted bool
	}
}

func (b threadBody) shown() (ids []string) {
	for _, c := range b.Comments {
		if !c.Deleted {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func (v *visible) load(rt *rapid.T, view postil.View) []byte {
	view.Site = v.site
	fresh, err := v.a.load(rt.Context(), view)
	if err != nil {
		rt.Fatalf("%+v: %v", view, err)
	}
	return fresh.Body
}

func (v *visible) page(rt *rapid.T, view postil.View) (b threadBody) {
	view.Kind, view.Post = postil.ThreadView, visiblePost
	if err := json.Unmarshal(v.load(rt, view), &b); err != nil {
		rt.Fatal(err)
	}
	return b
}

func (v *visible) check(rt *rapid.T) {
	want := v.expected(rt)
	same := func(what string, got []string) {
		rt.Helper()
		slices.Sort(got)
		if !slices.Equal(got, want) {
			rt.Fatalf("%s shows %v, not %v", what, got, want)
		}
	}
	for _, sort := range []postil.Sort{postil.Oldest, postil.Newest, postil.Top} {
		var got []string
		view := postil.View{Sort: sort, Limit: 2}
		for {
			b := v.page(rt, view)
			if got = append(got, b.shown()...); b.Count != len(want) {
				rt.Fatalf("the thread counts %d, not %d", b.Count, len(want))
			}
			if view.Cursor = b.Next; view.Cursor == "" {
				break
			}
		}
		same("the thread, by "+string(sort), got)
		for _, id := range want[:min(len(want), 2)] {
			n, _ := strconv.ParseInt(id, 10, 64)
			if b := v.page(rt, postil.View{Sort: sort, Limit: 1, Focus: postil.CommentID(n)}); !slices.Contains(b.shown(), id) {
				rt.Fatalf("the page of %s by %s shows %v", id, sort, b.shown())
			}
		}
	}
	var counts struct{ Counts map[string]int }
	if err := json.Unmarshal(v.load(rt, postil.View{Kind: postil.CountsView, Posts: visiblePost}), &counts); err != nil || counts.Counts[visiblePost] != len(want) {
		rt.Fatalf("the counts are %v, not %d (%v)", counts.Counts, len(want), err)
	}
	var recent threadBody
	if err := json.Unmarshal(v.load(rt, postil.View{Kind: postil.RecentView, Limit: 1000}), &recent); err != nil {
		rt.Fatal(err)
	}
	same("the list of the newest", recent.shown())
	if len(want) <= 40 { // a feed holds the newest fifty
		same("the feed", named(feedEntry, v.load(rt, postil.View{Kind: postil.FeedView, Post: visiblePost})))
	}
	page := v.load(rt, postil.View{Kind: postil.PageView, Post: visiblePost, Sort: postil.Oldest, Limit: postil.MaxPageRoots})
	same("the page without scripts", named(pageComment, page))
}

var (
	feedEntry   = regexp.MustCompile(`href="[^"]*#postil-(\d+)"`)
	pageComment = regexp.MustCompile(`<article class="postil-comment" id="postil-(\d+)">`)
)

// named returns the ids that a document has, each once.
func named(id *regexp.Regexp, document []byte) []string {
	got := []string{}
	for _, m := range id.FindAllSubmatch(document, -1) {
		if !slices.Contains(got, string(m[1])) {
			got = append(got, string(m[1]))
		}
	}
	return got
}
