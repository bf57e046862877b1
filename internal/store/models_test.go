package store

import (
	"bytes"
	"testing"

	"github.com/postil/postil/internal/postil"
)

func TestAModelIsKeptWithItsSiteAndGoesWithIt(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	if b, to, err := s.Model(ctx, "blog"); len(b) != 0 || to != 0 || err != nil {
		t.Errorf("before anything was learned: %v, %d, %v", b, to, err)
	}
	for i := range byte(2) {
		if err := s.SaveModel(ctx, "blog", []byte{1, i}, postil.DecisionID(i)+7); err != nil {
			t.Fatal(err)
		}
	}
	if b, to, err := s.Model(ctx, "blog"); !bytes.Equal(b, []byte{1, 1}) || to != 8 || err != nil {
		t.Errorf("after the second time: %v, %d, %v", b, to, err)
	}
	if err := s.RemoveSite(ctx, "blog", somebody); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveModel(ctx, "blog", []byte{2}, 9); err != nil {
		t.Errorf("a site that went meanwhile: %v", err)
	}
	if b, _, err := s.Model(ctx, "blog"); len(b) != 0 || err != nil {
		t.Errorf("the model outlived its site: %v, %v", b, err)
	}
}

func TestLessonsAreWhatPersonsSaidOfSpamAndNothingElse(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	decide := func(id postil.CommentID, verb postil.Verb, status postil.Status, by postil.By, undoes postil.DecisionID) postil.DecisionID {
		t.Helper()
		out, err := s.Change(ctx, id, func(postil.Comment, postil.Decision) (*postil.Change, error) {
			return &postil.Change{Verb: verb, To: status, By: by, Undoes: undoes}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out.Decision.ID
	}
	checks := postil.By{Channel: postil.ByCheck, Actor: "check"}
	one, two, three := add(t, s, request("one")).Comment.ID, add(t, s, request("two")).Comment.ID, add(t, s, request("three")).Comment.ID
	decide(one, postil.MarkSpam, postil.Spam, checks, 0)
	approved := decide(one, postil.Approve, postil.Approved, somebody, 0)
	decide(two, postil.Reject, postil.Rejected, somebody, 0)
	spam := decide(three, postil.MarkSpam, postil.Spam, somebody, 0)
	decide(three, postil.UndoneVerb, postil.Pending, somebody, spam)
	rejected := decide(three, postil.Reject, postil.Rejected, somebody, 0)
	decide(three, postil.UndoneVerb, postil.Pending, somebody, rejected)

	type lesson struct {
		comment      postil.CommentID
		spam, undone bool
	}
	got := func(after postil.DecisionID, limit int) (all []lesson) {
		t.Helper()
		lessons, _, err := s.Lessons(ctx, "blog", after, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lessons {
			all = append(all, lesson{l.Comment.ID, l.Spam, l.Undone})
		}
		return all
	}
	want := []lesson{{one, false, false}, {three, true, false}, {three, false, true}}
	if all := got(0, 10); len(all) != 3 || all[0] != want[0] || all[1] != want[1] || all[2] != want[2] {
		t.Errorf("%v instead of %v", all, want)
	}
	if rest := got(approved, 1); len(rest) != 1 || rest[0] != want[1] {
		t.Errorf("one after the approval: %v", rest)
	}
	if none, upTo, err := s.Lessons(ctx, "elsewhere", 0, 10); len(none) != 0 || upTo == 0 || err != nil {
		t.Errorf("another site has %v, %v", none, err)
	}
}
