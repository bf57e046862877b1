//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

const waits = "Waiting for the author of this blog"

func TestReadersKeepChangeAndDeleteWhatTheySent(t *testing.T) {
	s := setUp(t, apptest.Options{})
	ann, ben := s.reader(t), s.reader(t)
	write(t, ann, "Ann", "A slip of the pen.")
	id := idOf(t, ann, slow, "A slip of the pen.")

	ann.Reload(t)
	ann.Ready(t)
	ann.Shows(t, slow, apptest.OfComment(id, ".head"), waits)
	ann.Shows(t, slow, apptest.OfComment(id, ".body"), "A slip of the pen.")
	if got := ann.Value(t, nameField); got != "Ann" {
		t.Errorf("after a reload the name field has %q", got)
	}

	edit(t, ann, id, "A slip of the *pencil*.")
	ann.Shows(t, slow, apptest.OfComment(id, ".body"), "A slip of the pencil.")
	if got := s.onDisk(t, "A slip of the *pencil*."); !slices.Equal(got, []string{"pending"}) {
		t.Errorf("the change is on disk as %q", got)
	}

	remove := apptest.OfComment(id, ".actions .remove")
	ann.Click(t, remove)
	ann.Shows(t, slow, remove, "Delete for good")
	ann.Click(t, remove)
	ann.Gone(t, slow, apptest.OfComment(id, ".body"))
	s.AwaitStatus(t, slow, id, "deleted")
	if shows(t, ben, "slip") {
		t.Error("another reader saw it")
	}
	quiet(t, ann, ben)
}

func TestAChangeOfAPublicCommentWaitsBesideTheOldText(t *testing.T) {
	s := setUp(t, apptest.Options{Telegram: true})
	ann, ben := s.reader(t), s.reader(t)
	write(t, ann, "Ann", "The first wording.")
	id := idOf(t, ann, slow, "The first wording.")
	s.Decide(t, id, "approve")
	ben.Shows(t, soon, ".thread", "The first wording.")
	ann.Gone(t, soon, waiting)

	edit(t, ann, id, "The second wording.")
	ann.Shows(t, slow, apptest.OfComment(id, ".body"), "The second wording.")
	card := s.Bot.Card(t, soon, "The second wording.")
	if !shows(t, ben, "The first wording.") || shows(t, ben, "The second wording.") {
		t.Error("another reader does not see the old text alone")
	}
	s.Bot.Tap(t, card, "Approve edit")
	ben.Shows(t, soon, apptest.OfComment(id, ".body"), "The second wording.")
	ben.Shows(t, soon, apptest.OfComment(id, ".head"), "edited")
	quiet(t, ann, ben)
}

// edit opens the comment, replaces its text and presses Save.
func edit(t *testing.T, p *apptest.Page, id, text string) {
	t.Helper()
	p.Click(t, apptest.OfComment(id, ".actions .edit"))
	p.Fill(t, apptest.OfComment(id, ".place textarea"), text)
	p.Click(t, apptest.OfComment(id, ".place .send"))
	p.Gone(t, slow, apptest.OfComment(id, ".place .composer"))
}

func TestThePreviewIsWhatIsPublished(t *testing.T) {
	s := setUp(t, apptest.Options{})
	ann, ben := s.reader(t), s.reader(t)
	const text = "A *list* of `things`:\n\n- one\n- [two](https://two.example/)\n\n> a quote & <b>more</b>\n\nאבג and 日本"
	ann.Type(t, textField, text)
	ann.Fill(t, nameField, "Ann")
	ann.Click(t, composer+" .show-preview")
	ann.Shows(t, slow, composer+" .preview", "a quote")
	preview := ann.HTML(t, composer+" .preview .body")
	ann.Shot(t, "preview")
	ann.Click(t, sendIt)
	id := idOf(t, ann, slow, "a quote")
	own := ann.HTML(t, apptest.OfComment(id, ".body"))
	s.Decide(t, id, "approve")
	ben.Shows(t, soon, apptest.OfComment(id, ".body"), "a quote")
	public := ben.HTML(t, apptest.OfComment(id, ".body"))
	if preview != public || own != public {
		t.Errorf("preview:\n%s\nown, while it waits:\n%s\npublic:\n%s", preview, own, public)
	}
	if !strings.Contains(public, "<em>list</em>") {
		t.Errorf("the text was not rendered: %s", public)
	}
	quiet(t, ann, ben)
}

func TestAReplyStandsBelowWhatItAnswers(t *testing.T) {
	s := setUp(t, apptest.Options{})
	ann, ben := s.reader(t), s.reader(t)
	parent := idOf(t, ann, slow, "Is there a word for notes")
	ann.Click(t, apptest.OfComment(parent, ".actions .reply"))
	place := apptest.OfComment(parent, ".place ")
	ann.Type(t, place+"textarea", "Marginalia squared.")
	ann.Fill(t, place+`input[name="name"]`, "Ann")
	ann.Click(t, place+".send")
	id := idOf(t, ann, slow, "Marginalia squared.")
	ann.Shows(t, slow, apptest.OfComment(id, ".head"), waits)
	s.Decide(t, id, "approve")
	ben.Shows(t, soon, apptest.OfComment(id, ".body"), "Marginalia squared.")
	for _, p := range []*apptest.Page{ann, ben} {
		standing := apptest.Eval[string](t, p, apptest.In(".comment[data-id='"+parent+"']")+`.nextElementSibling.dataset.id + " at " + `+apptest.In(".comment[data-id='"+id+"']")+`.style.getPropertyValue("--_level")`)
		if standing != id+" at 1" {
			t.Errorf("below the parent stands %s instead of %s at 1", standing, id)
		}
	}
	quiet(t, ann, ben)
}
