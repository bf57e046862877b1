package live

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/postil/postil/internal/postil"
)

func reacted(version int64, id postil.CommentID) postil.Event {
	return postil.Event{ID: postil.EventID(version), Kind: postil.CommentReacted, Site: "blog", Post: "/a", Version: version, Comment: id}
}

func TestOfManyReactionsReadersAreToldOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(Options{})
		j := &journal{reader: subscribe(t, h, "x", "/a")}
		f := NewFollower(j, h)
		for version := range int64(200) {
			f.Handle(t.Context(), reacted(version+1, postil.CommentID(7+version%2)))
		}
		wantTaken(t, j.reader, false, postil.Notice{Change: "comment.updated", Event: 1, Post: "/a", Version: 1, Comment: 7})
		if len(j.notes) != 200 {
			t.Errorf("the cache was told %d times", len(j.notes))
		}
		later(reactionPause)
		wantTaken(t, j.reader, false, postil.Notice{Change: "thread.updated", Event: 200, Post: "/a", Version: 200})
		f.Handle(t.Context(), reacted(201, 7))
		wantTaken(t, j.reader, false)
		later(reactionPause)
		wantTaken(t, j.reader, false, postil.Notice{Change: "comment.updated", Event: 201, Post: "/a", Version: 201, Comment: 7})
		later(2 * reactionPause)
		if n := len(f.held); n != 0 {
			t.Errorf("%d threads are remembered after the storm", n)
		}
		f.Handle(t.Context(), reacted(202, 7))
		wantTaken(t, j.reader, false, postil.Notice{Change: "comment.updated", Event: 202, Post: "/a", Version: 202, Comment: 7})
		later(2 * reactionPause)
	})
}

func TestAnApprovalAmongReactionsIsToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(Options{})
		j := &journal{reader: subscribe(t, h, "x", "/a")}
		f := NewFollower(j, h)
		f.Handle(t.Context(), reacted(1, 7))
		taken(j.reader)
		f.Handle(t.Context(), reacted(2, 7))
		f.Handle(t.Context(), postil.Event{ID: 3, Kind: postil.CommentDecided, Site: "blog", Post: "/a", From: postil.Pending, To: postil.Approved, Version: 3, Comment: 9})
		wantTaken(t, j.reader, false, postil.Notice{Change: "comment.approved", Event: 3, Post: "/a", Version: 3, Comment: 9})
		later(2 * reactionPause)
		if have, _ := taken(j.reader); len(have) != 1 {
			t.Errorf("the reaction was told as %v", have)
		}
		later(2 * reactionPause)
	})
}

// later lets the time of a bubble go by and whatever was due then happen.
func later(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
