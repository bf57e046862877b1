package store

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/postil/postil/internal/postil"
)

func approved(t testing.TB, s *Store, text string, parent postil.CommentID) postil.Comment {
	t.Helper()
	c := say(t, s, text, parent)
	to(t, s, c.ID, postil.Approved)
	return c
}

func ids(p postil.ThreadPage) (out []postil.CommentID) {
	for _, l := range p.Comments {
		out = append(out, l.ID)
	}
	return out
}

func TestTHR_01_AParentCycleEndsAndItsMembersStandAtTheTop(t *testing.T) {
	t.Parallel()
	type edge struct{ child, parent int }
	for name, edges := range map[string][]edge{
		"a reply becomes its root's parent": {{0, 1}},
		"a comment is its own parent":       {{0, 0}},
		"two roots answer each other":       {{0, 3}, {3, 0}},
		"three in a ring":                   {{0, 2}},
		"a reply is its own parent":         {{1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, Options{})
			a := approved(t, s, "a", 0)
			b := approved(t, s, "b", a.ID)
			c := approved(t, s, "c", b.ID)
			d := approved(t, s, "d", 0)
			all := []postil.CommentID{a.ID, b.ID, c.ID, d.ID}
			parents := []int{-1, 0, 1, -1}
			for _, e := range edges {
				meddle(t, s, "UPDATE comments SET parent_comment_id = ? WHERE comment_id = ?", int64(all[e.parent]), int64(all[e.child]))
				parents[e.child] = e.parent
			}
			p := page(t, s, postil.ThreadQuery{})
			if got := ids(p); len(got) != 4 {
				t.Fatalf("listed %v of %v", got, all)
			}
			for _, l := range p.Comments {
				i := slices.Index(all, l.ID)
				if ring := inRing(parents, i); ring != (l.Parent == 0 && parents[i] >= 0) {
					t.Errorf("comment %d: in a ring %t, and listed under %d at depth %d", l.ID, ring, l.Parent, l.Depth)
				}
			}
			for _, id := range all { // writing ends, too
				to(t, s, id, postil.Deleted)
				to(t, s, id, postil.Approved)
			}
			if got := len(page(t, s, postil.ThreadQuery{}).Comments); got == 0 {
				t.Error("the thread is empty after the decisions")
			}
		})
	}
}

func inRing(parents []int, i int) bool {
	at := parents[i]
	for range parents {
		if at == i || at < 0 {
			break
		}
		at = parents[at]
	}
	return at == i
}

func TestTHR_04_ATombstoneStaysWhileRepliesDo(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	parent := approved(t, s, "secret", 0)
	one, two := approved(t, s, "one", parent.ID), approved(t, s, "two", parent.ID)
	to(t, s, parent.ID, postil.Deleted)
	p := page(t, s, postil.ThreadQuery{})
	if want := (postil.Listed{ID: parent.ID, Tombstone: true}); len(p.Comments) != 3 || !cmp.Equal(p.Comments[0], want) || p.Post.Count != 2 || p.Post.Roots != 1 {
		t.Fatalf("after the deletion: %+v", p)
	}
	to(t, s, one.ID, postil.Deleted)
	if p = page(t, s, postil.ThreadQuery{}); len(p.Comments) != 2 || p.Post.Count != 1 {
		t.Fatalf("after the first reply is gone: %+v", p)
	}
	to(t, s, two.ID, postil.Rejected)
	if p = page(t, s, postil.ThreadQuery{}); len(p.Comments) != 0 || p.Post.Count != 0 || p.Post.Roots != 0 {
		t.Fatalf("after the last reply is gone: %+v", p)
	}
	to(t, s, two.ID, postil.Approved)
	to(t, s, parent.ID, postil.Approved)
	if p = page(t, s, postil.ThreadQuery{}); len(p.Comments) != 2 || p.Comments[0].Tombstone || p.Comments[0].HTML != "<p>secret</p>" || p.Comments[0].Replies != 1 {
		t.Fatalf("after the parent came back: %+v", p)
	}
}

func TestTHR_05_RepliesToWhatIsNotPublicAreNeitherListedNorCounted(t *testing.T) {
	t.Parallel()
	for _, status := range []postil.Status{postil.Pending, postil.Rejected, postil.Spam} {
		t.Run(string(status), func(t *testing.T) {
			s := open(t, Options{})
			parent := approved(t, s, "parent", 0)
			reply := approved(t, s, "reply", parent.ID)
			under := approved(t, s, "under", reply.ID)
			to(t, s, parent.ID, status)
			if p := page(t, s, postil.ThreadQuery{}); len(p.Comments) != 0 || p.Post.Count != 0 || p.Post.Roots != 0 {
				t.Fatalf("below a comment that is %s: %+v", status, p)
			}
			for _, id := range []postil.CommentID{reply.ID, under.ID} {
				if _, err := s.ThreadPage(ctx, postil.ThreadQuery{Site: "blog", Post: "/p", Sort: postil.Oldest, Limit: 5, Focus: id}); postil.KindOf(err) != postil.NotFound {
					t.Errorf("focus on a hidden reply: %v", err)
				}
			}
			to(t, s, parent.ID, postil.Deleted)
			if p := page(t, s, postil.ThreadQuery{}); len(p.Comments) != 0 || p.Post.Count != 0 {
				t.Fatalf("deleting what was %s shows %+v", status, p)
			}
			to(t, s, parent.ID, postil.Approved)
			if p := page(t, s, postil.ThreadQuery{}); len(p.Comments) != 3 || p.Post.Count != 3 {
				t.Fatalf("once the parent is public: %+v", p)
			}
		})
	}
}

