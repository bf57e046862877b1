package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

var accepted = []byte(`{"accepted":true}`)

// view is POST /api/view: a page was opened. It fails open: trouble on our side
// is no reason to answer anything else, a lost visit is only a smaller number.
func (s *Server) view(c echo.Context) error {
	site, err := s.enterLight(c)
	if err != nil && !isOurs(err) {
		return err
	}
	body, tooLarge := readObject(c)
	if tooLarge != nil {
		return tooLarge
	}
	ctx := c.Request().Context()
	post, wrong := postil.ViewPost(body.text("path"), func(raw string) (postil.PostID, error) {
		if err != nil {
			return postil.PostRules{}.Resolve(raw) // the site is not known, the path may still be none
		}
		return s.deps.Sites.Resolve(ctx, site.ID, raw)
	})
	if wrong != nil && !isOurs(wrong) {
		return wrong
	}
	if err == nil && wrong == nil {
		s.deps.Light.Views.Visit(ctx, s.visitOf(c, site.ID, post))
	}
	return c.Blob(http.StatusAccepted, shortType, accepted)
}

// isOurs reports whether an error says nothing against the request.
func isOurs(err error) bool {
	kind := postil.KindOf(err)
	return kind == postil.Internal || kind == postil.Unavailable
}

func (s *Server) visitOf(c echo.Context, site postil.SiteID, post postil.PostID) postil.Visit {
	r := c.Request()
	actor := s.deps.Clients.Actor(r.Context(), s.deps.Clients.ClientIP(r.RemoteAddr, r.Header))
	return postil.Visit{Site: site, Post: post, Actor: actor, Agent: r.UserAgent(), Early: isEarly(r.Header), Owner: s.isOwner(c)}
}

// isEarly reports whether a browser says that nobody has opened the page yet.
func isEarly(h http.Header) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"} {
		why := strings.ToLower(h.Get(name))
		if strings.Contains(why, "prefetch") || strings.Contains(why, "prerender") || strings.Contains(why, "preview") {
			return true
		}
	}
	return false
}

// isOwner reports whether somebody who works on the site looks at it.
func (s *Server) isOwner(c echo.Context) bool {
	r := c.Request()
	if _, ok := auth.Local(r.Context()); ok {
		return true
	}
	if s.deps.Admin.Authenticator == nil || r.Header.Get("Authorization") == "" {
		return false
	}
	_, err := s.principal(c)
	return err == nil
}

// views is GET /api/views: how often a post was read.
func (s *Server) views(c echo.Context) error {
	c.Response().Header()["Access-Control-Allow-Origin"] = anyOrigin
	path := ""
	if q, err := parameters(c.Request()); err == nil {
		path = q.Get("path")
	}
	if err := postil.CheckViewPath(path); err != nil {
		return err
	}
	site, err := s.lightSite(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	post, err := postil.ViewPost(path, s.resolver(ctx, site.ID))
	if err != nil {
		return err
	}
	n, err := s.deps.Light.Views.Count(ctx, site.ID, post)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, shortType, struct {
		Path  postil.PostID `json:"path"`
		Count int64         `json:"count"`
	}{post, n})
}

// viewsAge is how long the numbers of a list may be kept: they are rounded where they are shown.
var viewsAge = []string{"public, max-age=30"}

// manyViews is GET /api/v1/sites/{site}/views: how often each of some posts was
// read, by the key or address that was asked for, for lists of posts.
func (s *Server) manyViews(c echo.Context) error {
	site, asked, keys, err := s.askedPosts(c, maxViews)
	if err != nil {
		return err
	}
	out := struct {
		Views map[string]int64 `json:"views"`
	}{make(map[string]int64, len(asked))}
	for i, key := range keys {
		if key == "" {
			out.Views[asked[i]] = 0
			continue
		}
		if out.Views[asked[i]], err = s.deps.Light.Views.Count(c.Request().Context(), site.ID, key); err != nil {
			return err
		}
	}
	body, err := encode(out)
	if err != nil {
		return err
	}
	c.Response().Header()["X-Content-Type-Options"] = noSniff // the names are the reader's own
	return send(c, identity(body), "", viewsAge)
}

// resolver is how a site tells its posts apart.
func (s *Server) resolver(ctx context.Context, site postil.SiteID) func(string) (postil.PostID, error) {
	return func(raw string) (postil.PostID, error) { return s.deps.Sites.Resolve(ctx, site, raw) }
}
