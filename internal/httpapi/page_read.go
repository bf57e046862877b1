package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

var (
	htmlType  = []string{"text/html; charset=utf-8"}
	styleType = []string{"text/css; charset=utf-8"}
)

// pageRoutes are those for readers without scripts.
func (s *Server) pageRoutes() []route {
	if s.deps.Pages == nil {
		return nil
	}
	return []route{
		{"GET", "/thread/:site", s.visitPage},
		{"HEAD", "/thread/:site", s.visitPage},
		{"POST", "/thread/:site", s.tracked(s.asPage(s.takeForm))},
		{"GET", "/page.css", s.read(s.pageStyle)},
		{"HEAD", "/page.css", s.read(s.pageStyle)},
		{"GET", sitePath + "/feed.atom", s.read(s.feed)},
		{"HEAD", sitePath + "/feed.atom", s.read(s.feed)},
	}
}

// visitPage is GET /thread/{site}. A reply is written in a page of one's own,
// with a form token; everything else is the same for everybody and cached.
func (s *Server) visitPage(c echo.Context) error {
	q, err := parameters(c.Request())
	if err == nil && q.Has("reply") {
		return s.tracked(s.asPage(s.replyPage))(c)
	}
	return s.read(s.asPage(s.threadPage))(c)
}

// policy says what the pages may do: show our style, send their form to us,
// and stand in frames of the blog. Referrer-Policy is not no-referrer because
// browsers then send the form with the Origin null, which admit refuses.
func (s *Server) policy(h http.Header, origins []string) {
	ancestors := "'self' " + strings.Join(origins, " ")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors "+strings.TrimSpace(ancestors))
	h.Set("Referrer-Policy", "same-origin")
	h["X-Content-Type-Options"] = noSniff
}

// threadPage is the cacheable part of GET /thread/{site}: the whole page, with
// sent= or reacted= the same with a word about that, and with fragment= the comments alone.
func (s *Server) threadPage(c echo.Context) error {
	q, err := readThreadQuery(c.Request())
	if err != nil {
		return err
	}
	site, err := s.site(c)
	if err != nil {
		return err
	}
	q.view.Site, q.view.Kind = site.ID, pageKind(c.Request().URL.Query())
	key, err := s.deps.Sites.Resolve(c.Request().Context(), site.ID, q.post)
	if foreign(err) {
		return s.sendPage(c, site, identity(s.deps.Pages.elsewhere(site, q)), "", shared)
	}
	if err != nil {
		return err
	}
	q.view.Post = key
	page, err := s.deps.Read(c.Request().Context(), q.view, q.atLeast)
	if err != nil {
		return err
	}
	cacheable := shared
	if q.fresh {
		cacheable = noStore
	}
	coding := negotiate(c.Request().Header["Accept-Encoding"])
	return s.sendPage(c, site, page.Encoded(coding), coding, cacheable)
}

func (s *Server) sendPage(c echo.Context, site postil.Site, body postil.Encoded, coding string, cacheable []string) error {
	h := c.Response().Header()
	s.policy(h, site.Origins)
	h["Content-Type"] = htmlType
	return send(c, body, coding, cacheable)
}

// elsewhere is what stands under the address of another site: nothing, and
// nobody can write there.
func (p *Pages) elsewhere(site postil.Site, q threadQuery) []byte {
	view := q.view
	view.Post = postil.PostID(strings.TrimSpace(q.post))
	nothing := postil.ThreadPage{Post: postil.Post{Site: site.ID, ID: view.Post, Closed: true}}
	if view.Kind == postil.FragmentView {
		return p.Fragment(site, view.Query(), nothing)
	}
	return p.Page(site, view.Query(), nothing, view.Kind, "")
}

func pageKind(q interface{ Has(string) bool }) postil.ViewKind {
	switch {
	case q.Has("fragment"):
		return postil.FragmentView
	case q.Has("sent"):
		return postil.SentView
	case q.Has("reacted"):
		return postil.ReactedView
	}
	return postil.PageView
}

// replyPage is GET /thread/{site}?post=KEY&reply=ID: the comment that is
// answered and a form with a token.
func (s *Server) replyPage(c echo.Context) error {
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	raw, err := onePost(q)
	if err != nil {
		return err
	}
	site, err := s.site(c)
	if err != nil {
		return err
	}
	s.policy(c.Response().Header(), site.Origins)
	parent, err := postil.ParseCommentID(q.Get("reply"))
	if err != nil {
		return err
	}
	key, err := s.deps.Sites.Resolve(c.Request().Context(), site.ID, raw)
	if err != nil {
		return err
	}
	above, err := s.context(c.Request().Context(), site.ID, key, parent)
	if err != nil {
		return err
	}
	d := draft{parent: parent.String()}
	v := s.visitor(c, site)
	err = s.limited(c, RuleForm, v.actor, func(ctx context.Context) error {
		form, err := s.deps.Authors.Form(ctx, v.form(string(key)))
		d.token = form.Token
		return err
	})
	if err != nil {
		return err
	}
	return s.writePage(c, http.StatusOK, key, above, d, "", nil)
}

// context reads what stands above a form.
func (s *Server) context(ctx context.Context, site postil.SiteID, key postil.PostID, parent postil.CommentID) (out contextJSON, err error) {
	page, err := s.deps.Read(ctx, postil.View{Kind: postil.ContextView, Site: site, Post: key, Limit: 1, Sort: postil.Oldest, Focus: parent}, 0)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(page.Encoded("").Body, &out)
}

// pageStyle is GET /page.css.
func (s *Server) pageStyle(c echo.Context) error {
	coding := negotiate(c.Request().Header["Accept-Encoding"])
	h := c.Response().Header()
	h["X-Content-Type-Options"] = noSniff
	h["Content-Type"] = styleType
	return send(c, s.files.get("page.css", coding, s.deps.Pages.style), coding, fileAge)
}

// errorData is what the template "error" sees.
type errorData struct {
	headData
	Sentence string
}

// asPage makes the errors of a handler pages that people can read. What the
// page says of a comment that is not public is what it says of none.
func (s *Server) asPage(handle echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := handle(c)
		if err == nil || c.Response().Committed {
			return err
		}
		drain(c.Request())
		p := problemOf(err)
		h := c.Response().Header()
		if !strings.Contains(h.Get("Content-Security-Policy"), "style-src") {
			s.policy(h, nil)
		}
		h["Cache-Control"] = noStore
		if p.RetryAfter > 0 {
			h.Set("Retry-After", strconv.Itoa(p.RetryAfter))
		}
		head := headData{Title: p.Title, Style: s.deps.Pages.styleName}
		_ = c.HTMLBlob(p.Status, s.deps.Pages.execute("error", errorData{head, p.Detail})) // the client is gone: nobody is left to tell
		return err
	}
}
