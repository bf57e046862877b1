package intake

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/storetest"
	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
	"github.com/postil/postil/internal/token"
)

var (
	ctx   = context.Background()
	quiet = slog.New(slog.NewTextHandler(io.Discard, nil))
	mo    = postil.By{Channel: postil.ByTelegram, Actor: "moderator:1", Name: "Mo"}
)

const window = 15 * time.Minute

// desk is a real store and a real door with the intake before them.
type desk struct {
	testing.TB
	*Intake
	store *store.Store
	door  *moderation.Door
	keys  *token.Keys
	clock time.Time
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	d := &desk{TB: t, clock: time.UnixMilli(1_700_000_000_000).UTC(), keys: token.NewKeys(token.NewSecret(strings.Repeat("s", 64)))}
	now := func(context.Context) time.Time { return d.clock }
	s, err := store.Open(ctx, quiet, storetest.Path(t), store.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- s.Run(running) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, id := range []postil.SiteID{"blog", "other"} {
		if _, err := s.AddSite(ctx, postil.Site{ID: id, Policy: postil.HoldAll, MaxLinks: 2, Origins: []string{"https://" + string(id) + ".example"}}, mo); err != nil {
			t.Fatal(err)
		}
	}
	d.store, d.door = s, moderation.NewDoor(s, window, now)
	d.Intake = New(s, d.door, NewDirectory(s), d.keys, now, window, nil)
	return d
}

func submission(text string) postil.Submission {
	return postil.Submission{Site: "blog", Post: "/p", Name: "Ann", Text: text, Actor: "actor", Network: "network", Device: "ann-has-this-device"}
}

func (d *desk) send(s postil.Submission) postil.Receipt {
	d.Helper()
	n, err := d.Check(ctx, s)
	if err != nil {
		d.Fatal(err)
	}
	r, err := d.Accept(ctx, n)
	if err != nil {
		d.Fatal(err)
	}
	return r
}

func (d *desk) decide(id postil.CommentID, verb postil.Verb) {
	d.Helper()
	if _, err := d.door.Decide(ctx, postil.DecisionRequest{Comment: id, Verb: verb, By: mo}); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) stored() int {
	d.Helper()
	p, err := d.store.ListComments(ctx, postil.CommentFilter{Limit: 200})
	if err != nil {
		d.Fatal(err)
	}
	return len(p.Comments)
}

func TestEveryMemberIsCheckedAndNamedAndNothingIsStored(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for field, change := range map[string]func(*postil.Submission){
		"text":           func(s *postil.Submission) { s.Text = " \n\u200b" },
		"text ":          func(s *postil.Submission) { s.Text = strings.Repeat("x", postil.MaxText+1) },
		"text  ":         func(s *postil.Submission) { s.Text = strings.Repeat("x", 1<<20) },
		"author.name":    func(s *postil.Submission) { s.Name = "\u202e\u200b" },
		"author.email":   func(s *postil.Submission) { s.Email = "not an address" },
		"author.website": func(s *postil.Submission) { s.Website = "javascript:alert(1)" },
		"post":           func(s *postil.Submission) { s.Post = "https://evil.example/p" },
		"post ":          func(s *postil.Submission) { s.Post = "https://other.example/p" },
		"url":            func(s *postil.Submission) { s.URL = "https://evil.example/" },
		"url ":           func(s *postil.Submission) { s.URL = "javascript:alert(1)//blog.example" },
		"parent_id":      func(s *postil.Submission) { s.ParentID = "one" },
		"parent_id ":     func(s *postil.Submission) { s.ParentID = "01" },
		"parent_id  ":    func(s *postil.Submission) { s.ParentID = "-1" },
		"device":         func(s *postil.Submission) { s.Device = "short" },
	} {
		s := submission("fine")
		change(&s)
		_, err := d.Check(ctx, s)
		if e, ok := err.(*postil.Error); !ok || e.Kind != postil.Invalid || e.Field != strings.TrimSpace(field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	s := submission("fine")
	s.Site = "nowhere"
	if _, err := d.Check(ctx, s); postil.KindOf(err) != postil.NotFound {
		t.Errorf("an unknown site: %v", err)
	}
	if d.stored() != 0 {
		t.Error("something was stored")
	}
}

func TestUNI_04_UNI_05_WhatWasTypedIsWhatIsStored(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := submission("ok 🐘 after, a\x00b\x07\r\n 🇩🇪 👨‍👩‍👧 end ")
	s.Name, s.Title = "朵朵\x00🌸", "a\x00b"
	r := d.send(s)
	c, err := d.store.Comment(ctx, r.Comment.ID)
	if err != nil || c.Text != "ok 🐘 after, ab\r\n 🇩🇪 👨‍👩‍👧 end " || c.Author.Name != "朵朵🌸" {
		t.Errorf("stored %q by %q, %v", c.Text, c.Author.Name, err)
	}
	if c.Page.Title != "ab" {
		t.Errorf("the title is %q", c.Page.Title)
	}
}

func TestURL_11_AVisitorsWordForThePageIsPlainTextOnTheSitesOwnHost(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := submission("first")
	s.Title, s.URL = "Free <b>pills</b>\x07\n"+strings.Repeat("x", 400), "https://blog.example/p"
	p := d.send(s).Comment.Page
	if !strings.HasPrefix(p.Title, "Free <b>pills</b> xxx") || len([]rune(p.Title)) != postil.MaxTitle || p.URL != s.URL {
		t.Errorf("%+v", p)
	}
	for _, preview := range []string{"http://localhost:3000/p", "file:///p.html"} {
		s := submission("from " + preview)
		s.Post, s.URL = "/preview", preview
		if n, err := d.Check(ctx, s); err == nil && n.Post.URL != "" {
			t.Errorf("%s becomes the address of a page", preview)
		}
	}
}

func TestAPreviewIsWhatWillBeStored(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, text := range []string{"*hi* https://a.example", "<script>alert(1)</script>", "a\x00b", "1 < 2 & 3", "```\ncode\n```", "[]()"} {
		html, _, err := d.Preview(ctx, "blog", text)
		if r := d.send(submission(text)); err != nil || r.Comment.HTML != html {
			t.Errorf("%q: %v\npreview %s\nstored  %s", text, err, html, r.Comment.HTML)
		}
	}
	if _, _, err := d.Preview(ctx, "blog", " "); postil.KindOf(err) != postil.Invalid {
		t.Errorf("an empty text: %v", err)
	}
	if _, _, err := d.Preview(ctx, "nowhere", "x"); postil.KindOf(err) != postil.NotFound {
		t.Errorf("an unknown site: %v", err)
	}
}

func TestAnIdempotencyKeyHoldsOverMidnightAndOnTheWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		device string
		later  func(*postil.Submission)
		same   bool
	}{
		"the next day, when the actor is another": {"", func(s *postil.Submission) { s.Actor = "actor of the next day" }, true},
		"on the same device in another network":   {"the-device-of-the-author", func(s *postil.Submission) { s.Actor, s.Network = "moved", "moved" }, true},
		"by somebody in another network":          {"", func(s *postil.Submission) { s.Actor, s.Network = "stranger", "elsewhere" }, false},
		"by somebody else's device":               {"the-device-of-the-author", func(s *postil.Submission) { s.Device = "somebody-elses-device" }, false},
	} {
		d := newDesk(t)
		s := submission("hello")
		s.Device, s.Network, s.IdempotencyKey, s.BodyHash = c.device, "network", "k", "h"
		first := d.send(s)
		d.clock = d.clock.Add(12 * time.Hour) // no twin any more
		c.later(&s)
		if again := d.send(s); again.Replayed != c.same || (again.EditKey == first.EditKey) != c.same {
			t.Errorf("%s: replayed is %v", name, again.Replayed)
		}
	}
}

func TestMOD_10_ARequestThatWasSentTwiceIsStoredOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := d.send(submission("hello"))
	for name, change := range map[string]func(*postil.Submission){
		"the same": func(*postil.Submission) {}, "with a key": func(s *postil.Submission) { s.IdempotencyKey, s.BodyHash = "k", "h" },
		"with the key again": func(s *postil.Submission) { s.IdempotencyKey, s.BodyHash = "k", "h" }, "from another address": func(s *postil.Submission) { s.Actor = "moved" },
		"with control characters": func(s *postil.Submission) { s.Text = "hel\x07lo" }, "by the page's address": func(s *postil.Submission) { s.Post = "https://blog.example/p?utm_source=x#c" },
	} {
		s := submission("hello")
		change(&s)
		if again := d.send(s); !again.Replayed || again.Comment.ID != first.Comment.ID || again.EditKey != first.EditKey || again.EditableUntil != first.EditableUntil {
			t.Errorf("%s: %+v", name, again)
		}
	}
	for name, change := range map[string]func(*postil.Submission){
		"another text": func(s *postil.Submission) { s.Text = "hello!" }, "another page": func(s *postil.Submission) { s.Post = "/q" },
		"another device": func(s *postil.Submission) { s.Device = "somebody-elses-device" }, "another site": func(s *postil.Submission) { s.Site = "other" },
		"no device": func(s *postil.Submission) { s.Device = "" },
	} {
		s := submission("hello")
		change(&s)
		if other := d.send(s); other.Replayed || other.EditKey == first.EditKey {
			t.Errorf("%s counts as the same", name)
		}
	}
	if d.stored() != 6 {
		t.Errorf("%d comments are stored", d.stored())
	}
}

