//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
)

// The main job, with every part real.
func TestACommentTravelsFromThePageToTelegramAndToEveryOpenPage(t *testing.T) {
	s := setUp(t, apptest.Options{Telegram: true})
	ann, ben := s.reader(t), s.reader(t)
	mark(t, ann, ben)

	const text = "My grandmother wrote in hers, too."
	write(t, ann, "Ann", text)
	sent := time.Now()
	card := s.Bot.Card(t, soon, text, "Ann", "In praise of wide margins")
	t.Logf("from Send to the card: %v", time.Since(sent).Round(time.Millisecond))
	id := idOf(t, ann, slow, text)
	ann.Shows(t, soon, apptest.OfComment(id, ".head"), "Waiting for the author of this blog")
	if status := statusOfPost(ann); status != 202 {
		t.Errorf("the comment was answered with %d", status)
	}
	if got := s.onDisk(t, text); !slices.Equal(got, []string{"pending"}) {
		t.Errorf("on disk it is %q", got)
	}
	if shows(t, ben, text) {
		t.Error("another reader sees it before the decision")
	}

	s.Bot.Tap(t, card, "Approve")
	took := ben.Shows(t, soon, ".thread", text)
	t.Logf("from the press to the other reader's page: %v", took.Round(time.Millisecond))
	ann.Gone(t, soon, waiting)
	if n := apptest.Eval[int](t, ann, `document.querySelector("postil-comments").shadowRoot.querySelectorAll('.comment[data-id="`+id+`"]').length`); n != 1 {
		t.Errorf("its author sees it %d times", n)
	}
	s.Bot.Card(t, soon, text, "Approved by Anna")
	if got := s.onDisk(t, text); !slices.Equal(got, []string{"approved"}) {
		t.Errorf("on disk it is %q", got)
	}
	unmoved(t, ann, ben)
	quiet(t, ann, ben)
}

func TestADecisionOverRESTReachesEveryOpenPageAndTheCard(t *testing.T) {
	s := setUp(t, apptest.Options{Telegram: true})
	ann, ben := s.reader(t), s.reader(t)
	mark(t, ann, ben)
	const text = "By pencil or by pen?"
	write(t, ann, "Ann", text)
	id := idOf(t, ann, slow, text)
	s.Bot.Card(t, soon, text)

	s.Decide(t, id, "approve")
	ben.Shows(t, soon, ".thread", text)
	ann.Gone(t, soon, waiting)
	s.Bot.Card(t, soon, text, "✅ Approved")

	s.Decide(t, id, "delete")
	ben.Gone(t, soon, apptest.OfComment(id, ".body"))
	unmoved(t, ann, ben)
	quiet(t, ann, ben)
}

// mark and unmoved prove that a page was not loaded again in between.
func mark(t *testing.T, pages ...*apptest.Page) {
	t.Helper()
	for _, p := range pages {
		apptest.Eval[bool](t, p, `window.sameLoad = true`)
	}
}

func unmoved(t *testing.T, pages ...*apptest.Page) {
	t.Helper()
	for i, p := range pages {
		if !apptest.Eval[bool](t, p, `window.sameLoad === true`) {
			t.Errorf("page %d was loaded again", i)
		}
	}
}

func shows(t *testing.T, p *apptest.Page, text string) bool {
	t.Helper()
	return strings.Contains(p.Text(t, ".root"), text)
}

// statusOfPost is how the last comment was answered.
func statusOfPost(p *apptest.Page) (status int64) {
	for _, r := range p.Requests() {
		if r.Method == "POST" && strings.HasSuffix(r.URL, "/comments") {
			status = r.Status
		}
	}
	return status
}
