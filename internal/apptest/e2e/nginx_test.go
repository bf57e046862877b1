//go:build e2e

package e2e

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/postil/postil/internal/apptest"
	"github.com/postil/postil/internal/apptest/edge"
	"github.com/postil/postil/internal/apptest/ports"
)

// behindNginx starts the service and nginx before it with a configuration like
// deploy/nginx.conf. Readers reach it at the returned address with path at its
// end.
func behindNginx(t *testing.T, path string, change func(conf string) string) (p *apptest.Process, front string) {
	t.Helper()
	if _, err := exec.LookPath("nginx"); err != nil {
		t.Skip("nginx is not installed; on Debian: apt-get install nginx-light")
	}
	raw, err := os.ReadFile("../../../deploy/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	conf := filepath.Join(t.TempDir(), "site.conf")
	if err := os.WriteFile(conf, []byte(change(string(raw))), 0o644); err != nil {
		t.Fatal(err)
	}
	listen := ports.Address(t)
	front = "http://" + listen
	p = apptest.RunBinary(t, apptest.Options{Telegram: true, Demo: true, Prefix: strings.TrimSuffix(path, "/")},
		"POSTIL_URL="+front+path, "POSTIL_SITE_ORIGINS="+front, "POSTIL_TRUSTED_PROXIES=127.0.0.1")
	upstream, err := url.Parse(p.Base)
	if err != nil {
		t.Fatal(err)
	}
	n, err := edge.Start(context.WithoutCancel(t.Context()), conf, t.TempDir(), listen, upstream.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Stop)
	return p, front
}

// travels sends a comment from one page and waits for it on another one, which
// only a stream that nginx passes on at once can tell.
func travels(t *testing.T, p *apptest.Process, page, text string) {
	t.Helper()
	browser := apptest.NewBrowser(t)
	ann, ben := browser.Reader(t), browser.Reader(t)
	ann.Visit(t, page)
	ben.Visit(t, page)
	write(t, ann, "Ann", text)
	p.Bot.Tap(t, p.Bot.Card(t, slow, text), "Approve")
	ann.Gone(t, slow, waiting)
	ben.Shows(t, slow, ".thread", text)
	for _, p := range []*apptest.Page{ann, ben} {
		if n := asked(p, "GET", "/stream"); n != 1 {
			t.Errorf("a page opened %d streams; nginx has cut it off", n)
		}
	}
	quiet(t, ann, ben)
}

func TestTheWidgetWorksBehindNginx(t *testing.T) {
	t.Run("on a name of its own", func(t *testing.T) {
		p, front := behindNginx(t, "/", func(conf string) string { return conf })
		travels(t, p, front+"/demo/posts/margins", "By way of nginx.")
	})
	t.Run("below a path of the blog", func(t *testing.T) {
		p, front := behindNginx(t, "/comments/", func(conf string) string {
			return strings.Replace(conf, "location / {", "location = /favicon.ico { return 204; }\n\tlocation /comments/ {", 1)
		})
		travels(t, p, front+"/comments/demo/posts/margins", "By way of nginx and a path.")
	})
}
