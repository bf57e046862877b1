package store

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/postil/postil/internal/postil"
)

func reaction(id postil.CommentID, person, emoji string, on bool) postil.Reaction {
	return postil.Reaction{Site: "blog", Comment: id, Person: postil.Person{ID: person}, Emoji: emoji, On: on}
}

func TestAReactionIsCountedOnceAndItsPersonOnceForTheScore(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	c := say(t, s, "root", 0)
	to(t, s, c.ID, postil.Approved)
	version := page(t, s, postil.ThreadQuery{}).Post.Version
	for _, row := range []struct {
		person, emoji string
		on, news      bool
		score         int
		counts        map[string]int
		mine          []string
	}{
		{"ann", "👍", true, true, 1, map[string]int{"👍": 1}, []string{"👍"}},
		{"ann", "👍", true, false, 1, map[string]int{"👍": 1}, []string{"👍"}},
		{"ann", "🎉", true, true, 1, map[string]int{"👍": 1, "🎉": 1}, []string{"🎉", "👍"}},
		{"bob", "👍", true, true, 2, map[string]int{"👍": 2, "🎉": 1}, []string{"👍"}},
		{"bob", "❤", true, true, 2, map[string]int{"👍": 2, "🎉": 1, "❤": 1}, []string{"❤", "👍"}},
		{"cy", "👍", false, false, 2, map[string]int{"👍": 2, "🎉": 1, "❤": 1}, nil},
		{"ann", "👍", false, true, 2, map[string]int{"👍": 1, "🎉": 1, "❤": 1}, []string{"🎉"}},
		{"ann", "🎉", false, true, 1, map[string]int{"👍": 1, "❤": 1}, nil},
		{"ann", "🎉", false, false, 1, map[string]int{"👍": 1, "❤": 1}, nil},
	} {
		if row.news {
			version++
		}
		got, err := s.React(ctx, reaction(c.ID, row.person, row.emoji, row.on))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(postil.Reacted{Comment: c.ID, Score: row.score, Reactions: row.counts, Mine: row.mine, Version: version}, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", row, diff)
		}
	}
	shown := page(t, s, postil.ThreadQuery{})
	if got := shown.Comments[0]; got.Score != 1 || got.Reactions["❤️"] != 1 || got.Reactions["👍"] != 1 || len(got.Reactions) != 2 || shown.Post.Version != version {
		t.Errorf("readers see %+v", shown)
	}
	events, err := s.PendingEvents(ctx, 0, 100)
	told := 0
	for _, ev := range events {
		if ev.Kind == postil.CommentReacted {
			told++
			if ev.Version == 0 || ev.PublicChange() != "comment.updated" {
				t.Errorf("an event says %+v", ev)
			}
		}
	}
	if err != nil || told != 6 {
		t.Errorf("readers were told %d times, %v", told, err)
	}
}

