package store

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/postil/postil/internal/postil"
)

func TestAReportIsStoredOnceAPersonAndSettledByADecision(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	c := say(t, s, "root", 0)
	to(t, s, c.ID, postil.Approved)
	report := func(person string) {
		t.Helper()
		r := postil.Report{Site: "blog", Comment: c.ID, Person: postil.Person{ID: person}, Reason: "spam", Note: "from " + person}
		if err := s.AddReport(ctx, r, nothing); err != nil {
			t.Fatal(err)
		}
	}
	want := func(step string, open int, all int) {
		t.Helper()
		got, err := s.Comment(ctx, c.ID)
		p, err2 := s.Reports(ctx, postil.ReportFilter{Open: true, Limit: 10})
		if err != nil || err2 != nil || got.Reports != open || len(p.Reports) != open || total(t, s, "reports") != all {
			t.Errorf("%s: %d open, %d listed, %d in all (%v, %v)", step, got.Reports, len(p.Reports), total(t, s, "reports"), err, err2)
		}
	}
	report("ann")
	report("bob")
	report("ann")
	want("two people", 2, 2)
	out := to(t, s, c.ID, postil.Rejected)
	want("after a decision", 0, 2)
	if _, err := s.Change(ctx, c.ID, func(postil.Comment, postil.Decision) (*postil.Change, error) {
		return &postil.Change{Verb: postil.UndoneVerb, To: postil.Approved, By: somebody, Undoes: out.Decision.ID}, nil
	}); err != nil {
		t.Fatal(err)
	}
	want("after its undoing", 2, 2)
	to(t, s, c.ID, postil.Spam)
	to(t, s, c.ID, postil.Approved)
	report("ann")
	want("who was heard is not heard again", 0, 2)
	report("cy")
	want("a new voice is", 1, 3)

	events, err := s.PendingEvents(ctx, 0, 100)
	told := 0
	for _, ev := range events {
		if ev.Kind == postil.CommentReported {
			told++
			if ev.PublicChange() != "" {
				t.Errorf("readers are told of a report: %+v", ev)
			}
		}
	}
	if err != nil || told != 3 {
		t.Errorf("%d reports were announced, %v", told, err)
	}
	first, err := s.Reports(ctx, postil.ReportFilter{Site: "blog", Comment: c.ID, Limit: 2})
	rest, err2 := s.Reports(ctx, postil.ReportFilter{Site: "blog", Comment: c.ID, Limit: 2, Cursor: first.Next})
	var notes []string
	for _, r := range append(first.Reports, rest.Reports...) {
		notes = append(notes, fmt.Sprint(r.Note, " ", r.Post, " ", r.Reason, " ", r.Settled.IsZero(), r.Person))
	}
	if w := []string{"from cy /p spam true {false}", "from bob /p spam false {false}", "from ann /p spam false {false}"}; err != nil || err2 != nil || rest.Next != "" || len(notes) != 3 {
		t.Errorf("listed are %q, %v, %v (-want +got):\n%s", notes, err, err2, cmp.Diff(w, notes))
	}
	if _, err := s.Reports(ctx, postil.ReportFilter{Limit: 2, Cursor: "rotten"}); postil.KindOf(err) != postil.Invalid {
		t.Errorf("a rotten cursor: %v", err)
	}
	hidden := say(t, s, "pending", 0)
	for name, r := range map[string]postil.Report{"pending": {Site: "blog", Comment: hidden.ID}, "unknown": {Site: "blog", Comment: 4711}, "of another site": {Site: "other", Comment: c.ID}} {
		if err := s.AddReport(ctx, r, nothing); postil.KindOf(err) != postil.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}
