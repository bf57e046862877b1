package apptest

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// Held is what a page keeps alive.
type Held struct{ Listeners, Nodes float64 }

// Held counts what is left after the browser has collected its garbage.
func (p *Page) Held(t testing.TB) (h Held) {
	t.Helper()
	p.do(t, "count what is alive", func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		if _, err := cdp.Call(ctx, tab, performance.Enable, performance.EnableParams{}); err != nil {
			return chromedp.Void{}, err
		}
		for range 3 { // what is only freed with something else goes one round later
			if _, err := cdp.Call(ctx, tab, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
				return chromedp.Void{}, err
			}
		}
		res, err := cdp.Call(ctx, tab, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			return chromedp.Void{}, err
		}
		for _, m := range res.Metrics {
			switch m.Name {
			case "JSEventListeners":
				h.Listeners = m.Value
			case "Nodes":
				h.Nodes = m.Value
			}
		}
		return chromedp.Void{}, nil
	})
	return h
}
