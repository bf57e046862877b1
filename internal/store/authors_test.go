package store

import (
	"fmt"
	"slices"
	"testing"

	"github.com/postil/postil/internal/postil"
)

// walkAuthors reads a list of authors page by page.
func walkAuthors(t *testing.T, s *Store, f postil.AuthorFilter) (all []postil.KnownAuthor) {
	t.Helper()
	for {
		page, err := s.Authors(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Authors...)
		if f.Cursor = page.Next; f.Cursor == "" {
			return all
		}
	}
}

func TestEveryAuthorIsListedOnceAtTheirLastComment(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	fillWith(t, s, 1700) // of 501 devices and an account
	var everything []postil.CommentID
	for id := range postil.CommentID(1800) {
		everything = append(everything, id)
	}
	comments, err := s.Comments(ctx, everything)
	if err != nil {
		t.Fatal(err)
	}
	want := map[postil.Subject]map[postil.Status]int{}
	last := map[postil.Subject]postil.Comment{}
	for _, c := range comments {
		who, ok := c.KnownBy()
		if !ok {
			continue
		}
		if want[who] == nil {
			want[who] = map[postil.Status]int{}
		}
		if c.ID > last[who].ID {
			last[who] = c
		}
	}
	for _, c := range comments { // a device counts what was written with an account, too
		for _, who := range []postil.Subject{{Kind: postil.OnDevice, Value: c.Origin.Device}, {Kind: postil.OnUser, Value: c.UserID}} {
			if want[who] != nil {
				want[who][c.Status]++
			}
		}
	}
	got := walkAuthors(t, s, postil.AuthorFilter{Site: "big", Limit: 7})
	if len(got) != len(want) || len(got) < 500 {
		t.Fatalf("%d authors, not %d", len(got), len(want))
	}
	for i, a := range got {
		if fmt.Sprint(a.Counts) != fmt.Sprint(want[a.Known]) || a.First.IsZero() || a.Seen.Before(a.First) {
			t.Errorf("%+v: not %v", a, want[a.Known])
		}
		if i > 0 && last[a.Known].ID > last[got[i-1].Known].ID {
			t.Errorf("%v follows %v", a.Known, got[i-1].Known)
		}
	}
}

func TestAnAuthorIsFoundByNameAndMailAddress(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	for i, name := range []string{"Zoë Straße", "Bo", "zoe", "Nobody known"} {
		n := postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/p"}, Author: postil.Author{Name: name, Email: fmt.Sprintf("M%d@mail.example", i)}, Text: "Hello Bo", HTML: "<p>Hello Bo</p>", Nonce: "n"}
		if name != "Nobody known" {
			n.Origin.Device = fmt.Sprint("device", i/2)
		}
		if _, err := s.AddComment(ctx, n, nil); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string][]string{"": {"zoe", "Bo"}, "ZOE": {"zoe"}, "bo": {"Bo"}, "strasse": nil, "m1@MAIL.example": {"Bo"}, "m0@mail.example": nil, "m9@mail.example": nil, "hello": nil, "?": nil} {
		var names []string
		for _, a := range walkAuthors(t, s, postil.AuthorFilter{Site: "blog", Query: query, Limit: 1}) {
			names = append(names, a.Last.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%q finds %q, not %q", query, names, want)
		}
	}
	ban := postil.Ruling{Site: "blog", Subject: postil.Subject{Kind: postil.OnDevice, Value: "device0"}, Effect: postil.EffectBan}
	if _, err := s.Lay(ctx, ban, somebody); err != nil {
		t.Fatal(err)
	}
	a, err := s.KnownAuthor(ctx, "blog", "device0")
	if err != nil || a.Known != ban.Subject || !slices.Equal(a.Names, []string{"Bo", "Zoë Straße"}) || a.Counts[postil.Pending] != 2 || len(a.Rules) != 1 || a.Last.Email != "M1@mail.example" {
		t.Errorf("%+v, %v", a, err)
	}
	for _, id := range []string{"", "device9", "zoe", "m1@mail.example"} {
		if _, err := s.KnownAuthor(ctx, "blog", id); postil.KindOf(err) != postil.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
}
