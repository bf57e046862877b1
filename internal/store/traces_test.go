package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

func TestTracesTellWhatAnActorAndItsNetworkSentWithinADay(t *testing.T) {
	t.Parallel()
	clock := time.UnixMilli(1_700_000_000_000)
	s := open(t, Options{Now: func(context.Context) time.Time { return clock }})
	n := 0
	said := func(actor, network string, trap bool, status postil.Status) {
		n++
		out, err := s.AddComment(ctx, postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/p"}, Text: fmt.Sprint(n), Nonce: "n",
			Origin: postil.Origin{Actor: actor, Network: network}, Form: postil.FormState{Trap: trap}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if status != postil.Pending {
			to(t, s, out.Comment.ID, status)
		}
	}
	said("ann", "here", true, postil.Spam)
	clock = clock.Add(24 * time.Hour)
	said("ann", "here", true, postil.Spam)
	clock = clock.Add(time.Hour)
	said("ann", "here", false, postil.Pending)
	said("bob", "here", false, postil.Spam)
	said("ann", "there", true, postil.Spam)
	said("cat", "", true, postil.Spam)
	for _, c := range []struct {
		actor, network string
		want           postil.Traces
	}{
		{"ann", "here", postil.Traces{Spam: 1, Traps: 1, Burst: 1, Nearby: 2, Crowded: 2}},
		{"bob", "here", postil.Traces{Spam: 1, Burst: 1, Nearby: 2, Crowded: 2}},
		{"new", "here", postil.Traces{Nearby: 2, Crowded: 2}},
		{"new", "elsewhere", postil.Traces{}},
		{"cat", "", postil.Traces{}},
	} {
		if got, err := s.Traces(ctx, c.actor, c.network); err != nil || got != c.want {
			t.Errorf("%s in %s: %+v, %v; want %+v", c.actor, c.network, got, err, c.want)
		}
	}
}
