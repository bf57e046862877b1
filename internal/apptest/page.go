package apptest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take for what it does by itself.
const patience = 30 * time.Second

// Page is one open page. Its methods fail the test when the page does not do
// what they say.
type Page struct {
	ctx context.Context
	*Seen
	shares bool // has pages of the same person beside it, which may listen for it
}

func newPage(t testing.TB, parent context.Context, o ...chromedp.ContextOption) *Page {
	t.Helper()
	seen := &Seen{}
	ctx, closePage := chromedp.NewContext(parent, append(o, chromedp.WithListener(seen.note))...)
	t.Cleanup(closePage)
	p := &Page{ctx: ctx, Seen: seen}
	focus := func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		// Without it a page that is not in front gets no focus events.
		_, err := cdp.Call(ctx, tab, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return chromedp.Void{}, err
	}
	p.do(t, "a page opens", focus, func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, network.Enable, network.EnableParams{})
		return chromedp.Void{}, err
	})
	go seen.answerDialogs(ctx)
	return p
}

// do runs actions, together within the patience.
func (p *Page) do(t testing.TB, what string, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(p.ctx); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatalf("%s: %v\n%s", what, err, p.report())
	}
}

// Eval evaluates JavaScript in the page; T is what the value is decoded to.
func Eval[T any](t testing.TB, p *Page, js string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js))
	if err != nil {
		t.Fatalf("%s: %v\n%s", js, err, p.report())
	}
	return v
}

// Before has a script run in each document that the page opens from now on, before those of the document.
func (p *Page) Before(t testing.TB, js string) {
	t.Helper()
	p.do(t, "a script before all others", func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: js})
		return chromedp.Void{}, err
	})
}

// Await evaluates JavaScript whose value is a promise, and waits for what it
// promises.
func Await[T any](t testing.TB, p *Page, js string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 4*patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v\n%s", js, err, p.report())
	}
	return v
}

// Open goes to an address and waits until it is loaded.
func (p *Page) Open(t testing.TB, url string) {
	t.Helper()
	p.turn()
	p.do(t, "open "+url, chromedp.Navigate(url))
}

// Reload loads the page again, as the reader's button does.
func (p *Page) Reload(t testing.TB) {
	t.Helper()
	p.turn()
	p.do(t, "reload", chromedp.Reload())
}

// Until waits until a JavaScript expression holds, naming what it waits for,
// and returns how long it took.
func (p *Page) Until(t testing.TB, within time.Duration, what, js string) time.Duration {
	t.Helper()
	began := time.Now()
	for w := (watch{limit: within}); !Eval[bool](t, p, "!!("+js+")"); {
		if w.over() {
			t.Fatalf("after %v still not: %s\n%s", within, what, p.report())
		}
	}
	return time.Since(began)
}

// Dark and Light set what the reader's system prefers.
func (p *Page) Dark(t testing.TB)  { t.Helper(); p.prefer(t, "dark") }
func (p *Page) Light(t testing.TB) { t.Helper(); p.prefer(t, "light") }

func (p *Page) prefer(t testing.TB, scheme string) {
	t.Helper()
	p.media(t, "prefer "+scheme, "prefers-color-scheme", scheme)
}

func (p *Page) media(t testing.TB, what, name, value string) {
	t.Helper()
	p.do(t, what, func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: name, Value: value}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		return chromedp.Void{}, err
	})
}

// Size makes the page as large as a window or, mobile, a phone.
func (p *Page) Size(t testing.TB, width, height int64, mobile bool) {
	t.Helper()
	o := []chromedp.EmulateViewportOption{}
	if mobile {
		o = append(o, chromedp.EmulateMobile)
	}
	p.do(t, fmt.Sprintf("resize to %d×%d", width, height), chromedp.EmulateViewport(width, height, o...))
}

// Shot saves a picture of the whole page as name.png, in the directory
// POSTIL_SHOTS when that is set.
func (p *Page) Shot(t testing.TB, name string) {
	t.Helper()
	dir := os.Getenv("POSTIL_SHOTS")
	if dir == "" {
		dir = t.ArtifactDir()
	}
	ctx, cancel := context.WithTimeout(p.ctx, 2*patience)
	defer cancel()
	res, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, CaptureBeyondViewport: new(true)})
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), res.Data, 0o644)
	}
	if err != nil {
		t.Fatalf("picture %s: %v", name, err)
	}
}