func TestTHR_10_WhatAnErasedUserWroteStaysWithoutTheUser(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	meddle(t, s, "INSERT INTO users (user_id, name, created_at) VALUES ('u1', 'Ann', 0)")
	c := approved(t, s, "mine", 0)
	meddle(t, s, "UPDATE comments SET user_id = 'u1', author_website = 'https://ann.example/', author_email = 'ann@mail.example' WHERE comment_id = ?", int64(c.ID))
	before := page(t, s, postil.ThreadQuery{}).Post.Version
	if _, err := s.Erase(ctx, postil.Identity{Author: "u1"}, false, somebody); err != nil {
		t.Fatal(err)
	}
	p := page(t, s, postil.ThreadQuery{})
	if l := p.Comments[0]; !l.UserGone || l.Author != (postil.Author{}) || l.HTML != "<p>mine</p>" || p.Post.Version == before {
		t.Fatalf("listed %+v of version %d", l, p.Post.Version)
	}
	if kept, err := s.Comment(ctx, c.ID); err != nil || kept.UserID != "" || kept.Author.Email != "" {
		t.Fatalf("kept %+v, %v", kept, err)
	}
	if reply := approved(t, s, "answer", c.ID); reply.Parent != c.ID {
		t.Error("it cannot be answered any more")
	}
	if again, err := s.Erase(ctx, postil.Identity{Author: "u1"}, false, somebody); err != nil || len(again.Rows) > 0 {
		t.Errorf("again: %v", err)
	}
}

func TestTHR_11_RepliesAreOldestFirstWhateverTheSort(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Now: func(context.Context) time.Time { return time.UnixMilli(1_700_000_000_000) }}) // all at once: ids break the tie
	a, b := approved(t, s, "a", 0), approved(t, s, "b", 0)
	r1, r2, r3 := approved(t, s, "1", a.ID), approved(t, s, "2", a.ID), approved(t, s, "3", a.ID)
	for sort, want := range map[postil.Sort][]postil.CommentID{
		postil.Oldest: {a.ID, r1.ID, r2.ID, r3.ID, b.ID},
		postil.Newest: {b.ID, a.ID, r1.ID, r2.ID, r3.ID},
		postil.Top:    {a.ID, r1.ID, r2.ID, r3.ID, b.ID},
	} {
		if got := ids(page(t, s, postil.ThreadQuery{Sort: sort})); !slices.Equal(got, want) {
			t.Errorf("%s: %v, not %v", sort, got, want)
		}
	}
}

