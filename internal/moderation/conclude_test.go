package moderation

import (
	"strings"
	"testing"

	"github.com/postil/postil/internal/postil"
)

// The whole policy as a table: site, what was found, what is remembered, and
// what follows.
func TestMOD_08_OnePolicyFunctionHasATruthTable(t *testing.T) {
	t.Parallel()
	none := []postil.Finding(nil)
	hint := []postil.Finding{{Weight: 0.5, Reason: "odd"}}
	objects := []postil.Finding{{Weight: Objection, Reason: "too many links"}}
	clear := []postil.Finding{{Weight: Clear, Reason: "known spam"}}
	praise := []postil.Finding{{Weight: -Objection, Reason: "kind words"}}
	honest := []postil.Finding{{Check: Learned, Weight: -Objection, Reason: "reads like an honest comment"}}
	doubt := []postil.Finding{{Check: Learned, Weight: Objection / 2, Reason: "perhaps spam"}}
	for _, row := range []struct {
		policy   postil.Policy
		lockdown bool
		approved int
		found    []postil.Finding
		want     postil.Verdict
		why      string
	}{
		{postil.HoldAll, false, 0, none, postil.VerdictHold, "everything waits"},
		{postil.HoldAll, false, 100, none, postil.VerdictHold, "everything waits"},
		{postil.HoldAll, false, 100, praise, postil.VerdictHold, "everything waits"},
		{postil.HoldAll, false, 0, clear, postil.VerdictHold, "known spam, everything waits"},
		{postil.HoldAll, true, 100, none, postil.VerdictHold, "paused"},
		{postil.FirstComment, false, 0, none, postil.VerdictHold, "no comment of this author was approved yet"},
		{postil.FirstComment, false, 0, praise, postil.VerdictHold, "no comment of this author"},
		{postil.FirstComment, false, 0, hint, postil.VerdictHold, "odd, no comment of this author"},
		{postil.FirstComment, false, 0, objects, postil.VerdictHold, "too many links"},
		{postil.FirstComment, false, 0, clear, postil.VerdictSpam, "known spam"},
		{postil.FirstComment, false, 1, none, postil.VerdictApprove, "one comment of this author approved before"},
		{postil.FirstComment, false, 3, hint, postil.VerdictApprove, "three comments of this author"},
		{postil.FirstComment, false, 1, praise, postil.VerdictApprove, "kind words"},
		{postil.FirstComment, false, 1, objects, postil.VerdictHold, "too many links"},
		{postil.FirstComment, false, 1, append(praise, objects...), postil.VerdictHold, "too many links"},
		{postil.FirstComment, false, 1, clear, postil.VerdictSpam, "known spam"},
		{postil.FirstComment, true, 1, none, postil.VerdictHold, "paused"},
		{postil.FirstComment, true, 1, clear, postil.VerdictHold, "paused"},
		{postil.FirstComment, false, 0, honest, postil.VerdictHold, "held: no comment of this author was approved yet, reads like an honest comment"},
		{postil.FirstComment, false, 1, doubt, postil.VerdictApprove, "one comment of this author"},
		{postil.ByScore, false, 0, none, postil.VerdictHold, "not clear enough"},
		{postil.ByScore, false, 5, none, postil.VerdictHold, "not clear enough"},
		{postil.ByScore, false, 0, praise, postil.VerdictHold, "not clear enough"},
		{postil.ByScore, false, 0, honest, postil.VerdictApprove, "reads like an honest comment"},
		{postil.ByScore, false, 5, doubt, postil.VerdictHold, "perhaps spam, not clear enough"},
		{postil.ByScore, false, 5, append(honest, objects...), postil.VerdictHold, "too many links"},
		{postil.ByScore, false, 5, clear, postil.VerdictSpam, "known spam"},
		{postil.ByScore, true, 5, honest, postil.VerdictHold, "paused"},
		{postil.Open, false, 0, none, postil.VerdictApprove, "nothing was found against it"},
		{postil.Open, false, 0, doubt, postil.VerdictApprove, "perhaps spam, nothing was found"},
		{postil.Open, false, 0, objects, postil.VerdictHold, "too many links"},
		{postil.Open, false, 0, clear, postil.VerdictSpam, "known spam"},
		{postil.Open, true, 0, none, postil.VerdictHold, "paused"},
		{"a policy of a newer version", false, 0, none, postil.VerdictHold, "no comment of this author"},
		{"", false, 0, none, postil.VerdictHold, "no comment of this author"},
	} {
		m := postil.Memory{Site: postil.Site{Policy: row.policy, Lockdown: row.lockdown}, Record: postil.AuthorRecord{Approved: row.approved}}
		got := Conclude(m, row.found)
		if why := postil.Why(got.Verdict, got.Findings); got.Verdict != row.want || !strings.Contains(why, row.why) {
			t.Errorf("%s, lockdown %t, %d approved, %v: %s, %q", row.policy, row.lockdown, row.approved, row.found, got.Verdict, why)
		}
	}
}

func TestMOD_08_AnonymousCommentsWaitWhateverTheyCarry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postil.HoldAll)
	known := w.say("Known and welcome words.")
	w.check(known.ID)
	w.decide(known.ID, postil.Approve)
	same := w.say("More of these words.") // the same name, device and text style
	w.check(same.ID)
	if got := w.now(same.ID); got.Status != postil.Pending || !w.asks(same.ID) {
		t.Errorf("hold-all: %s", got.Status)
	}
	if _, err := w.SetSite(ctx, "blog", mo, func(v *postil.Site) error { v.Policy = postil.FirstComment; return nil }); err != nil {
		t.Fatal(err)
	}
	for name, origin := range map[string]postil.Origin{"no device": {}, "another device": {Device: "bob's"}, "the same address": {Actor: "a", Network: "n"}} {
		out, err := w.AddComment(ctx, postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/p"}, Text: "Hello from " + name, Nonce: "n",
			Author: postil.Author{Name: "Ann", Email: "ann@mail.example"}, Origin: origin}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.check(out.Comment.ID)
		if got := w.now(out.Comment.ID); got.Status != postil.Pending || !w.asks(got.ID) {
			t.Errorf("first-comment, %s: %s", name, got.Status)
		}
	}
	trusted := w.say("Ann once more, on her own device.")
	w.check(trusted.ID)
	if got := w.now(trusted.ID); got.Status != postil.Approved {
		t.Errorf("first-comment, the same device: %s, %s", got.Status, postil.Why(got.Verdict, got.Findings))
	}
}
