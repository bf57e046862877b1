//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
)

// What a page asks of others because of the widget.
func TestTraffic(t *testing.T) {
	w := newWorld(t)
	t.Run("PRIV-04 fifty people and no third party", func(t *testing.T) { noThirdParty(t, w) })
	t.Run("LOAD-04 a server that is too busy", func(t *testing.T) { noAmplification(t, w) })
}

func noThirdParty(t *testing.T, w *world) {
	parents := make([]string, 50)
	w.publish(t, "/crowd", parents, `![a picture](https://tracker.example/pixel.gif) Remark`)
	p := w.browser.Reader(t)
	blog := w.page("/crowd", script+`<postil-comments site="blog" post="/crowd"></postil-comments>`, "")
	p.Open(t, blog)
	shown(t, p, 0)
	p.Until(t, long, "fifty people are shown", apptest.In(".thread")+`.querySelectorAll(".comment").length === 50`)
	home := blog[:len(blog)-len("/crowd")]
	for _, r := range p.Requests() {
		if !strings.HasPrefix(r.URL, w.URL+"/") && !strings.HasPrefix(r.URL, home+"/") && !strings.HasPrefix(r.URL, "data:") {
			t.Errorf("the page asked %s", r.URL)
		}
	}
	quiet(t, p)
}

// noAmplification lets every address answer that it is too busy, and counts
// what the widget asks in the time after it has told the reader so.
func noAmplification(t *testing.T, w *world) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		var n atomic.Int64
		prefix := fmt.Sprintf("/busy%d", status)
		for _, path := range []string{"comments", "form", "counts", "stream", "recent", "mine"} {
			w.handle(prefix+"/api/v1/sites/blog/"+path, func(out http.ResponseWriter, r *http.Request) {
				n.Add(1)
				refusal(status, "overloaded", "Too many at once. Try again in 9 seconds.")(out, r)
			})
		}
		p := w.browser.Reader(t)
		p.Open(t, w.page(prefix, script+`<postil-comments site="blog" post="/busy" api="`+prefix+`"></postil-comments>`, ""))
		p.Shows(t, long, ".notice", "Too many at once")
		time.Sleep(5 * time.Second) // a time in which nothing else may be asked
		if got := n.Load(); got > 2 {
			t.Errorf("%d: one reader asked %d times", status, got)
		}
	}
}
