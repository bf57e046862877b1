package apptest_test

import (
	"fmt"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

func TestTHR_08_WhoAnsweredWhomIsToldAtEveryDepth(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t, apptest.Options{})
	var ids []string
	parent := ""
	for i := range 9 {
		posted := app.Post(t, apptest.Draft{Post: "/deep", Text: fmt.Sprintf("answer number %d of a long talk", i), Parent: parent})
		app.AwaitAsked(t, within, posted.ID)
		app.Decide(t, posted.ID, "approve")
		ids, parent = append(ids, posted.ID), posted.ID
	}
	thread := app.Thread(t, "/deep")
	for i, id := range ids {
		c := thread.Find(id)
		if c == nil {
			t.Fatalf("comment %s at depth %d is not listed", id, i)
		}
		want := ""
		if i > 0 {
			want = ids[i-1]
		}
		if c.Parent != want || c.Depth != i {
			t.Errorf("comment %s stands at depth %d below %q, not at %d below %q", id, c.Depth, c.Parent, i, want)
		}
		if c.CanReply != (i < 8) {
			t.Errorf("THR-07: at depth %d the server says can_reply = %t", i, c.CanReply)
		}
	}
}
