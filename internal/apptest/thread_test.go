package apptest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/postil/postil/internal/app"
	"github.com/postil/postil/internal/apptest"
)

func TestTHR_08_WhoAnsweredWhomIsToldAtEveryDepth(t *testing.T) {
	t.Parallel()
	svc := apptest.Start(t, apptest.Options{Set: func(c *app.Config) { c.Limits = "off" }})
	var ids []string
	parent := ""
	for i := range 9 {
		posted := svc.Post(t, apptest.Draft{Post: "/deep", Text: fmt.Sprintf("answer number %d of a long talk", i), Parent: parent})
		svc.AwaitAsked(t, 10*time.Second, posted.Comment.ID)
		svc.Decide(t, posted.Comment.ID, "approve")
		ids, parent = append(ids, posted.Comment.ID), posted.Comment.ID
	}
	thread := svc.Thread(t, "/deep")
	for i, id := range ids {
		c := thread.Find(id)
		if c == nil {
			t.Fatalf("comment %s at depth %d is not listed", id, i)
		}
		want := ""
		if i > 0 {
			want = ids[i-1]
		}
		above := ""
		if c.ParentID != nil {
			above = *c.ParentID
		}
		if above != want || c.Depth != i {
			t.Errorf("comment %s stands at depth %d below %q, not at %d below %q", id, c.Depth, above, i, want)
		}
		if c.CanReply != (i < 8) {
			t.Errorf("THR-07: at depth %d the server says can_reply = %t", i, c.CanReply)
		}
	}
}
