package apptest_test

import (
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m) }

// A comment's whole way, in one process.
func TestACommentTravelsFromTheReaderToTheModeratorAndBack(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Telegram: true})
	news := a.Stream(t, "/post")
	posted := a.Post(t, apptest.Draft{Text: "A first word."})
	card := a.Bot.Card(t, 5*time.Second, "A first word.")
	a.AwaitAsked(t, 5*time.Second, posted.Comment.ID)
	if n := len(a.Thread(t, "/post").Comments); n != 0 {
		t.Fatalf("%d comments are public before a decision", n)
	}
	a.Bot.Tap(t, card, "Approve")
	news.Next(t, 5*time.Second, "comment.approved")
	if a.Thread(t, "/post").Find(posted.Comment.ID) == nil {
		t.Error("the event came before the comment was public")
	}
	a.Bot.Card(t, 5*time.Second, "Approved by Anna")
	if d := a.Decide(t, posted.Comment.ID, "reject"); !d.Changed {
		t.Error("a decision over REST changed nothing")
	}
	news.Next(t, 5*time.Second, "comment.removed")
}

func TestTheBinaryKeepsWhatItHadOverAKill(t *testing.T) {
	t.Parallel()
	p := apptest.RunBinary(t, apptest.Options{})
	posted := p.Post(t, apptest.Draft{Text: "Still here?"})
	p.Restart(t)
	p.Decide(t, posted.Comment.ID, "approve")
	if p.Thread(t, "/post").Find(posted.Comment.ID) == nil {
		t.Error("the comment is gone")
	}
	if code := p.Stop(t); code != 0 {
		t.Errorf("asked to end, it ended with %d", code)
	}
}

func TestTheServiceAnswersBelowAPathPrefix(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Prefix: "/comments"})
	a.Post(t, apptest.Draft{Text: "Under the path."})
}
