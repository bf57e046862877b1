package moderation

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/postil/postil/internal/postil"
)

func TestWhatTheJudgeSaysCountsLikeACheck(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		policy postil.Policy
		judge  Judge
		want   postil.Status
		why    string
	}{
		{postil.ByScore, says(-Objection, "reads like an honest comment"), postil.Approved, "honest"},
		{postil.ByScore, says(Objection/2, "perhaps"), postil.Pending, "perhaps"},
		{postil.ByScore, says(Clear, "looks like spam"), postil.Spam, "looks like spam"},
		{postil.FirstComment, says(-Objection, "reads like an honest comment"), postil.Pending, "no comment of this author"},
		{postil.FirstComment, says(Clear, "looks like spam"), postil.Spam, "looks like spam"},
		{postil.HoldAll, says(Clear, "looks like spam"), postil.Pending, "looks like spam"},
		{postil.Open, nil, postil.Approved, "nothing was found"},
		{postil.Open, says(Objection, "rather spam"), postil.Pending, "rather spam"},
		{postil.Open, fails, postil.Pending, "one of the checks failed"},
		{postil.Open, panics, postil.Pending, "one of the checks failed"},
	} {
		w := newWorld(t, row.policy)
		w.worker = NewWorker(quiet, w.Store, row.judge)
		c := w.say("Words about roses and their pruning.")
		w.check(c.ID)
		now := w.now(c.ID)
		if why := postil.Why(now.Verdict, now.Findings); now.Status != row.want || !strings.Contains(why, row.why) || w.asks(c.ID) != (row.want == postil.Pending) {
			t.Errorf("%s, %q: %s, %q", row.policy, row.why, now.Status, why)
		}
	}
}

func says(weight float64, reason string) Judge {
	return func(_ context.Context, _ postil.Comment, text string) (postil.Finding, error) {
		if !strings.Contains(text, "roses") {
			return postil.Finding{}, errors.New("the judge was shown another text")
		}
		return postil.Finding{Weight: weight, Reason: reason}, nil
	}
}

func fails(context.Context, postil.Comment, string) (postil.Finding, error) {
	return postil.Finding{}, errors.New("the store is away")
}

func panics(context.Context, postil.Comment, string) (postil.Finding, error) { panic("a bug") }
