package store

import (
	"testing"

	"github.com/postil/postil/internal/postil"
)

// sayOn writes an approved comment on a post.
func sayOn(t testing.TB, s *Store, post postil.PostID, text string, parent postil.CommentID) postil.Comment {
	t.Helper()
	out, err := s.AddComment(ctx, postil.NewComment{Site: "blog", Post: postil.PostRef{ID: post, Title: "Title of " + text}, Parent: parent,
		Author: postil.Author{Name: "Ann"}, Text: text, HTML: "<p>" + text + "</p>", Nonce: "n"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	to(t, s, out.Comment.ID, postil.Approved)
	return out.Comment
}

func thread(t testing.TB, s *Store, post postil.PostID) (p postil.Post, texts string) {
	t.Helper()
	page, err := s.ThreadPage(ctx, postil.ThreadQuery{Site: "blog", Post: post, Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range page.Comments {
		texts += "<<<<<<<<"[:c.Depth] + c.HTML
	}
	if page.Post.Count != count0(page.Comments) {
		t.Errorf("%s counts %d and shows %d", post, page.Post.Count, count0(page.Comments))
	}
	return page.Post, texts
}

func count0(all []postil.Listed) (n int) {
	for _, c := range all {
		n += count(!c.Tombstone)
	}
	return n
}

func move(t testing.TB, s *Store, kind postil.MoveKind, from, into postil.PostID, ids ...postil.CommentID) postil.PostMove {
	t.Helper()
	m, err := s.MovePost(ctx, postil.MoveRequest{Site: "blog", Kind: kind, From: from, To: into, Comments: ids, By: somebody})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTwoPostsBecomeOneAndTwoAgain(t *testing.T) {
	t.Parallel()
	t.Run("CACHE-10", func(t *testing.T) {
		s := open(t, Options{})
		a := sayOn(t, s, "/a", "one", 0)
		sayOn(t, s, "/a", "two", a.ID)
		sayOn(t, s, "/b", "three", 0)
		before, _ := thread(t, s, "/b")
		m := move(t, s, postil.Merge, "/a", "/b")
		merged, texts := thread(t, s, "/b")
		if texts != "<p>one</p><<p>two</p><p>three</p>" || merged.Count != 3 || merged.Roots != 2 || merged.Version <= before.Version || m.Comments != 2 {
			t.Errorf("%+v %s", merged, texts)
		}
		if to, err := s.Redirects(ctx, "blog"); err != nil || to["/a"] != "/b" {
			t.Errorf("%v, %v", to, err)
		}
		// Whoever still uses the old key, as an import does, lands on the post.
		late := sayOn(t, s, "/a", "four", a.ID)
		if late.Post != "/b" {
			t.Errorf("a comment under the old key stands on %s", late.Post)
		}
		sayOn(t, s, "/b", "five", 0)
		if _, err := s.UndoMove(ctx, m.ID, somebody); err != nil {
			t.Fatal(err)
		}
		first, texts := thread(t, s, "/a")
		if texts != "<p>one</p><<p>two</p><<p>four</p>" || first.Title != "Title of one" || first.Version <= merged.Version {
			t.Errorf("%+v %s", first, texts)
		}
		if _, texts = thread(t, s, "/b"); texts != "<p>three</p><p>five</p>" {
			t.Error(texts)
		}
		again, err := s.UndoMove(ctx, m.ID, somebody)
		if err != nil || again.Undone.IsZero() {
			t.Errorf("twice: %+v, %v", again, err)
		}
	})
}

func TestAMergeTellsTheReadersOfBothPostsAndTheLog(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	sayOn(t, s, "/a", "one", 0)
	sayOn(t, s, "/b", "two", 0)
	events, err := s.PendingEvents(ctx, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	move(t, s, postil.Merge, "/a", "/b")
	news, err := s.PendingEvents(ctx, events[len(events)-1].ID, 100)
	p, _ := thread(t, s, "/b")
	if err != nil || len(news) != 2 || news[0].Post != "/a" || !news[0].Moved || news[0].Version != p.Version || news[1].Post != "/b" || news[1].Moved || news[1].Version != p.Version {
		t.Errorf("%+v, %v; the thread has version %d", news, err, p.Version)
	}
	log, err := s.Audit(ctx, postil.AuditFilter{Action: "post.", Limit: 10})
	if err != nil || len(log.Entries) != 1 || log.Entries[0].Action != "post.merge" || log.Entries[0].After["key"] != "/b" || log.Entries[0].Site != "blog" {
		t.Errorf("%+v, %v", log, err)
	}
}

func TestARenamedPostKeepsWhatItHasAndMayGetItsOldKeyBack(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	sayOn(t, s, "/old", "one", 0)
	closed := true
	if _, err := s.SetPost(ctx, "blog", "/old", postil.PostChange{Closed: &closed}, somebody); err != nil {
		t.Fatal(err)
	}
	move(t, s, postil.Rename, "/old", "/new")
	if p, texts := thread(t, s, "/new"); !p.Closed || p.Title != "Title of one" || texts != "<p>one</p>" {
		t.Errorf("%+v %s", p, texts)
	}
	back := move(t, s, postil.Rename, "/new", "/old")
	if to, err := s.Redirects(ctx, "blog"); err != nil || len(to) != 1 || to["/new"] != "/old" {
		t.Errorf("%v, %v", to, err)
	}
	if _, err := s.UndoMove(ctx, back.ID, somebody); err != nil {
		t.Fatal(err)
	}
	if to, err := s.Redirects(ctx, "blog"); err != nil || len(to) != 1 || to["/old"] != "/new" {
		t.Errorf("%v, %v", to, err)
	}
	sayOn(t, s, "/other", "two", 0)
	if _, err := s.MovePost(ctx, postil.MoveRequest{Site: "blog", Kind: postil.Rename, From: "/new", To: "/other", By: somebody}); postil.KindOf(err) != postil.Conflict {
		t.Errorf("a key that is taken: %v", err)
	}
	if _, err := s.MovePost(ctx, postil.MoveRequest{Site: "blog", Kind: postil.Merge, From: "/old", To: "/new", By: somebody}); postil.KindOf(err) != postil.Invalid {
		t.Errorf("a post and itself: %v", err)
	}
}

func TestMovesAreTakenBackTheLastOneFirst(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	sayOn(t, s, "/a", "one", 0)
	sayOn(t, s, "/b", "two", 0)
	sayOn(t, s, "/c", "three", 0)
	first, second := move(t, s, postil.Merge, "/a", "/b"), move(t, s, postil.Merge, "/b", "/c")
	if to, _ := s.Redirects(ctx, "blog"); to["/a"] != "/c" || to["/b"] != "/c" {
		t.Errorf("old keys lead to %v", to)
	}
	if _, err := s.UndoMove(ctx, first.ID, somebody); postil.KindOf(err) != postil.Conflict {
		t.Errorf("the first one first: %v", err)
	}
	for _, m := range []postil.PostMove{second, first} {
		if _, err := s.UndoMove(ctx, m.ID, somebody); err != nil {
			t.Fatal(err)
		}
	}
	for post, want := range map[postil.PostID]string{"/a": "<p>one</p>", "/b": "<p>two</p>", "/c": "<p>three</p>"} {
		if _, got := thread(t, s, post); got != want {
			t.Errorf("%s: %s", post, got)
		}
	}
	if to, _ := s.Redirects(ctx, "blog"); len(to) != 0 {
		t.Errorf("left over: %v", to)
	}
}

func TestAConversationIsSplitOffWithItsAnswersAndComesBack(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	a := sayOn(t, s, "/a", "one", 0)
	b := sayOn(t, s, "/a", "two", a.ID)
	sayOn(t, s, "/a", "three", b.ID)
	sayOn(t, s, "/a", "four", a.ID)
	m := move(t, s, postil.Split, "/a", "/apart", b.ID)
	if p, texts := thread(t, s, "/apart"); texts != "<p>two</p><<p>three</p>" || p.Roots != 1 {
		t.Errorf("%+v %s", p, texts)
	}
	if p, texts := thread(t, s, "/a"); texts != "<p>one</p><<p>four</p>" || p.Count != 2 {
		t.Errorf("%+v %s", p, texts)
	}
	sayOn(t, s, "/apart", "five", b.ID)
	if _, err := s.UndoMove(ctx, m.ID, somebody); err != nil {
		t.Fatal(err)
	}
	if _, texts := thread(t, s, "/a"); texts != "<p>one</p><<p>two</p><<<p>three</p><<<p>five</p><<p>four</p>" {
		t.Error(texts)
	}
	if p, err := s.Post(ctx, "blog", "/apart"); err != nil || !p.Created.IsZero() {
		t.Errorf("the post that was made for it is still there: %+v, %v", p, err)
	}
}

func TestACommentThatIsPutBeneathAnotherShowsThereAndComesBack(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	a, b := sayOn(t, s, "/a", "one", 0), sayOn(t, s, "/a", "two", 0)
	sayOn(t, s, "/a", "three", b.ID)
	put := func(id, parent postil.CommentID) (postil.Outcome, error) {
		return s.Change(ctx, id, func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
			return &postil.Change{Verb: postil.EditedVerb, To: c.Status, By: somebody, Parent: &parent}, nil
		})
	}
	before, _ := thread(t, s, "/a")
	out, err := put(b.ID, a.ID)
	if err != nil {
		t.Fatal(err)
	}
	if p, texts := thread(t, s, "/a"); texts != "<p>one</p><<p>two</p><<<p>three</p>" || p.Roots != 1 || p.Version <= before.Version {
		t.Errorf("%+v %s", p, texts)
	}
	if d, err := s.Decision(ctx, out.Decision.ID); err != nil || !d.Moved || d.ParentBefore != 0 || d.ParentAfter != a.ID {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := put(a.ID, b.ID); postil.KindOf(err) != postil.Invalid {
		t.Errorf("beneath its own answer: %v", err)
	}
	other := sayOn(t, s, "/b", "four", 0)
	if _, err := put(a.ID, other.ID); postil.KindOf(err) != postil.Invalid {
		t.Errorf("beneath a comment of another post: %v", err)
	}
	if _, err := put(b.ID, 0); err != nil {
		t.Fatal(err)
	}
	if _, texts := thread(t, s, "/a"); texts != "<p>one</p><p>two</p><<p>three</p>" {
		t.Error(texts)
	}
}

func TestAVisitorNeverRenamesAPost(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	sayOn(t, s, "/a", "one", 0)
	sayOn(t, s, "/a", "two", 0)
	if p, err := s.Post(ctx, "blog", "/a"); err != nil || p.Title != "Title of one" {
		t.Errorf("%+v, %v", p, err)
	}
	move(t, s, postil.Merge, "/old", "/a")
	sayOn(t, s, "/old", "three", 0)
	if p, err := s.Post(ctx, "blog", "/a"); err != nil || p.Title != "Title of one" || p.Count != 3 {
		t.Errorf("%+v, %v", p, err)
	}
}