// longRoot makes a root with n approved replies, quickly.
func longRoot(t testing.TB, s *Store, n int) postil.CommentID {
	t.Helper()
	root := approved(t, s, "long", 0)
	err := s.Write(ctx, func(tx *Tx) error {
		for i := range n {
			out, err := tx.addComment(postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/p"}, Parent: root.ID, Text: fmt.Sprint("reply ", i), Nonce: "n"},
				func(postil.Comment, postil.Decision) (*postil.Change, error) {
					return &postil.Change{Verb: postil.Approve, To: postil.Approved, By: somebody}, nil
				})
			if err != nil || out.Comment.Status != postil.Approved {
				return fmt.Errorf("reply %d: %+v, %w", i, out, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return root.ID
}

func TestARootWithMoreRepliesThanAPageHoldsIsPagedInside(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	first := approved(t, s, "first", 0)
	root := longRoot(t, s, 1200)
	last := approved(t, s, "last", 0)
	for _, sort := range []postil.Sort{postil.Oldest, postil.Newest, postil.Top} {
		var got []postil.CommentID
		q, pages := postil.ThreadQuery{Sort: sort, Limit: 2}, 0
		for {
			p := page(t, s, q)
			if len(p.Comments) > postil.MaxPageComments {
				t.Fatalf("%d comments on a page", len(p.Comments))
			}
			got, pages = append(got, ids(p)...), pages+1
			if q.Cursor = p.Next; q.Cursor == "" {
				break
			}
		}
		distinct := slices.Compact(slices.Sorted(slices.Values(got)))
		if len(got) != 1203 || len(distinct) != 1203 || pages < 3 {
			t.Errorf("%s: %d comments, %d of them different, on %d pages", sort, len(got), len(distinct), pages)
		}
	}
	for _, id := range []postil.CommentID{first.ID, root, root + 1, root + 499, root + 500, root + 501, root + 999, root + 1200, last.ID} {
		if p := page(t, s, postil.ThreadQuery{Focus: id}); !slices.Contains(ids(p), id) {
			t.Errorf("the page of comment %d does not hold it", id)
		}
	}
}

func TestACursorThatIsDamagedOrFromElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	root := longRoot(t, s, 600)
	inside := page(t, s, postil.ThreadQuery{}).Next
	raw := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	for name, q := range map[string]postil.ThreadQuery{
		"no base64":          {Cursor: "%%%"},
		"no JSON":            {Cursor: raw("nonsense")},
		"half":               {Cursor: inside[:len(inside)/2]},
		"another sort":       {Cursor: inside, Sort: postil.Newest},
		"another post":       {Cursor: inside, Post: "/other", Site: "blog"},
		"unknown kind":       {Cursor: raw(`{"k":"x","o":"oldest","i":1}`)},
		"no id":              {Cursor: raw(`{"k":"s","o":"oldest"}`)},
		"negative id":        {Cursor: raw(`{"k":"s","o":"oldest","i":-1}`)},
		"too large a number": {Cursor: raw(`{"k":"s","o":"oldest","i":99999999999999999999}`)},
		"inside a reply":     {Cursor: raw(fmt.Sprintf(`{"k":"i","o":"oldest","i":%d}`, root+1))},
		"inside nothing":     {Cursor: raw(`{"k":"i","o":"oldest","i":999999}`)},
	} {
		if q.Site == "" {
			q.Site, q.Post = "blog", "/p"
		}
		if q.Sort == "" {
			q.Sort = postil.Oldest
		}
		q.Limit = 5
		_, err := s.ThreadPage(ctx, q)
		if postil.KindOf(err) != postil.Invalid || !strings.Contains(fmt.Sprint(err), "from its start") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestACursorOutlivesTheCommentsAroundIt(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	var all []postil.CommentID
	for i := range 6 {
		all = append(all, approved(t, s, fmt.Sprint(i), 0).ID)
	}
	second := page(t, s, postil.ThreadQuery{Cursor: page(t, s, postil.ThreadQuery{Limit: 2}).Next, Limit: 2})
	for _, id := range all[:4] {
		to(t, s, id, postil.Deleted)
	}
	back := page(t, s, postil.ThreadQuery{Cursor: second.Prev, Limit: 2})
	if len(back.Comments) != 0 || back.Next == "" {
		t.Fatalf("the page before a vanished one: %v, next %q", ids(back), back.Next)
	}
	if on := page(t, s, postil.ThreadQuery{Cursor: back.Next, Limit: 2}); !slices.Equal(ids(on), all[4:]) {
		t.Errorf("and on from there: %v", ids(on))
	}
	to(t, s, all[2], postil.Approved) // it stands right at the cursor
	if on := page(t, s, postil.ThreadQuery{Cursor: back.Next, Limit: 2}); !slices.Equal(ids(on), []postil.CommentID{all[2], all[4]}) {
		t.Errorf("once the first one is back: %v", ids(on))
	}
}

func TestAnUnknownPostIsAnEmptyThreadAndAnUnknownSiteIsNot(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	if p := page(t, s, postil.ThreadQuery{Site: "blog", Post: "/nothing"}); len(p.Comments) != 0 || p.Post.ID != "/nothing" || p.Next != "" || p.Prev != "" {
		t.Errorf("an unknown post: %+v", p)
	}
	if _, err := s.ThreadPage(ctx, postil.ThreadQuery{Site: "nowhere", Post: "/p", Sort: postil.Oldest, Limit: 5}); postil.KindOf(err) != postil.NotFound {
		t.Errorf("an unknown site: %v", err)
	}
}

// A page of a thread of any length costs what the page holds: each statement
// that reads it is by a key or has a limit.
func TestNoStatementReadsAWholeThread(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	fillWith(t, s, 5000)
	exerciser{t, s}.threads()
	for statement := range s.reads {
		bounded := strings.Contains(statement, "LIMIT ?") || strings.Contains(statement, "WHERE c.comment_id = ?") || strings.Contains(statement, "WHERE comment_id = ?")
		if strings.Contains(statement, "FROM comments") && !bounded {
			t.Errorf("no limit: %s", statement)
		}
	}
}

func TestTheNewestOfAPostAreThoseOfTheSiteThatStandThere_MOD_07(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	parent := approved(t, s, "parent", 0)
	reply := approved(t, s, "reply", parent.ID)
	say(t, s, "pending", 0)
	hidden := approved(t, s, "hidden", 0)
	approved(t, s, "below", hidden.ID)
	to(t, s, hidden.ID, postil.Rejected)
	list, err := s.RecentOn(ctx, "blog", "/p", 10)
	if err != nil || len(list) != 2 || list[0].ID != reply.ID || list[1].ID != parent.ID || list[0].Post != "/p" {
		t.Errorf("got %+v, %v", list, err)
	}
	if list, err := s.RecentOn(ctx, "blog", "/nobody", 10); err != nil || len(list) != 0 {
		t.Errorf("a quiet post has %+v, %v", list, err)
	}
	if _, err := s.RecentOn(ctx, "nowhere", "/p", 10); postil.KindOf(err) != postil.NotFound {
		t.Errorf("an unknown site: %v", err)
	}
}
