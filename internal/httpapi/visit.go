package httpapi

import (
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// visit is who writes to which site.
type visit struct {
	site    postil.Site
	actor   string // whose allowance is used
	network string
	bucket  string
	doubt   string         // what a trusted proxy has against the sender
	as      *postil.Byline // the blog's author, nil for readers
}

// site returns the site that the address names.
func (s *Server) site(c echo.Context) (postil.Site, error) {
	id, err := postil.ParseSiteID(c.Param("site"))
	if err != nil {
		return postil.Site{}, postil.Missing()
	}
	return s.deps.Sites.Site(c.Request().Context(), id)
}

// enter is the beginning of every write: which site, from which page, by whom.
// A refused GET can be read by the page that sent it: the reason is no secret,
// and the widget shows it to whoever embedded it.
func (s *Server) enter(c echo.Context) (visit, error) {
	origin := ""
	site, err := s.site(c)
	if err == nil {
		origin, err = s.admit(c.Request(), site)
	}
	if err != nil && c.Request().Method == "GET" {
		origin = "*"
	}
	allow(c.Response().Header(), origin)
	if err != nil {
		return visit{}, err
	}
	return s.visitor(c, site), nil
}

func (s *Server) visitor(c echo.Context, site postil.Site) visit {
	r := c.Request()
	client := s.deps.Clients.ClientIP(r.RemoteAddr, r.Header)
	v := visit{site: site, actor: s.deps.Clients.Actor(r.Context(), client), network: s.deps.Clients.Network(client), bucket: s.deps.Clients.Bucket(client)}
	if s.deps.Doubt != nil {
		v.doubt = s.deps.Doubt(site.ID, r.RemoteAddr, r.Header)
	}
	return v
}

// form asks for the form under a post.
func (v visit) form(post string) postil.FormRequest {
	return postil.FormRequest{Site: v.site.ID, Post: post, Actor: v.actor, Network: v.network, Bucket: v.bucket}
}

// enterAs is enter for a route that also takes the key of the blog's author.
// Who shows such a key has proven who he is, wherever the page stands.
func (s *Server) enterAs(c echo.Context) (visit, error) {
	if c.Request().Header.Get("Authorization") == "" {
		return s.enter(c)
	}
	site, err := s.site(c)
	if err != nil {
		return visit{}, err
	}
	if origin, err := s.admit(c.Request(), site); err == nil {
		allow(c.Response().Header(), origin)
	}
	key, err := bearer(c)
	if err != nil {
		return visit{}, err
	}
	if s.deps.Keys == nil {
		return visit{}, postil.Refuse("forbidden", "This key may not write here.")
	}
	by, err := s.deps.Keys.Author(c.Request().Context(), key)
	if err != nil {
		return visit{}, err
	}
	if by == nil || (by.Site != "" && by.Site != site.ID) {
		return visit{}, postil.Refuse("forbidden", "This key may not write to this site.")
	}
	v := s.visitor(c, site)
	v.as, v.actor = by, by.By.Actor
	return v, nil
}

// bearer returns the key of the request, a KeyRequired error without one.
func bearer(c echo.Context) (string, error) {
	scheme, key, _ := strings.Cut(c.Request().Header.Get("Authorization"), " ")
	key = strings.TrimSpace(key)
	if !strings.EqualFold(scheme, "Bearer") || key == "" {
		return "", &postil.Error{Kind: postil.KeyRequired, Sentence: "Send the key in the header “Authorization: Bearer KEY”."}
	}
	return key, nil
}
