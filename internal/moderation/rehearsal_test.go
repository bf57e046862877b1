package moderation

import (
	"context"
	"testing"

	"github.com/postil/postil/internal/postil"
)

func TestARehearsalConcludesAsTheWorkerWouldAndLeavesEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.ByScore)
	w.worker = NewWorker(quiet, w.Store, func(_ context.Context, _ postil.Comment, text string) (postil.Finding, error) {
		return postil.Finding{Weight: -Objection, P: 0.1, Reason: "honest"}, nil
	})
	asked := 0
	c := w.say("Words about roses and their pruning.")
	w.check(c.ID)
	w.worker.Consult(Outside{Name: "outside", Ask: func(context.Context, postil.Comment, string, []string) (postil.Finding, error) {
		asked++
		return postil.Finding{}, nil
	}})
	before := w.now(c.ID)
	w.events()
	with := Supposed{
		Site:    func(s postil.Site) postil.Site { return s },
		Rulings: func(postil.SiteID) []postil.Ruling { return nil },
		Opinion: func(_ postil.SiteID, f postil.Finding) (postil.Finding, bool) { return f, true },
	}
	for _, row := range []struct {
		what   string
		change func(*Supposed)
		want   postil.Verdict
	}{
		{"nothing", func(*Supposed) {}, before.Verdict},
		{"a policy", func(s *Supposed) {
			s.Site = func(v postil.Site) postil.Site { v.Policy = postil.HoldAll; return v }
		}, postil.VerdictHold},
		{"a word", func(s *Supposed) {
			s.Rulings = func(postil.SiteID) []postil.Ruling {
				r, err := postil.Ruling{Site: "blog", Subject: postil.Subject{Kind: postil.OnWord, Value: "roses"}, Effect: postil.EffectSpam}.Check()
				if err != nil {
					t.Fatal(err)
				}
				return []postil.Ruling{r}
			}
		}, postil.VerdictSpam},
		{"no classifier", func(s *Supposed) {
			s.Opinion = func(postil.SiteID, postil.Finding) (postil.Finding, bool) { return postil.Finding{}, false }
		}, postil.VerdictHold},
		{"nothing again", func(*Supposed) {}, before.Verdict},
	} {
		supposed := with
		row.change(&supposed)
		got, err := w.worker.Rehearse(supposed).Conclude(ctx, c.ID)
		if err != nil || got != row.want {
			t.Errorf("%s: %s, %v, want %s", row.what, got, err, row.want)
		}
	}
	if after := w.now(c.ID); before.Verdict != postil.VerdictApprove || after.Status != before.Status || len(w.events()) != 0 || asked != 0 {
		t.Errorf("before %+v, after %+v, another service was asked %d times", before, after, asked)
	}
}
