package intake

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/postil/postil/internal/postil"
)

func TestAReplyApprovesWhatItAnswersAndIsPublicItself(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	asked := d.send(submission("A question?"))
	r, err := d.Reply(ctx, asked.Comment.ID, "An *answer*.", mo)
	if err != nil || r.Comment.Status != postil.Approved || r.Comment.Parent != asked.Comment.ID || r.Comment.Author != (postil.Author{Name: "Mo", Badge: postil.AuthorBadge}) {
		t.Fatalf("%+v, %v", r.Comment, err)
	}
	p, err := d.store.ThreadPage(ctx, postil.ThreadQuery{Site: "blog", Post: "/p", Sort: postil.Oldest, Limit: 10})
	if err != nil || len(p.Comments) != 2 || p.Comments[0].ID != asked.Comment.ID || p.Comments[1].Author.Badge != postil.AuthorBadge || p.Post.Version != r.Bookmark {
		t.Errorf("readers see %+v, %v", p.Comments, err)
	}
	if h, err := d.store.History(ctx, asked.Comment.ID); err != nil || len(h) != 1 || h[0].Verb != postil.Approve || h[0].By != mo || h[0].Reason != "answered" {
		t.Errorf("history %+v, %v", h, err)
	}
	again, err := d.Reply(ctx, asked.Comment.ID, "An *answer*.", mo)
	if err != nil || !again.Replayed || again.Comment.ID != r.Comment.ID {
		t.Errorf("the same answer twice: %+v, %v", again.Comment, err)
	}
	if second, err := d.Reply(ctx, asked.Comment.ID, "And more.", postil.By{Channel: postil.ByConsole, Actor: "console", Name: "\u200b"}); err != nil || second.Comment.Author.Name != "Author" {
		t.Errorf("without a name: %+v, %v", second.Comment.Author, err)
	}
}

func TestAReplyThatCannotStandApprovesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	stays := func(c postil.Comment, want postil.Status) {
		t.Helper()
		if now, err := d.store.Comment(ctx, c.ID); err != nil || now.Status != want {
			t.Errorf("the comment is %s now, %v", now.Status, err)
		}
	}
	for status, verb := range map[postil.Status]postil.Verb{postil.Rejected: postil.Reject, postil.Spam: postil.MarkSpam, postil.Deleted: postil.Delete} {
		c := d.send(submission("to be " + string(status))).Comment
		d.decide(c.ID, verb)
		if _, err := d.Reply(ctx, c.ID, "no", mo); postil.KindOf(err) != postil.Conflict || !strings.Contains(err.Error(), string(status)) {
			t.Errorf("an answer to what is %s: %v", status, err)
		}
		stays(c, status)
	}
	c := d.send(submission("0")).Comment
	for i := range postil.MaxDepth {
		d.decide(c.ID, postil.Approve)
		s := submission(fmt.Sprint(i + 1))
		s.ParentID = c.ID.String()
		c = d.send(s).Comment
	}
	if _, err := d.Reply(ctx, c.ID, "too deep", mo); postil.KindOf(err) != postil.Invalid {
		t.Errorf("at the deepest place: %v", err)
	}
	stays(c, postil.Pending)
	if _, err := d.Reply(ctx, c.ID, " ", mo); postil.KindOf(err) != postil.Invalid {
		t.Errorf("an empty answer: %v", err)
	}
	stays(c, postil.Pending)
	if _, err := d.Reply(ctx, 999, "hello", mo); postil.KindOf(err) != postil.NotFound {
		t.Errorf("an answer to nothing: %v", err)
	}
}

// racing is a shelf on which a colleague decides between reading and deciding.
type racing struct {
	Shelf
	verb postil.Verb
	d    *desk
}

func (r racing) Comment(ctx context.Context, id postil.CommentID) (postil.Comment, error) {
	c, err := r.Shelf.Comment(ctx, id)
	r.d.decide(id, r.verb)
	return c, err
}

func TestAColleagueWhoWasFasterIsNoTroubleUnlessSheDisagreed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for verb, fine := range map[postil.Verb]bool{postil.Approve: true, postil.Reject: false} {
		c := d.send(submission("asked, then " + string(verb))).Comment
		d.shelf = racing{d.store, verb, d}
		_, err := d.Reply(ctx, c.ID, "An answer.", mo)
		d.shelf = d.store
		if fine != (err == nil) || !fine && postil.KindOf(err) != postil.Conflict {
			t.Errorf("%s: %v", verb, err)
		}
	}
}

func TestAKeyOfTheBlogsAuthorPostsAtOnceWithABadge(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := submission("From the author.")
	s.As = &postil.Byline{By: postil.By{Channel: postil.ByREST, Actor: "key:7", Name: "Desk"}}
	r := d.send(s)
	if r.Comment.Status != postil.Approved || r.Comment.Author.Badge != postil.AuthorBadge || r.Bookmark != 1 || r.Comment.FormState.Token != "" {
		t.Errorf("%+v", r.Comment)
	}
	s.As = nil
	if other := d.send(s); other.Replayed || other.Comment.Status != postil.Pending || other.Comment.Author.Badge != "" {
		t.Errorf("the same words of a reader: %+v", other.Comment)
	}
}

// counting is a register that counts questions and can be down.
type counting struct {
	asked int
	site  postil.Site
	err   error
}

func (c *counting) Site(context.Context, postil.SiteID) (postil.Site, error) {
	c.asked++
	return c.site, c.err
}

func (c *counting) Redirects(context.Context, postil.SiteID) (map[postil.PostID]postil.PostID, error) {
	return map[postil.PostID]postil.PostID{"/old": "/new"}, c.err
}

func TestTheDirectoryRemembersUntilItIsToldToForget(t *testing.T) {
	t.Parallel()
	c := &counting{site: postil.Site{ID: "blog", Origins: []string{"https://blog.example"}}}
	dir := NewDirectory(c)
	for range 3 {
		if v, err := dir.Site(ctx, "blog"); err != nil || v.ID != "blog" || c.asked != 1 {
			t.Fatalf("%+v, %v, asked %d times", v, err, c.asked)
		}
	}
	if key, err := dir.Resolve(ctx, "blog", "https://blog.example/a/?utm_source=x"); err != nil || key != "/a" || c.asked != 1 {
		t.Errorf("%q, %v, asked %d times", key, err, c.asked)
	}
	if key, err := dir.Resolve(ctx, "blog", "https://blog.example/old/"); err != nil || key != "/new" {
		t.Errorf("an old key leads to %q, %v", key, err)
	}
	if key, err := dir.Named(ctx, "blog", "/old/"); err != nil || key != "/old" {
		t.Errorf("the key that is meant is %q, %v", key, err)
	}
	if _, err := dir.Resolve(ctx, "blog", "https://evil.example/a"); postil.KindOf(err) != postil.Invalid {
		t.Errorf("a foreign page: %v", err)
	}
	c.site.Lockdown = true
	dir.Forget("blog")
	if v, err := dir.Site(ctx, "blog"); err != nil || !v.Lockdown || c.asked != 2 {
		t.Errorf("%+v, %v", v, err)
	}
	down := errors.New("down")
	c.err = down
	dir.Forget("blog")
	if _, err := dir.Site(ctx, "blog"); !errors.Is(err, down) {
		t.Errorf("%v", err)
	}
	c.err = nil
	if _, err := dir.Site(ctx, "blog"); err != nil {
		t.Errorf("trouble is remembered: %v", err)
	}
}
