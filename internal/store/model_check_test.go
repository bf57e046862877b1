package store

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/postil/postil/internal/postil"
)

func lines(listed []postil.Listed) []line {
	out := make([]line, len(listed))
	for i, l := range listed {
		out[i] = line{l.ID, l.Parent, l.Depth, l.Tombstone, l.Replies, l.HTML}
	}
	return out
}

// check compares what the store tells readers with the model, in every sort
// and by pages of random sizes.
func (m *model) check(t *rapid.T) {
	m.s.room = rapid.SampledFrom([]int{2, 3, 7, 500}).Draw(t, "room")
	for _, sort := range []postil.Sort{postil.Oldest, postil.Newest, postil.Top} {
		want := m.read(sort)
		if got := m.walk(t, sort); !slices.Equal(got, want) {
			t.Fatalf("room %d, %s:\n got %v\nwant %v", m.s.room, sort, got, want)
		}
		m.checkFocus(t, sort)
	}
	m.checkCounts(t)
}

func (m *model) query(t *rapid.T, sort postil.Sort) postil.ThreadQuery {
	return postil.ThreadQuery{Site: "blog", Post: m.post, Sort: sort, Limit: rapid.IntRange(1, 4).Draw(t, "limit")}
}

func (m *model) page(t *rapid.T, q postil.ThreadQuery) postil.ThreadPage {
	p, err := m.s.ThreadPage(ctx, q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	if len(p.Comments) > m.s.room {
		t.Fatalf("a page of %d comments, where %d fit", len(p.Comments), m.s.room)
	}
	return p
}

// walk reads the thread forwards page by page, and from each page back to its
// start.
func (m *model) walk(t *rapid.T, sort postil.Sort) (got []line) {
	q := m.query(t, sort)
	for {
		p := m.page(t, q)
		if len(p.Comments) == 0 && len(m.read(sort)) > 0 {
			t.Fatalf("an empty page behind %q", q.Cursor)
		}
		if first := len(got) == 0; first != (p.Prev == "") && len(p.Comments) > 0 {
			t.Fatalf("first page: %t, and its previous page is %q", first, p.Prev)
		}
		m.walkBack(t, q, p)
		got = append(got, lines(p.Comments)...)
		if p.Next == "" {
			return got
		}
		q.Cursor, q.Limit = p.Next, rapid.IntRange(1, 4).Draw(t, "limit")
	}
}

func (m *model) walkBack(t *rapid.T, q postil.ThreadQuery, p postil.ThreadPage) {
	for steps := 0; p.Prev != ""; steps++ {
		if steps > len(m.all) {
			t.Fatal("walking back has no end")
		}
		q.Cursor = p.Prev
		p = m.page(t, q)
	}
	if all := m.read(q.Sort); len(all) > 0 && (len(p.Comments) == 0 || p.Comments[0].ID != all[0].id) {
		t.Fatalf("walking back ends at %v, and the thread begins with %v", lines(p.Comments), all[0])
	}
}

func (m *model) checkFocus(t *rapid.T, sort postil.Sort) {
	for _, c := range m.all {
		q := m.query(t, sort)
		q.Focus = c.id
		p, err := m.s.ThreadPage(ctx, q)
		if !c.shown() {
			if postil.KindOf(err) != postil.NotFound {
				t.Fatalf("comment %d is not public, and focus says %v", c.id, err)
			}
			continue
		}
		if err != nil || !slices.ContainsFunc(p.Comments, func(l postil.Listed) bool { return l.ID == c.id }) {
			t.Fatalf("room %d: the page of comment %d holds %v, %v", m.s.room, c.id, lines(p.Comments), err)
		}
		q.Focus = 0
		m.walkBack(t, q, p)
	}
}

func (m *model) checkCounts(t *rapid.T) {
	all := m.read(postil.Oldest)
	shown, roots := 0, 0
	for _, l := range all {
		shown += count(!l.tombstone)
		roots += count(l.parent == 0)
	}
	p := m.page(t, m.query(t, postil.Oldest))
	if p.Post.Count != shown || p.Post.Roots != roots {
		t.Fatalf("the post counts %d comments and %d roots; there are %d and %d", p.Post.Count, p.Post.Roots, shown, roots)
	}
	counts, err := m.s.Counts(ctx, "blog", []postil.PostID{m.post, "/nobody"})
	if err != nil || counts[m.post] != shown || counts["/nobody"] != 0 || len(counts) != 2 {
		t.Fatalf("counts %v, %v; there are %d", counts, err, shown)
	}
	recent, err := m.s.Recent(ctx, "blog", 1_000_000)
	ofPost := slices.DeleteFunc(recent, func(l postil.Listed) bool { return l.Post != m.post })
	if err != nil || len(ofPost) != shown {
		t.Fatalf("%d recent comments, %v; there are %d", len(ofPost), err, shown)
	}
	for _, c := range m.all {
		stored, err := m.s.Comment(ctx, c.id)
		listed := len(slices.DeleteFunc(slices.Clone(c.answers), func(a *said) bool { return !a.listed() }))
		if err != nil || stored.Replies != listed {
			t.Fatalf("comment %d counts %d replies, %v; there are %d", c.id, stored.Replies, err, listed)
		}
	}
}

func TestCACHE_02_AnyThreadIsReadWholeOnceAndInOrderAndItsCountIsTrue(t *testing.T) {
	t.Parallel()
	clock := time.UnixMilli(1_700_000_000_000).UTC()
	s := open(t, Options{Now: func(context.Context) time.Time { return clock }})
	var posts atomic.Int64
	var heard postil.EventID
	rapid.Check(t, func(t *rapid.T) {
		m := &model{s: s, post: postil.PostID(fmt.Sprint("/post/", posts.Add(1))), clock: &clock, heard: heard}
		defer func() { heard = m.heard }()
		t.Repeat(map[string]func(*rapid.T){
			"say": m.say, "answer": m.say, "approve": m.say, "decide": m.decide, "decide again": m.decide, "undo": m.undo, "edit": m.edit, "react": m.react,
		})
		m.check(t)
	})
}
