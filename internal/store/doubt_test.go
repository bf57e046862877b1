package store

import (
	"context"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

func TestTheSpamListIsSortedByDoubtAndForgottenAfterAMonth(t *testing.T) {
	t.Parallel()
	clock := time.UnixMilli(1_700_000_000_000)
	s := open(t, Options{Now: func(context.Context) time.Time { return clock }})
	stopped := func(text string, doubt float64) postil.CommentID {
		c := say(t, s, text, 0)
		_, err := s.Change(ctx, c.ID, func(postil.Comment, postil.Decision) (*postil.Change, error) {
			return &postil.Change{Verb: postil.MarkSpam, To: postil.Spam, By: postil.By{Channel: postil.ByCheck},
				Checks: &postil.Conclusion{Verdict: postil.VerdictSpam, Doubt: doubt}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return c.ID
	}
	sure, unsure, doubtful := stopped("sure", 0), stopped("unsure", 0.02), stopped("doubtful", 0.04)
	marked := say(t, s, "marked by a person", 0).ID
	to(t, s, marked, postil.Spam)
	listed := func() (ids []postil.CommentID) {
		f := postil.CommentFilter{ByDoubt: true, Limit: 2}
		for {
			p, err := s.ListComments(ctx, f)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range p.Comments {
				ids = append(ids, c.ID)
			}
			if f.Cursor = p.Next; f.Cursor == "" {
				return ids
			}
		}
	}
	if got := listed(); len(got) != 3 || got[0] != doubtful || got[1] != unsure || got[2] != sure {
		t.Errorf("%v, want %v", got, []postil.CommentID{doubtful, unsure, sure})
	}
	to(t, s, doubtful, postil.Approved)
	to(t, s, doubtful, postil.Spam) // by a person: no longer a doubt of the checks
	if got := listed(); len(got) != 2 || got[0] != unsure {
		t.Errorf("after a person has looked: %v", got)
	}
	to(t, s, sure, postil.Approved)
	reply := say(t, s, "an answer to it", sure)
	to(t, s, sure, postil.Spam)
	clock = clock.Add(30*24*time.Hour - time.Second)
	for _, gone := range []bool{false, true} {
		if err := s.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		for _, id := range []postil.CommentID{unsure, doubtful, marked} {
			if _, err := s.Comment(ctx, id); (postil.KindOf(err) == postil.NotFound) != gone {
				t.Errorf("gone %t: comment %d: %v", gone, id, err)
			}
		}
		for _, id := range []postil.CommentID{sure, reply.ID} {
			if _, err := s.Comment(ctx, id); err != nil {
				t.Errorf("what was answered: %v", err)
			}
		}
		clock = clock.Add(2 * time.Second)
	}
}
