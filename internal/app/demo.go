package app

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/web"
)

// demoSite is the site of the demo blog.
const demoSite postil.SiteID = "demo"

// demoPolicy is the strict one of the two-line embed snippet's documentation.
const demoPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"

// demoBlog serves the demo blog below the public URL.
func demoBlog(base string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", demoPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Type", "text/html; charset=utf-8")
		path := strings.Trim(r.URL.Path, "/")
		slug, isPost := strings.CutPrefix(path, "posts/")
		switch {
		case path == "":
			w.Write(web.DemoIndex(base))
		case path == "style.css":
			h.Set("Content-Type", "text/css; charset=utf-8")
			w.Write(web.DemoStyle())
		case isPost:
			if page, ok := web.DemoPage(base, slug); ok {
				w.Write(page)
				return
			}
			fallthrough
		default:
			http.Error(w, "There is no such page in the demo blog.", http.StatusNotFound)
		}
	})
}

// seed makes the site that the settings ask for and, for the demo, its site
// with a few comments. What is there already stays as it is.
func (a *App) seed(ctx context.Context) error {
	if a.cfg.Site != "" {
		if err := a.ensureSite(ctx, postil.SiteID(a.cfg.Site), a.cfg.Site, a.cfg.SiteOrigins); err != nil {
			return err
		}
	}
	if !a.cfg.Demo {
		return nil
	}
	if _, err := a.store.Site(ctx, demoSite); err == nil {
		return nil
	}
	if err := a.ensureSite(ctx, demoSite, "Marginalia", []string{a.cfg.URL}); err != nil {
		return err
	}
	return a.seedComments(ctx)
}

var theSettings = postil.By{Channel: postil.ByREST, Actor: "settings", Name: "settings"}

func (a *App) ensureSite(ctx context.Context, id postil.SiteID, name string, origins []string) error {
	site := postil.NewSite(id)
	site.Name = name
	for _, o := range origins {
		origin, _, err := postil.ParseOrigin(o)
		if err != nil {
			return err
		}
		site.Origins = append(site.Origins, origin)
	}
	_, err := a.store.AddSite(ctx, site, theSettings)
	if postil.KindOf(err) == postil.Conflict {
		return nil
	}
	return err
}

// demoComments are what the first visitor of the demo finds.
var demoComments = []struct {
	name, text string
	parent     int // index into this list, -1 for a root
	pending    bool
}{
	{"Ines", "I still keep a pencil in every book I read. The margin is where the book answers back.", -1, false},
	{"Tomasz", "Same here, though I write on *sticky notes* so that the next reader gets a clean page.", 0, false},
	{"Ines", "A clean page is a page nobody argued with :)", 1, false},
	{"Mei", "Is there a word for notes in the margin of somebody else's notes?\n\n> a postil on a postil", -1, false},
	{"Jonas", "Nice idea! Does it work without JavaScript, too?", -1, true},
}

// seedComments writes the demo's comments the way readers and moderators do.
func (a *App) seedComments(ctx context.Context) error {
	posts := web.DemoPosts()
	if len(posts) == 0 {
		return nil
	}
	by := postil.By{Channel: postil.ByConsole, Actor: "demo", Name: "the demo"}
	ids := make([]postil.CommentID, len(demoComments))
	for i, c := range demoComments {
		s := postil.Submission{Site: demoSite, Post: a.cfg.base() + "/demo/posts/" + posts[0].Slug, Title: posts[0].Title,
			URL: a.cfg.base() + "/demo/posts/" + posts[0].Slug, Name: c.name, Text: c.text, Actor: "demo", Device: fmt.Sprintf("demo-device-of-%s-0000", c.name)}
		if c.parent >= 0 {
			s.ParentID = ids[c.parent].String()
		}
		n, err := a.intake.Check(ctx, s)
		if err != nil {
			return err
		}
		n.Form = postil.FormState{}
		r, err := a.intake.Accept(ctx, n)
		if err != nil {
			return err
		}
		ids[i] = r.Comment.ID
		if c.pending {
			continue
		}
		if _, err := a.door.Decide(ctx, postil.DecisionRequest{Comment: r.Comment.ID, Verb: postil.Approve, By: by}); err != nil {
			return err
		}
	}
	return nil
}
