package store

import (
	"fmt"
	"slices"
	"testing"

	"github.com/postil/postil/internal/postil"
)

// A thread of many answers to one comment, between others: the page of
// any answer holds it, and from there one comes back to the start and on to the
// end without leaving anything out.
func TestTheWayBackFromAFocusLeavesNothingOut(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	s.room = 20
	var all []postil.CommentID
	say := func(text string, parent postil.CommentID) postil.CommentID {
		c := approved(t, s, text, parent)
		all = append(all, c.ID)
		return c.ID
	}
	say("before", 0)
	root := say("root", 0)
	for i := range 95 {
		say(fmt.Sprint("answer ", i), root)
	}
	say("after", 0)
	for _, id := range []postil.CommentID{all[0], all[97]} {
		if p := page(t, s, postil.ThreadQuery{Focus: id, Limit: 1}); p.Comments[0].ID != id {
			t.Errorf("the page of the root %d begins with %d", id, p.Comments[0].ID)
		}
	}
	for _, sort := range []postil.Sort{postil.Oldest, postil.Newest, postil.Top} {
		for _, id := range []postil.CommentID{root, all[2], all[50], all[96]} {
			seen := map[postil.CommentID]bool{}
			walk := func(cursor string, step func(postil.ThreadPage) string) {
				for range 50 {
					if cursor == "" {
						return
					}
					p := page(t, s, postil.ThreadQuery{Sort: sort, Cursor: cursor, Limit: 2})
					for _, c := range p.Comments {
						seen[c.ID] = true
					}
					cursor = step(p)
				}
				t.Fatalf("by %s the way from %d has no end", sort, id)
			}
			p := page(t, s, postil.ThreadQuery{Sort: sort, Focus: id, Limit: 2})
			if !slices.ContainsFunc(p.Comments, func(c postil.Listed) bool { return c.ID == id }) {
				t.Errorf("by %s the page of %d does not hold it", sort, id)
			}
			for _, c := range p.Comments {
				seen[c.ID] = true
			}
			walk(p.Prev, func(p postil.ThreadPage) string { return p.Prev })
			walk(p.Next, func(p postil.ThreadPage) string { return p.Next })
			if len(seen) < len(all)-1 { // the page of the root may end one answer before the next begins, which its own next page shows
				t.Errorf("by %s from %d only %d of %d are seen", sort, id, len(seen), len(all))
			}
		}
	}
	for _, id := range []postil.CommentID{4711, say("hidden", 0)} {
		if id != 4711 {
			to(t, s, id, postil.Rejected)
		}
		if _, err := s.ThreadPage(ctx, postil.ThreadQuery{Site: "blog", Post: "/p", Sort: postil.Oldest, Limit: 2, Focus: id}); postil.KindOf(err) != postil.NotFound {
			t.Errorf("the page of %d, which is not public: %v", id, err)
		}
	}
}
