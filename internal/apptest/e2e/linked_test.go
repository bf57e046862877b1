//go:build e2e

package e2e

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
)

// What a reader looks at stays where it is, whatever arrives when.
func TestWhatIsReadStaysWhereItIs(t *testing.T) {
	w := newWorld(t)
	ids := w.publish(t, "/long", make([]string, 60), "Remark")
	// Eight publish at once, so the thread's order differs from that of ids by some places; the
	// page before the linked one holds fifty.
	t.Run("a linked comment on a later page", func(t *testing.T) { linked(t, w, ids[55], ids[30]) })
}

// A page with a header that sticks and images that come late and without a size.
func linked(t *testing.T, w *world, id, earlier string) {
	w.handle("/late.png", func(out http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(2 * time.Second): // later than the comments
		}
		picture := image.NewGray(image.Rect(0, 0, 40, 700))
		picture.SetGray(0, 0, color.Gray{200})
		var b bytes.Buffer
		_ = png.Encode(&b, picture)
		out.Header().Set("Content-Type", "image/png")
		_, _ = out.Write(b.Bytes())
	})
	p := w.browser.Reader(t)
	p.Open(t, w.page("/linked", `<style>html { scroll-padding-top: 90px } header { position: sticky; top: 0; height: 80px; background: #fff; z-index: 2 }</style>`+script+
		`<header>The blog</header><main><h1>A post</h1><img src="/late.png" alt=""></main><postil-comments site="blog" post="/long"></postil-comments><div style="height: 1500px">The end</div>`, "")+"#postil-"+id)
	p.Ready(t)
	comment := `.comment[data-id="` + id + `"]`
	p.Until(t, long, "the linked comment is highlighted", apptest.In(comment+"[data-linked]"))
	p.Until(t, long, "the late image is there", `document.images[0].complete && document.images[0].height > 600`)
	p.Until(t, long, "the linked comment is in view, below the header", `(r => r.top >= 80 && r.bottom <= innerHeight)(`+apptest.In(comment)+`.getBoundingClientRect())`)
	if n := asked(p, "GET", "focus="+id); n != 1 {
		t.Errorf("the page that holds it was asked for %d times", n)
	}
	if !apptest.Eval[bool](t, p, apptest.In(".earlier")+`.checkVisibility()`) || strings.Contains(p.HTML(t, ".thread"), `data-id="`+earlier+`"`) {
		t.Fatal("the page does not begin in the middle")
	}
	top := apptest.Eval[float64](t, p, apptest.In(comment)+`.getBoundingClientRect().top`)
	apptest.Eval[ignored](t, p, apptest.In(".earlier")+`.click()`)
	p.Until(t, long, "the earlier comments are there", apptest.In(`.comment[data-id="`+earlier+`"]`))
	if now := apptest.Eval[float64](t, p, apptest.In(comment)+`.getBoundingClientRect().top`); now-top > 3 || top-now > 3 {
		t.Errorf("what was read moved by %.0f px when earlier comments came", now-top)
	}
	quiet(t, p)
}
