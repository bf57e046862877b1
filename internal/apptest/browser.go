package apptest

import (
	"context"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// Browser is one running Chromium without a window.
type Browser struct{ ctx context.Context }

// NewBrowser starts Chromium; it ends with the test. Pages of one browser may
// be used in parallel, each by one goroutine.
func NewBrowser(t testing.TB) *Browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("this test needs chromium: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("hide-scrollbars", true), chromedp.WindowSize(1100, 900))
	ctx, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(stop)
	ctx, closeBrowser := chromedp.NewContext(ctx)
	t.Cleanup(closeBrowser)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("chromium cannot be started: %v", err)
	}
	return &Browser{ctx}
}

// Reader opens an empty page as a person who was never here: with a storage of
// their own.
func (b *Browser) Reader(t testing.TB) *Page {
	t.Helper()
	return newPage(t, b.ctx, chromedp.WithNewBrowserContext())
}

// Another opens a second, empty page of the same person.
func (p *Page) Another(t testing.TB) *Page {
	t.Helper()
	other := newPage(t, p.ctx)
	other.shares = true
	return other
}
