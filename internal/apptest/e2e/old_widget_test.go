//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

// Each widget that was ever released reads, posts, and is told of approvals by
// the service of today.
func TestUPG_02_WidgetsFromBeforeWorkWithTodaysService(t *testing.T) {
	t.Parallel()
	bundles, err := filepath.Glob(filepath.Join("testdata", "widget.v*.js"))
	if err != nil || len(bundles) == 0 {
		t.Fatal("there is no widget from before", err)
	}
	for _, path := range bundles {
		t.Run(filepath.Base(path), func(t *testing.T) {
			script, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			service := ""
			blog := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/old.js" {
					w.Header().Set("Content-Type", "text/javascript")
					w.Write(script)
					return
				}
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				fmt.Fprintf(w, `<!doctype html><title>A post</title><script src="/old.js" defer></script><postil-comments site="blog" api=%q></postil-comments>`, service)
			}))
			t.Cleanup(blog.Close)
			p := apptest.RunBinary(t, apptest.Options{}, "POSTIL_SITE_ORIGINS="+blog.URL)
			service = p.URL
			public := p.Post(t, apptest.Draft{Post: "/a-post", Text: "Said long ago."})
			p.AwaitAsked(t, slow, public.Comment.ID)
			p.Decide(t, public.Comment.ID, "approve")

			page := apptest.NewBrowser(t).Reader(t)
			page.Visit(t, blog.URL+"/a-post")
			idOf(t, page, slow, "Said long ago.")
			write(t, page, "Old Ann", "Written with an old widget.")
			id := idOf(t, page, slow, "Written with an old widget.")
			page.Until(t, slow, "it waits", apptest.In(waiting)+" !== null")
			p.AwaitAsked(t, slow, id)
			p.Decide(t, id, "approve")
			page.Until(t, slow, "it waits no longer", apptest.In(waiting)+" === null")
			quiet(t, page)
		})
	}
}
