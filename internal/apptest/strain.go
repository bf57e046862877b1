package apptest

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// Slow makes the page's processor this many times slower; 1 is as fast as it is.
func (p *Page) Slow(t testing.TB, times float64) {
	t.Helper()
	p.do(t, fmt.Sprintf("slow down %g times", times), func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: times})
		return chromedp.Void{}, err
	})
}

// ForcedColours is what a reader sees who lets the system choose few colours of
// high contrast.
func (p *Page) ForcedColours(t testing.TB) {
	t.Helper()
	p.media(t, "forced colours", "forced-colors", "active")
}

// Press sends one key with its modifiers (kb.ModifierCtrl, …) to what has the focus.
func (p *Page) Press(t testing.TB, key string, modifiers ...chromedp.Modifier) {
	t.Helper()
	p.do(t, "press "+key, chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers...)))
}

// Compose leaves text under composition in the focused field, as an input method
// does before the person has chosen a word.
func (p *Page) Compose(t testing.TB, text string) {
	t.Helper()
	p.do(t, "compose "+text, func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		n := int64(len([]rune(text)))
		_, err := cdp.Call(ctx, tab, input.ImeSetComposition, input.ImeSetCompositionParams{Text: text, SelectionStart: n, SelectionEnd: n})
		return chromedp.Void{}, err
	})
}
