package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// shortType is the content type of the small endpoints, refusals included.
const shortType = "application/json; charset=utf-8"

// lightRoutes are the small endpoints. They answer in few words, see
// shortProblem, and take any body as JSON, because a page that is being left
// (navigator.sendBeacon) cannot say what it sends.
func (s *Server) lightRoutes() []route {
	if s.deps.Light.Views == nil {
		return nil
	}
	return []route{
		{"POST", "/api/view", s.quiet(s.view)},
		{"GET", "/api/views", s.quiet(s.views)},
		{"HEAD", "/api/views", s.quiet(s.views)},
		{"POST", "/api/qlog", s.tracked(s.ask)},
		{"GET", sitePath + "/views", s.read(s.manyViews)},
		{"HEAD", sitePath + "/views", s.read(s.manyViews)},
		{"OPTIONS", "/api/view", s.quiet(s.lightPreflight("POST"))},
		{"OPTIONS", "/api/views", s.quiet(s.lightPreflight("GET, HEAD"))},
		{"OPTIONS", "/api/qlog", s.quiet(s.lightPreflight("POST"))},
	}
}

// quiet is tracked for requests that come with every opened page: they are not
// worth a line each, only what is our fault is.
func (s *Server) quiet(handle echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("X-Request-Id", requestID(c.Request()))
		h["Cache-Control"] = noStore
		h["X-Content-Type-Options"] = noSniff
		if err := handle(c); err != nil {
			s.fail(c, err)
			if c.Response().Status >= 500 {
				s.log(c, err, 0)
			}
		}
		s.answered(c, 0)
		return nil
	}
}

// lightSite returns the site that ?site= names, or the default one.
func (s *Server) lightSite(c echo.Context) (postil.Site, error) {
	q, err := parameters(c.Request())
	if err != nil {
		return postil.Site{}, postil.Missing() // perhaps it names a site
	}
	ctx := c.Request().Context()
	var id postil.SiteID
	if name := q.Get("site"); name == "" {
		id, err = s.deps.Light.DefaultSite(ctx)
	} else if id, err = postil.ParseSiteID(name); err != nil {
		err = postil.Missing()
	}
	if err != nil {
		return postil.Site{}, err
	}
	return s.deps.Sites.Site(ctx, id)
}

// enterLight is the beginning of a write: which site, and from which page.
func (s *Server) enterLight(c echo.Context) (site postil.Site, err error) {
	origin := ""
	if site, err = s.lightSite(c); err == nil {
		origin, err = s.admit(c.Request(), site)
	}
	allow(c.Response().Header(), origin)
	return site, err
}

// lightPreflight answers the question that a browser asks before it sends a
// request from another origin. Any other OPTIONS is a wrong method.
func (s *Server) lightPreflight(methods string) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, h := c.Request(), c.Response().Header()
		if r.Header.Get("Origin") == "" || r.Header.Get("Access-Control-Request-Method") == "" {
			return postil.Missing()
		}
		if strings.HasPrefix(methods, "GET") {
			allow(h, "*")
		} else if _, err := s.enterLight(c); err != nil {
			return err
		}
		h.Set("Access-Control-Allow-Methods", methods)
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Request-Id")
		h.Set("Access-Control-Max-Age", "7200")
		h.Del("Access-Control-Expose-Headers")
		return c.NoContent(http.StatusNoContent)
	}
}

// object is a JSON object as it was sent.
type object map[string]json.RawMessage

// readObject reads the body, whatever its Content-Type. What is no JSON object
// counts as an empty one; only a body that is too large is an error.
func readObject(c echo.Context) (o object, err error) {
	body, err := readBody(c)
	if postil.KindOf(err) == postil.TooLarge {
		return nil, err
	}
	if err != nil || json.Unmarshal(body, &o) != nil {
		return object{}, nil
	}
	return o, nil
}

// text returns a member that is a string, else "".
func (o object) text(name string) (s string) {
	if json.Unmarshal(o[name], &s) != nil {
		return ""
	}
	return s
}
