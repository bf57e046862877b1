package intake

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/token"
)

type trail postil.Traces

func (t trail) Traces(context.Context, string, string) (postil.Traces, error) {
	return postil.Traces(t), nil
}

func TestWorkIsAskedForAfterSuspiciousBehaviourAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		traces trail
		greedy bool
		want   int
	}{
		{"nothing known", trail{}, false, 0},
		{"a quick talker", trail{Burst: 4, Crowded: 4}, false, 0},
		{"a neighbour whose comment was marked", trail{Nearby: 1, Crowded: 11}, false, 0},
		{"spam before", trail{Spam: 1, Nearby: 1}, false, 16},
		{"the trap was filled in", trail{Traps: 1}, false, 16},
		{"one comment after another", trail{Burst: 5, Crowded: 5}, false, 16},
		{"a bad neighbourhood", trail{Nearby: 3}, false, 16},
		{"a wave from one network", trail{Crowded: 12}, false, 16},
		{"many forms", trail{}, true, 16},
		{"everything", trail{Spam: 2, Traps: 1, Burst: 9, Nearby: 9, Crowded: 20}, true, 22},
	} {
		s := NewSuspicion(c.traces, func(context.Context, string) bool { return c.greedy })
		if got, err := s.Work(ctx, "actor", "network"); err != nil || got != c.want {
			t.Errorf("%s: %d bits, %v; want %d", c.name, got, err, c.want)
		}
	}
}

// asks wants this much work from everybody.
type asks int

func (a asks) Work(context.Context, string, string) (int, error) { return int(a), nil }

func TestAProofOfWorkBelongsToItsFormAndItsSender(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ask := postil.FormRequest{Site: "blog", Post: "/p", Bucket: "ann"}
	if f, err := d.Form(ctx, ask); err != nil || f.Work != nil {
		t.Fatalf("work is asked for without a reason: %+v, %v", f.Work, err)
	}
	d.wary = asks(6)
	solved := func() (tok, solution string) {
		f, err := d.Form(ctx, ask)
		if err != nil || f.Work == nil || f.Work.Bits != 6 {
			t.Fatalf("%+v, %v", f.Work, err)
		}
		n := 0
		for !token.Solves(f.Work.Challenge, strconv.Itoa(n), f.Work.Bits) {
			n++
		}
		d.clock = d.clock.Add(5 * time.Second)
		return f.Token, strconv.Itoa(n)
	}
	state := func(text, bucket, tok, solution string) postil.FormState {
		s := submission(text)
		s.Post, s.Bucket, s.Token, s.Solution = "/p", bucket, tok, solution
		return d.send(s).Comment.FormState
	}
	tok, solution := solved()
	if got := state("solved", "ann", tok, solution); got.Work != "ok" || got.Token != "ok" {
		t.Errorf("solved: %+v", got)
	}
	if got := state("once more", "ann", tok, solution); got.Token != "reused" {
		t.Errorf("the same solution again: %+v", got)
	}
	tok, _ = solved()
	if got := state("unsolved", "ann", tok, ""); got.Work != "missing" {
		t.Errorf("unsolved: %+v", got)
	}
	wrong := 0
	for range 8 { // a challenge of six bits is solved by chance now and then
		tok, solution = solved()
		if got := state("from elsewhere "+tok, "bob", tok, solution); got.Work == "wrong" {
			wrong++
		}
	}
	if wrong < 6 {
		t.Errorf("%d of 8 solutions of another client are wrong", wrong)
	}
}
