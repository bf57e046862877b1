package store

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/postil/postil/internal/postil"
)

// setting returns a store whose clock the test moves.
func setting(t testing.TB) (*Store, *time.Time) {
	now := time.UnixMilli(1_700_000_000_000).UTC()
	return open(t, Options{Now: func(context.Context) time.Time { return now }}), &now
}

func request(text string) postil.NewComment {
	return postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/p"}, Text: text, HTML: "<p>" + text + "</p>", Nonce: "n", Author: postil.Author{Name: "Ann"}}
}

func add(t testing.TB, s *Store, n postil.NewComment) postil.Stored {
	t.Helper()
	out, err := s.AddComment(ctx, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func total(t testing.TB, s *Store, table string) int {
	t.Helper()
	n, _, err := one(ctx, s, column[int], "SELECT count(*) FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAnIdempotencyKeyGivesTheSameAnswerForADay(t *testing.T) {
	t.Parallel()
	s, now := setting(t)
	n := request("hello")
	n.Replay = postil.Replay{Key: "k", Body: "b"}
	first := add(t, s, n)
	if first.Replayed {
		t.Fatal("the first request is called a replay")
	}
	for range 3 {
		if again := add(t, s, n); !again.Replayed || again.Comment.ID != first.Comment.ID {
			t.Fatalf("again: %+v", again)
		}
	}
	other := n
	other.Replay.Body, other.Text = "other", "other"
	if _, err := s.AddComment(ctx, other, nil); postil.KindOf(err) != postil.Conflict || !strings.Contains(err.Error(), "new key") {
		t.Errorf("another body: %v", err)
	}
	if total(t, s, "comments") != 1 || total(t, s, "outbox WHERE kind <> 'config.changed'") != 1 {
		t.Error("a replay stored something")
	}
	*now = now.Add(24*time.Hour - time.Millisecond)
	if again := add(t, s, n); !again.Replayed {
		t.Error("the key was forgotten within the day")
	}
	*now = now.Add(2 * time.Millisecond)
	if later := add(t, s, n); later.Replayed || later.Comment.ID == first.Comment.ID {
		t.Error("the key is good for more than a day")
	}
}

func TestMOD_10_TheSameTextFromTheSameHandWithinTenMinutesIsRecognised(t *testing.T) {
	t.Parallel()
	s, now := setting(t)
	n := request("hello")
	n.Replay = postil.Replay{Twin: "ann-p-hello"}
	first := add(t, s, n)
	*now = now.Add(10*time.Minute - time.Millisecond)
	keyed := n
	keyed.Replay.Key, keyed.Replay.Body = "k", "b"
	if again := add(t, s, keyed); !again.Replayed || again.Comment.ID != first.Comment.ID {
		t.Fatalf("within ten minutes: %+v", again)
	}
	if total(t, s, "comments") != 1 || total(t, s, "outbox WHERE kind <> 'config.changed'") != 1 {
		t.Error("it was queued twice")
	}
	*now = now.Add(time.Hour)
	if again := add(t, s, keyed); !again.Replayed {
		t.Error("the key that named a twin is not known any more")
	}
	if later := add(t, s, n); later.Replayed {
		t.Error("an hour later it is still no new comment")
	}
}

func TestWhatItsAuthorDeletedCanBeSaidAgainAtOnce(t *testing.T) {
	t.Parallel()
	s, _ := setting(t)
	n := request("hello")
	n.Replay = postil.Replay{Twin: "ann-p-hello"}
	first := add(t, s, n)
	to(t, s, first.Comment.ID, postil.Deleted)
	if again := add(t, s, n); again.Replayed || again.Comment.ID == first.Comment.ID {
		t.Errorf("again: %+v", again)
	}
}

func TestAFormTokenIsGoodOnceAndItsSecondUseIsNoRefusal(t *testing.T) {
	t.Parallel()
	s, now := setting(t)
	n := request("one")
	n.Form, n.FormKey = postil.FormState{Token: "ok", Filled: 5 * time.Second}, "form"
	if first := add(t, s, n); first.Comment.FormState != n.Form {
		t.Errorf("stored %+v", first.Comment.FormState)
	}
	n.Text = "two"
	if second := add(t, s, n); second.Comment.FormState.Token != "reused" {
		t.Errorf("the second use is %+v", second.Comment.FormState)
	}
	*now = now.Add(26 * time.Hour)
	if err := s.Sweep(ctx); err != nil || total(t, s, "form_uses") != 0 {
		t.Errorf("used tokens are kept for ever: %v", err)
	}
}

func TestTHR_02_AParentThatCannotBeAnsweredIsRefusedAndNothingIsStored(t *testing.T) {
	t.Parallel()
	s, _ := setting(t)
	if _, err := s.AddSite(ctx, postil.Site{ID: "other", Policy: postil.HoldAll}, somebody); err != nil {
		t.Fatal(err)
	}
	elsewhere := func(site postil.SiteID, post postil.PostID) postil.CommentID {
		n := request("elsewhere")
		n.Site, n.Post.ID = site, post
		c := add(t, s, n).Comment
		to(t, s, c.ID, postil.Approved)
		return c.ID
	}
	waiting := say(t, s, "waiting", 0).ID
	deleted := approved(t, s, "deleted", 0).ID
	to(t, s, deleted, postil.Deleted)
	tombstone := approved(t, s, "tombstone", 0).ID
	under := approved(t, s, "under it", tombstone).ID
	to(t, s, tombstone, postil.Deleted)
	deep := approved(t, s, "0", 0).ID
	for i := range postil.MaxDepth {
		deep = approved(t, s, fmt.Sprint(i+1), deep).ID
	}
	before := [3]int{total(t, s, "comments"), total(t, s, "posts"), total(t, s, "outbox")}
	for name, parent := range map[string]postil.CommentID{
		"another page": elsewhere("blog", "/q"), "the same page of another site": elsewhere("other", "/p"), "unknown": 999_999,
		"pending": waiting, "deleted": deleted, "a tombstone": tombstone, "too deep": deep,
	} {
		n := request("reply to " + name)
		n.Parent, n.Replay, n.FormKey = parent, postil.Replay{Key: name, Body: "b"}, name
		n.Post.ID = "/p"
		_, err := s.AddComment(ctx, n, nil)
		if e, ok := err.(*postil.Error); !ok || e.Kind != postil.Invalid || e.Field != "parent_id" {
			t.Errorf("%s: %v", name, err)
		}
		n.Post.ID = "/a page that nobody has commented on"
		if _, err := s.AddComment(ctx, n, nil); postil.KindOf(err) != postil.Invalid {
			t.Errorf("%s, on a new page: %v", name, err)
		}
	}
	before[0], before[1], before[2] = before[0]+2, before[1]+2, before[2]+4 // what elsewhere stored
	if after := [3]int{total(t, s, "comments"), total(t, s, "posts"), total(t, s, "outbox")}; after != before || total(t, s, "form_uses")+total(t, s, "replays") != 0 {
		t.Errorf("comments, posts, events: %v became %v", before, after)
	}
	if reply := approved(t, s, "below a tombstone's reply", under); reply.Depth != 2 {
		t.Errorf("depth %d", reply.Depth)
	}
}

func TestAClosedPostAndALockedSiteTakeWordsOfTheirAuthorOnly(t *testing.T) {
	t.Parallel()
	s, _ := setting(t)
	shut := true
	if _, err := s.SetPost(ctx, "blog", "/p", postil.PostChange{Closed: &shut}, somebody); err != nil {
		t.Fatal(err)
	}
	refused := func(slug string, n postil.NewComment) {
		t.Helper()
		_, err := s.AddComment(ctx, n, nil)
		if e, ok := err.(*postil.Error); !ok || e.Kind != postil.Forbidden || e.Slug != slug {
			t.Errorf("want %s: %v", slug, err)
		}
		n.Trusted = true
		if _, err := s.AddComment(ctx, n, nil); err != nil {
			t.Errorf("the blog's author: %v", err)
		}
	}
	refused("post-closed", request("on a closed page"))
	if _, err := s.SetSite(ctx, "blog", somebody, func(v *postil.Site) error { v.Lockdown = true; return nil }); err != nil {
		t.Fatal(err)
	}
	n := request("in lockdown")
	n.Post.ID = "/q"
	refused("lockdown", n)
	n.Site = "nowhere"
	if _, err := s.AddComment(ctx, n, nil); postil.KindOf(err) != postil.NotFound {
		t.Errorf("an unknown site: %v", err)
	}
	if _, err := s.SetPost(ctx, "nowhere", "/p", postil.PostChange{Closed: &shut}, somebody); postil.KindOf(err) != postil.NotFound {
		t.Errorf("a post of an unknown site: %v", err)
	}
}

func TestURL_11_AVisitorsTitleFillsABlankAndReplacesNothing(t *testing.T) {
	t.Parallel()
	s, _ := setting(t)
	say := func(title, url string, trusted bool) postil.Post {
		n := request(title + url + fmt.Sprint(trusted))
		n.Post.Title, n.Post.URL, n.Trusted = title, url, trusted
		if c := add(t, s, n).Comment; !trusted {
			to(t, s, c.ID, postil.Approved)
		}
		p, err := s.Post(ctx, "blog", "/p")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	want := func(step string, p postil.Post, title, url, by string) {
		t.Helper()
		if p.Title != title || p.URL != url || p.TitledBy != by {
			t.Errorf("%s: %q %q by %s", step, p.Title, p.URL, p.TitledBy)
		}
	}
	want("nothing said", say("", "", false), "", "", "visitor")
	want("the author says nothing", say("", "", true), "", "", "visitor")
	want("a blank is filled", say("Free <b>pills</b>", "", false), "Free <b>pills</b>", "", "visitor")
	want("the other blank, too", say("Mine", "https://blog.example/p", false), "Free <b>pills</b>", "https://blog.example/p", "visitor")
	want("nothing is replaced", say("Mine", "https://blog.example/x", false), "Free <b>pills</b>", "https://blog.example/p", "visitor")
	want("but by the author", say("A day", "", true), "A day", "https://blog.example/p", "admin")
	want("whose word stays", say("Mine", "https://blog.example/x", false), "A day", "https://blog.example/p", "admin")
	title := "Set by an admin"
	p, err := s.SetPost(ctx, "blog", "/p", postil.PostChange{Title: &title}, somebody)
	if err != nil {
		t.Fatal(err)
	}
	want("an admin", p, title, "https://blog.example/p", "admin")
	want("whose word stays as well", say("Again", "https://blog.example/y", true), title, "https://blog.example/p", "admin")
}

func TestURL_11_AVisitorsTitleIsPublicNoSoonerThanAComment(t *testing.T) {
	t.Parallel()
	s, _ := setting(t)
	say := func(title, url string) postil.CommentID {
		n := request(title + url)
		n.Post.Title, n.Post.URL = title, url
		return add(t, s, n).Comment.ID
	}
	want := func(step, title, url string) {
		t.Helper()
		if p := page(t, s, postil.ThreadQuery{Site: "blog", Post: "/p"}).Post; p.Title != title || p.URL != url {
			t.Errorf("%s: readers see %q %q", step, p.Title, p.URL)
		}
	}
	id := say("Buy pills", "https://blog.example/p?buy=pills")
	want("the comment is pending", "", "")
	to(t, s, id, postil.Spam)
	want("it is spam", "", "")
	to(t, s, id, postil.Approved)
	want("it is public", "Buy pills", "https://blog.example/p?buy=pills")
	to(t, s, id, postil.Deleted)
	want("it was removed", "", "")
	title := "A day"
	if _, err := s.SetPost(ctx, "blog", "/p", postil.PostChange{Title: &title}, somebody); err != nil {
		t.Fatal(err)
	}
	want("an admin has set it", "A day", "https://blog.example/p?buy=pills")
}

func TestURL_11_AVisitorsTitleFillsNoBlankThatReadersSee(t *testing.T) {
	t.Parallel()
	s, _ := setting(t)
	to(t, s, add(t, s, request("without a title")).Comment.ID, postil.Approved)
	n := request("with one")
	n.Post.Title, n.Post.URL = "Buy pills", "https://blog.example/p?buy=pills"
	add(t, s, n)
	if p := page(t, s, postil.ThreadQuery{Site: "blog", Post: "/p"}).Post; p.Title != "" || p.URL != "" {
		t.Errorf("readers see %q %q of a pending comment", p.Title, p.URL)
	}
}

func TestURL_11_TheTitleOfSpamIsNobodysButItsOwn(t *testing.T) {
	t.Parallel()
	s, _ := setting(t)
	say := func(title string) postil.CommentID {
		n := request(title)
		n.Post.Title, n.Post.URL = title, "https://blog.example/p?from="+title
		return add(t, s, n).Comment.ID
	}
	want := func(step, title string) {
		t.Helper()
		if p := page(t, s, postil.ThreadQuery{Site: "blog", Post: "/p"}).Post; p.Title != title || title != "" && p.URL != "https://blog.example/p?from="+title {
			t.Errorf("%s: readers see %q %q", step, p.Title, p.URL)
		}
	}
	pills, hello, other := say("pills"), say("hello"), say("other")
	to(t, s, pills, postil.Spam)
	want("only spam was decided about", "")
	if d, err := s.Detail(ctx, hello); err != nil || d.Post.Title != "hello" {
		t.Errorf("moderators see %q beside it (%v)", d.Post.Title, err)
	}
	to(t, s, hello, postil.Approved)
	want("an honest comment is public", "hello")
	to(t, s, other, postil.Approved)
	want("and another", "hello")
	to(t, s, hello, postil.Rejected)
	want("the first was taken back", "hello")
	to(t, s, other, postil.Rejected)
	want("and the other", "")
	to(t, s, other, postil.Approved)
	want("the other is public alone", "other")
}

func TestCACHE_10_TwentyFirstCommentsAtOnceMakeOnePage(t *testing.T) {
	t.Parallel()
	s, _ := setting(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			n := request(fmt.Sprint("first ", i))
			n.Post = postil.PostRef{ID: "/new", Title: fmt.Sprint("Title ", i)}
			if _, err := s.AddComment(ctx, n, nil); err != nil {
				t.Error(err)
			}
			if _, err := s.ThreadPage(ctx, postil.ThreadQuery{Site: "blog", Post: "/new", Sort: postil.Oldest, Limit: 5}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if posts, comments := total(t, s, "posts"), total(t, s, "comments"); posts != 1 || comments != 20 {
		t.Errorf("%d pages with %d comments", posts, comments)
	}
}

func TestUNI_04_UNI_05_TextsComeBackByteForByte(t *testing.T) {
	t.Parallel()
	s, _ := setting(t)
	for _, text := range []string{"ok 🐘 after", "朵朵🌸", "🇩🇪 👨‍👩‍👧‍👦", "a\x00b", "a\r\nb\tc\n", " leading and trailing \n", "e\u0301 \u00e9 \u202e", "'; DROP TABLE comments; --", "?1 :a @b $c", strings.Repeat("🐘", 8000)} {
		n := request(text)
		n.Author = postil.Author{Name: text, Website: text, Email: text}
		n.Post = postil.PostRef{ID: postil.PostID("/" + text), Title: text}
		c := add(t, s, n).Comment
		read, err := s.Comment(ctx, c.ID)
		if err != nil || read.Text != text || read.HTML != n.HTML || read.Author != n.Author || read.Post != n.Post.ID {
			t.Errorf("%.40q came back as %.40q, %v", text, read.Text, err)
		}
		to(t, s, c.ID, postil.Approved)
		if p, err := s.Post(ctx, "blog", n.Post.ID); err != nil || p.Title != text {
			t.Errorf("the title %.40q came back as %.40q, %v", text, p.Title, err)
		}
		if l := page(t, s, postil.ThreadQuery{Site: "blog", Post: n.Post.ID}); len(l.Comments) != 1 || l.Comments[0].HTML != n.HTML {
			t.Errorf("listed as %.80v", l.Comments)
		}
		events, err := s.PendingEvents(ctx, 0, 1000)
		if err != nil || events[len(events)-1].Post != n.Post.ID {
			t.Errorf("an event carries %.40q, %v", events[len(events)-1].Post, err)
		}
	}
}

func TestWhatAddCommentReturnsIsWhatIsStored(t *testing.T) {
	t.Parallel()
	s, _ := setting(t)
	parent := approved(t, s, "above", 0).ID
	n := request("below")
	n.Parent = parent
	n.Author = postil.Author{Name: "Bea", Email: "bea@example.org", Website: "https://bea.example/", Badge: "author"}
	n.Origin = postil.Origin{Actor: "a", Network: "n", Device: "d", UserAgent: "u"}
	n.Form, n.FormKey = postil.FormState{Token: "ok", Filled: time.Minute, Trap: true}, "f"
	for _, n := range []postil.NewComment{request("a root"), n} {
		out := add(t, s, n)
		c, err := s.Comment(ctx, out.Comment.ID)
		if diff := cmp.Diff(c, out.Comment, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("stored (-), returned (+), %v: %s", err, diff)
		}
		if p, err := s.Post(ctx, c.Site, c.Post); err != nil || p.Version != out.Version {
			t.Errorf("version %d is returned, %d stored (%v)", out.Version, p.Version, err)
		}
	}
}