func TestWhatIsNotPublicTakesNoReaction(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	parent := say(t, s, "parent", 0)
	to(t, s, parent.ID, postil.Approved)
	child := say(t, s, "child", parent.ID)
	to(t, s, child.ID, postil.Approved)
	to(t, s, parent.ID, postil.Rejected)
	ids := map[string]postil.CommentID{"below what was rejected": child.ID, "unknown": 4711}
	for _, status := range []postil.Status{postil.Pending, postil.Rejected, postil.Spam, postil.Deleted} {
		c := say(t, s, string(status), 0)
		to(t, s, c.ID, status)
		ids[string(status)] = c.ID
	}
	for name, id := range ids {
		if _, err := s.React(ctx, reaction(id, "ann", "👍", true)); postil.KindOf(err) != postil.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	open := say(t, s, "open", 0)
	to(t, s, open.ID, postil.Approved)
	other := reaction(open.ID, "ann", "👍", true)
	other.Site = "other"
	if _, err := s.React(ctx, other); postil.KindOf(err) != postil.NotFound {
		t.Errorf("a comment of another site: %v", err)
	}
}

func TestTopSortsByPeopleAndThenByAge(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	var ids []postil.CommentID
	for i := range 4 {
		c := say(t, s, fmt.Sprint("root ", i), 0)
		to(t, s, c.ID, postil.Approved)
		ids = append(ids, c.ID)
	}
	for i, people := range []int{1, 2, 1, 0} {
		for p := range people {
			for _, emoji := range []string{"👍", "🎉"} { // one person counts once
				if _, err := s.React(ctx, reaction(ids[i], fmt.Sprint("person ", p), emoji, true)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	var order []postil.CommentID
	q := postil.ThreadQuery{Sort: postil.Top, Limit: 1}
	for {
		p := page(t, s, q)
		order = append(order, p.Comments[0].ID)
		if q.Cursor = p.Next; q.Cursor == "" {
			break
		}
	}
	if want := []postil.CommentID{ids[1], ids[0], ids[2], ids[3]}; !cmp.Equal(order, want) {
		t.Errorf("top is %v, not %v", order, want)
	}
}

func TestNumbersAreTheRowsWhateverPeopleDoAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	c := say(t, s, "root", 0)
	to(t, s, c.ID, postil.Approved)
	rapid.Check(t, func(rt *rapid.T) {
		var people sync.WaitGroup
		for range 2 {
			steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) postil.Reaction {
				return reaction(c.ID, rapid.SampledFrom([]string{"ann", "bob", "cy"}).Draw(rt, "person"),
					rapid.SampledFrom([]string{"👍", "❤", "🎉"}).Draw(rt, "emoji"), rapid.Bool().Draw(rt, "on"))
			}), 1, 12).Draw(rt, "steps")
			people.Go(func() {
				for _, step := range steps {
					if _, err := s.React(ctx, step); err != nil {
						t.Error(err)
					}
				}
			})
		}
		people.Wait()
		rows := map[string]int{}
		for _, row := range sqlOf(t, s.readers, "SELECT emoji FROM reactions WHERE comment_id = ?", int64(c.ID)) {
			rows[row[0]]++
		}
		persons := len(sqlOf(t, s.readers, "SELECT DISTINCT person FROM reactions WHERE comment_id = ?", int64(c.ID)))
		got, err := s.Comment(ctx, c.ID)
		if err != nil || got.Score != persons || len(rows)+len(got.Reactions) > 0 && !cmp.Equal(got.Reactions, rows) {
			rt.Fatalf("%d people and %v, the comment says %d and %v (%v)", persons, rows, got.Score, got.Reactions, err)
		}
	})
}

func TestAPersonOfOneDayIsForgottenAndStaysCounted(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 18, 0, 0, 0, time.UTC)
	s := open(t, Options{Now: func(context.Context) time.Time { return now }})
	c := say(t, s, "root", 0)
	to(t, s, c.ID, postil.Approved)
	byAddress := reaction(c.ID, "a:x", "👍", true)
	byAddress.Person.Fleeting = true
	for _, r := range []postil.Reaction{byAddress, reaction(c.ID, "d:y", "👍", true)} {
		if _, err := s.React(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(31 * 24 * time.Hour)
	if err := s.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(sqlOf(t, s.readers, "SELECT person FROM reactions")); got != "[[d:y]]" {
		t.Errorf("remembered are %s", got)
	}
	if got, err := s.Comment(ctx, c.ID); err != nil || got.Score != 2 || got.Reactions["👍"] != 2 {
		t.Errorf("counted are %d, %v, %v", got.Score, got.Reactions, err)
	}
}

func TestASiteKeepsItsReactionsAndFollowsTheUsualOnes(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	for _, chosen := range [][]string{{"🦀", "❤️"}, {}, postil.DefaultReactions()} {
		if _, err := s.SetSite(ctx, "blog", somebody, func(v *postil.Site) error { v.Reactions = chosen; return nil }); err != nil {
			t.Fatal(err)
		}
		if v, err := s.Site(ctx, "blog"); err != nil || !cmp.Equal(v.Reactions, chosen) {
			t.Errorf("the site offers %q, not %q (%v)", v.Reactions, chosen, err)
		}
	}
	if got := fmt.Sprint(sqlOf(t, s.readers, "SELECT reactions FROM sites")); got != "[[]]" {
		t.Errorf("a site with the usual ones stores %s", got)
	}
}
