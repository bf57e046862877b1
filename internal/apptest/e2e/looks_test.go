//go:build e2e

package e2e

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/postil/postil/internal/apptest"
	"github.com/postil/postil/internal/apptest/fakebot"
)

// A thread with everything in it that is hard to lay out.
func fill(t *testing.T, s *stage) {
	t.Helper()
	parent := ""
	for i, d := range []apptest.Draft{
		{Name: "Ολυμπία", Text: "A very long word: " + strings.Repeat("Donaudampfschifffahrts", 12)},
		{Name: strings.Repeat("Very Long Name ", 4), Text: "```go\nfunc main() { fmt.Println(\"" + strings.Repeat("a long line of code ", 12) + "\") }\n```"},
		{Name: "מרים", Text: "שלום לכולם, this line has **two** directions."},
		{Name: "Ida", Text: "- one\n- two\n  1. deep\n  2. deeper\n\n> a quote\n> > in a quote\n\nhttps://example.com/" + strings.Repeat("a-long-path/", 20)},
	} {
		d.Post, d.Device, d.Parent = s.page, fmt.Sprintf("device-of-the-reader-%d", i), parent
		posted := s.Post(t, d)
		s.Decide(t, posted.Comment.ID, "approve")
		parent = posted.Comment.ID
	}
	for i := range 3 {
		posted := s.Post(t, apptest.Draft{Post: s.page, Name: "Ida", Text: fmt.Sprintf("And deeper, %d.", i), Parent: parent, Device: fmt.Sprintf("device-of-the-deep-%d", i)})
		s.Decide(t, posted.Comment.ID, "approve")
		parent = posted.Comment.ID
	}
}

func TestThePageLooksRightInLightAndDarkAndOnAPhone(t *testing.T) {
	s := setUp(t, apptest.Options{}, "POSTIL_LIMITS=off")
	fill(t, s)
	ann := s.browser.Reader(t)
	for _, size := range []struct {
		name          string
		width, height int64
		mobile        bool
	}{{"desk", 1100, 900, false}, {"phone", 375, 812, true}, {"narrow", 320, 640, true}} {
		ann.Size(t, size.width, size.height, size.mobile)
		for _, scheme := range []string{"light", "dark"} {
			if scheme == "dark" {
				ann.Dark(t)
			} else {
				ann.Light(t)
			}
			ann.Open(t, s.page)
			// The widget of a narrow page begins far below its first screen.
			apptest.Eval[bool](t, ann, `(document.querySelector("postil-comments").scrollIntoView(), true)`)
			ann.Ready(t)
			wants := map[string]string{"light": "light", "dark": "dark"}[scheme]
			if got := apptest.Eval[string](t, ann, apptest.In(".root")+".dataset.scheme"); got != wants {
				t.Errorf("%s, %s: the widget is %s", size.name, scheme, got)
			}
			noSideways(t, ann, size.name+", "+scheme)
			readable(t, ann, size.name+", "+scheme)
			ann.Shot(t, size.name+"-"+scheme)
		}
	}
	quiet(t, ann)
}

// The states that a reader meets while writing.
func TestWritingLooksRight(t *testing.T) {
	s := setUp(t, apptest.Options{}, "POSTIL_LIMITS=off")
	for _, size := range []struct {
		name          string
		width, height int64
		mobile        bool
	}{{"desk", 1100, 900, false}, {"phone", 375, 812, true}} {
		ann := s.browser.Reader(t)
		ann.Light(t)
		ann.Size(t, size.width, size.height, size.mobile)
		ann.Visit(t, s.page)
		ann.Type(t, textField, "A note, *nearly* finished.")
		ann.Fill(t, nameField, "Ann")
		ann.Click(t, composer+" .formatting")
		noSideways(t, ann, size.name+", writing")
		ann.Shot(t, size.name+"-writing")
		ann.Click(t, sendIt)
		id := idOf(t, ann, slow, "A note, nearly finished.")
		ann.Click(t, apptest.OfComment(idOf(t, ann, slow, "A clean page is a page"), ".actions .reply"))
		ann.Shot(t, size.name+"-pending-and-reply")
		ann.Click(t, apptest.OfComment(id, ".actions .edit"))
		noSideways(t, ann, size.name+", editing")
		ann.Shot(t, size.name+"-editing")
		quiet(t, ann)
	}
}

