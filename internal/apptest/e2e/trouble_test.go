//go:build e2e

package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
)

// What a reader wrote survives whatever the server does, and stays one comment.
func TestNothingWrittenIsLostWhenTheServerIsAway(t *testing.T) {
	t.Run("killed", func(t *testing.T) {
		s := setUp(t, apptest.Options{})
		ann := s.reader(t)
		keepsTheText(t, s, ann, func() { s.Kill(t) }, func() { s.Start(t) }, "did not answer")
	})
	// The request waits in the connection of a server that does nothing, and
	// reaches it together with the second attempt.
	t.Run("frozen", func(t *testing.T) {
		s := setUp(t, apptest.Options{})
		ann := s.reader(t)
		keepsTheText(t, s, ann, func() { s.Pause(t) }, func() { s.Resume(t) }, "too long to answer")
	})
}

func keepsTheText(t *testing.T, s *stage, ann *apptest.Page, away, back func(), sentence string) {
	t.Helper()
	const text = "Half a page of thoughts that nobody wants to write twice."
	ann.Type(t, textField, text)
	ann.Fill(t, nameField, "Ann")
	away()
	ann.Click(t, sendIt)
	ann.Shows(t, 25*time.Second, composer+" .notice", sentence)
	if got := ann.Value(t, textField); got != text {
		t.Errorf("the text field has %q", got)
	}
	ann.Shot(t, "notice")
	back()
	ann.Click(t, composer+" .notice .retry")
	id := idOf(t, ann, slow, text)
	ann.Shows(t, slow, apptest.OfComment(id, ".head"), waits)
	if got := ann.Value(t, textField); got != "" {
		t.Errorf("after sending the text field has %q", got)
	}
	if got := s.onDisk(t, text); !slices.Equal(got, []string{"pending"}) {
		t.Errorf("on disk there is %q instead of one pending comment", got)
	}
}

func TestATextThatWasNotSentIsThereAfterAReload(t *testing.T) {
	s := setUp(t, apptest.Options{})
	ann := s.reader(t)
	ann.Type(t, textField, "Unfinished")
	// The draft is kept a moment after the last letter.
	ann.Until(t, slow, "the draft is kept", `Object.values(localStorage).some(v => v.includes("Unfinished"))`)
	ann.Reload(t)
	ann.Ready(t)
	if got := ann.Value(t, textField); got != "Unfinished" {
		t.Errorf("the text field has %q", got)
	}
	quiet(t, ann)
}

// An open page finds its way back to a server that was away.
func TestAnOpenPageKeepsUpAfterTheServerWasAway(t *testing.T) {
	s := setUp(t, apptest.Options{})
	ben := s.reader(t)
	s.Restart(t)
	posted := s.Post(t, apptest.Draft{Post: s.page, Text: "While you were away."})
	s.Decide(t, posted.Comment.ID, "approve")
	ben.Shows(t, slow, ".thread", "While you were away.")
}
