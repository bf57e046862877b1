package apptest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const shadow = `document.querySelector("postil-comments").shadowRoot`

// In is the JavaScript for the first element inside the widget that a CSS
// selector finds; null when there is none.
func In(selector string) string { return shadow + ".querySelector(" + literal(selector) + ")" }

// OfComment is a selector inside the comment with this id.
func OfComment(id, selector string) string {
	return fmt.Sprintf(`.comment[data-id="%s"] > %s`, id, selector)
}

// literal is text as JavaScript writes it.
func literal(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can always be written
	}
	return string(raw)
}

// Ready waits until the widget shows its thread and listens for changes.
func (p *Page) Ready(t testing.TB) {
	t.Helper()
	p.Until(t, patience, "the widget shows its thread", `document.querySelector("postil-comments")?.dataset.state === "ready"`)
	if !p.shares { // else another page may hold the one stream
		Eventually(t, patience, "the widget listens for changes", p.listens)
	}
}

// Visit opens an address and waits for the widget.
func (p *Page) Visit(t testing.TB, url string) {
	t.Helper()
	p.Open(t, url)
	p.Ready(t)
}

// Text returns the text that an element inside the widget shows, "" when it
// is not there.
func (p *Page) Text(t testing.TB, selector string) string {
	t.Helper()
	return Eval[string](t, p, In(selector)+"?.innerText ?? ''")
}

// HTML returns the markup inside an element of the widget.
func (p *Page) HTML(t testing.TB, selector string) string {
	t.Helper()
	return Eval[string](t, p, In(selector)+"?.innerHTML ?? ''")
}

// Value returns what stands in an input of the widget.
func (p *Page) Value(t testing.TB, selector string) string {
	t.Helper()
	return Eval[string](t, p, In(selector)+"?.value ?? ''")
}

// Shows waits until the text of an element inside the widget contains text.
func (p *Page) Shows(t testing.TB, within time.Duration, selector, text string) time.Duration {
	t.Helper()
	return p.Until(t, within, fmt.Sprintf("%q shows %q", selector, text), In(selector)+"?.innerText.includes("+literal(text)+")")
}

// Gone waits until no element inside the widget matches.
func (p *Page) Gone(t testing.TB, within time.Duration, selector string) {
	t.Helper()
	p.Until(t, within, fmt.Sprintf("%q is gone", selector), "!"+In(selector))
}

// Click presses the mouse on an element inside the widget.
func (p *Page) Click(t testing.TB, selector string) {
	t.Helper()
	p.Until(t, patience, fmt.Sprintf("%q can be seen", selector), In(selector)+"?.checkVisibility()")
	p.do(t, "click "+selector, chromedp.Click(chromedp.JSPath(In(selector))))
}

// Type writes into an input of the widget key by key, after what is there.
func (p *Page) Type(t testing.TB, selector, text string) {
	t.Helper()
	p.Click(t, selector)
	p.do(t, "type into "+selector, chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(kb.ModifierCtrl)), chromedp.SendKeys(chromedp.JSPath(In(selector)), text))
}

// Fill puts a text in place of what stands in an input of the widget, at once,
// as pasting does.
func (p *Page) Fill(t testing.TB, selector, text string) {
	t.Helper()
	p.Click(t, selector)
	Eval[chromedp.Void](t, p, In(selector)+".select()")
	p.do(t, "fill "+selector, func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, input.InsertText, input.InsertTextParams{Text: text})
		return chromedp.Void{}, err
	})
}