func TestMOD_10_AuthorsSeeTheirOwnAndSpamLooksPending(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var keys []string
	for status, verb := range map[string]postil.Verb{"pending": "", "approved": postil.Approve, "rejected": postil.Reject, "spam": postil.MarkSpam, "deleted": postil.Delete} {
		r := d.send(submission("this will be " + status))
		if verb != "" {
			d.decide(r.Comment.ID, verb)
		}
		keys = append(keys, r.EditKey)
	}
	s := submission("elsewhere")
	s.Site = "other"
	elsewhere := d.send(s)
	own, err := d.Own(ctx, "blog", append(append(keys, elsewhere.EditKey, "", "nonsense", "1.forged", keys[0]), keys...))
	if err != nil || len(own) != len(keys) {
		t.Fatalf("%d of %d, %v", len(own), len(keys), err)
	}
	for i, o := range own {
		want := postil.Status(strings.TrimPrefix(o.Comment.Text, "this will be "))
		if want == postil.Spam {
			want = postil.Pending
		}
		if o.Shown != want || d.keys.EditKey(o.Comment.ID, o.Comment.Nonce) != keys[i] || o.EditableUntil != d.clock.Add(window) {
			t.Errorf("%q is shown as %s", o.Comment.Text, o.Shown)
		}
	}
	if there, err := d.Own(ctx, "other", []string{elsewhere.EditKey, keys[0]}); err != nil || len(there) != 1 {
		t.Errorf("on the other site: %d, %v", len(there), err)
	}
	if _, err := d.Own(ctx, "blog", make([]string, MaxOwnKeys+1)); postil.KindOf(err) != postil.Invalid {
		t.Errorf("too many keys: %v", err)
	}
	if _, err := d.Own(ctx, "nowhere", keys); postil.KindOf(err) != postil.NotFound {
		t.Errorf("an unknown site: %v", err)
	}
}