func noSideways(t *testing.T, p *apptest.Page, when string) {
	t.Helper()
	if over := apptest.Eval[int](t, p, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
		t.Errorf("%s: the page is %d px too wide", when, over)
	}
}

// readable fails when a text has too little contrast with the page behind it.
func readable(t *testing.T, p *apptest.Page, when string) {
	t.Helper()
	const js = `(() => {
		const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
		const pixel = (...colors) => {
			canvas.clearRect(0, 0, 1, 1);
			for (const color of colors) { canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); }
			return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((v) => v / 255);
		};
		const light = (rgb) => rgb.map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
		const behind = (e, layers = []) => {
			for (; e; e = e.parentElement ?? e.getRootNode().host) layers.unshift(getComputedStyle(e).backgroundColor);
			return [matchMedia("(prefers-color-scheme: dark)").matches ? "#121212" : "#fff", ...layers];
		};
		const root = document.querySelector("postil-comments").shadowRoot;
		const faint = [];
		for (const e of root.querySelectorAll("*")) {
			const own = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join("");
			if (!own || !e.checkVisibility() || e.closest(".unseen, [disabled], style")) continue;
			const layers = behind(e);
			const a = light(pixel(...layers)), b = light(pixel(...layers, getComputedStyle(e).color));
			const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
			if (ratio < 4.5) faint.push(e.tagName.toLowerCase() + "." + e.className + " “" + own.slice(0, 30) + "” " + ratio.toFixed(2));
		}
		return [...new Set(faint)];
	})()`
	for _, faint := range apptest.Eval[[]string](t, p, js) {
		t.Errorf("%s: too little contrast: %s", when, faint)
	}
}

// drawn is a page that shows a message as a chat does: what was sent, in the
// HTML of the Bot API, and the buttons below it.
func drawn(m fakebot.Message) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><title>A card</title><link rel="icon" href="data:,"><style>
body { margin: 0; padding: 24px; background: #dfe5d3; font: 15px/1.45 system-ui, sans-serif; color: #111 }
.card { max-width: 430px; white-space: pre-wrap; overflow-wrap: anywhere; background: #fff; border-radius: 14px; padding: 10px 14px; box-shadow: 0 1px 1px #0002 }
.row { display: flex; gap: 4px; max-width: 458px; margin-top: 4px } .row span { flex: 1; text-align: center; padding: 8px 4px; border-radius: 10px; background: #6b7f63; color: #fff }
blockquote { margin: 4px 0; padding: 2px 10px; border-left: 3px solid #6b7f63; background: #f2f5ee } a { color: #2b6cb0; text-decoration: none }
</style><div class="card">` + m.Source + `</div>`)
	for _, row := range m.Buttons {
		b.WriteString(`<div class="row">`)
		for _, button := range row {
			b.WriteString("<span>" + html.EscapeString(button.Text) + "</span>")
		}
		b.WriteString("</div>")
	}
	return b.String()
}

func TestTheCardLooksRight(t *testing.T) {
	s := setUp(t, apptest.Options{Telegram: true})
	write(t, s.reader(t), "Ann", "Too much salt? I think the *lentils* were right.")
	card := s.Bot.Card(t, slow, "Too much salt?")
	if len(card.Buttons) == 0 {
		t.Fatal("the card has no buttons")
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, drawn(card))
	}))
	defer page.Close()
	p := s.browser.Reader(t)
	p.Size(t, 520, 260, false)
	p.Open(t, page.URL)
	noSideways(t, p, "the card")
	p.Shot(t, "card")
}