func TestMOD_05_AnEditRunsTheChecksOfANewComment(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r := d.send(submission("harmless"))
	d.decide(r.Comment.ID, postil.Approve)
	for _, text := range []string{"", " \u200b\n", strings.Repeat("x", 1<<20), strings.Repeat("x", postil.MaxText+1)} {
		if _, _, err := d.Edit(ctx, "blog", r.Comment.ID, r.EditKey, text); postil.KindOf(err) != postil.Invalid {
			t.Errorf("an edit to %.20q: %v", text, err)
		}
	}
	own, version, err := d.Edit(ctx, "blog", r.Comment.ID, r.EditKey, "now <b>with</b>\x00 markup")
	if err != nil || own.Comment.Text != "now <b>with</b> markup" || own.Comment.HTML != markup.Render(own.Comment.Text) || own.Shown != postil.Approved || version != 1 {
		t.Errorf("%+v, version %d, %v", own, version, err)
	}
	if c, err := d.store.Comment(ctx, r.Comment.ID); err != nil || c.Text != "harmless" || c.Draft == nil {
		t.Errorf("public is %q, %v", c.Text, err)
	}
}

func TestAWrongKeyAndAnUnknownCommentAreOneAnswer(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	mine, hers := d.send(submission("mine")), d.send(submission("hers"))
	want := ""
	for _, try := range []struct {
		site postil.SiteID
		id   postil.CommentID
		key  string
	}{{"blog", mine.Comment.ID, hers.EditKey}, {"blog", mine.Comment.ID, ""}, {"blog", 999, mine.EditKey}, {"other", mine.Comment.ID, mine.EditKey}, {"nowhere", mine.Comment.ID, mine.EditKey}} {
		_, _, edited := d.Edit(ctx, try.site, try.id, try.key, "changed")
		_, _, removed := d.Remove(ctx, try.site, try.id, try.key)
		for _, err := range []error{edited, removed} {
			if want == "" {
				want = fmt.Sprint(err)
			}
			if postil.KindOf(err) != postil.Forbidden || err.Error() != want {
				t.Errorf("%+v: %v", try, err)
			}
		}
	}
	for range 2 {
		own, _, err := d.Remove(ctx, "blog", mine.Comment.ID, mine.EditKey)
		if err != nil || own.Shown != postil.Deleted {
			t.Errorf("%+v, %v", own, err)
		}
	}
}

func TestAFormTellsAboutItsPostAndItsTokenIsBoundToIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	f, err := d.Form(ctx, postil.FormRequest{Site: "blog", Post: "https://blog.example/p/"})
	if err != nil || f.Token == "" || f.Trap == "" || f.Closed || f.Lockdown {
		t.Fatalf("%+v, %v", f, err)
	}
	d.clock = d.clock.Add(5 * time.Second)
	state := func(text, post, tok, trap string) postil.FormState {
		s := submission(text)
		s.Post, s.Token, s.Trap = post, tok, trap
		return d.send(s).Comment.FormState
	}
	for name, got := range map[string]postil.FormState{
		"ok": state("1", "/p", f.Token, ""), "reused": state("2", "/p", f.Token, ""), "foreign": state("3", "/q", f.Token, ""), "missing": state("4", "/p", "", ""),
	} {
		if got.Token != name || got.Trap || name == "ok" && got.Filled != 5*time.Second {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := state("5", "/p", f.Token, "filled"); !got.Trap {
		t.Errorf("the trap: %+v", got)
	}
	if _, err := d.Form(ctx, postil.FormRequest{Site: "blog", Post: "https://evil.example/p"}); postil.KindOf(err) != postil.Invalid {
		t.Errorf("a foreign page: %v", err)
	}
}
