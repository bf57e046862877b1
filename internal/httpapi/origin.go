package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

const exposedHeaders = "RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"

// admit decides whether a page may write to site, and returns the Origin to
// echo, "" for none:
//
//	Origin                      Sec-Fetch-Site   answer
//	none                        cross-site       refused: a browser that hides where the page stands
//	none                        anything else    accepted: no browser, or the service's own page
//	one of the site's           any              accepted
//	the service's own           any              accepted
//	null, several, any other    any              refused
//
// There are no cookies in a public write, so a request from outside a browser
// has nothing ambient to abuse. Host and Referer are not looked at: proxies
// rewrite the one and extensions strip the other.
func (s *Server) admit(r *http.Request, site postil.Site) (origin string, err error) {
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
			return "", s.refuse(site, "a page that hides its address")
		}
		return "", nil
	}
	if len(origins) == 1 && (origins[0] == s.origin || slices.Contains(site.Origins, origins[0])) {
		return origins[0], nil // as every browser writes it: no need to take it apart
	}
	canonical, extra, err := postil.ParseOrigin(origins[0])
	known := err == nil && extra == "" && (canonical == s.origin || slices.Contains(site.Origins, canonical))
	if len(origins) > 1 || !known {
		return "", s.refuse(site, origins[0])
	}
	return origins[0], nil
}

// refuse says who asked and who may, so that an operator sees at once what to
// add; the log says it once an origin.
func (s *Server) refuse(site postil.Site, origin string) error {
	if s.strangers.first(string(site.ID) + " " + origin) {
		s.lg.Warn("a page outside the site's origins tried to write", "site", site.ID, "origin", origin)
	}
	allowed := strings.Join(append(slices.Clone(site.Origins), s.origin), ", ")
	return postil.Refuse("origin-not-allowed", "This address (%s) is not in the allowed list: %s. The owner of the site can add it.", origin, allowed)
}

// strangers remembers who was logged, in bounded memory.
type strangers struct {
	mu   sync.Mutex
	seen map[string]bool
}

// first reports whether who is new. When too many were seen nobody is.
func (s *strangers) first(who string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	if s.seen[who] || len(s.seen) >= 256 || len(who) > 512 {
		return false
	}
	s.seen[who] = true
	return true
}

// allow lets the page at origin read the answer.
func allow(h http.Header, origin string) {
	h.Add("Vary", "Origin")
	if origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", exposedHeaders)
	}
}

// preflight answers OPTIONS for a path with these methods: reads are open to
// every page, writes to those that admit accepts.
func (s *Server) preflight(methods []string) echo.HandlerFunc {
	list := strings.Join(append(slices.Clone(methods), "OPTIONS"), ", ")
	return func(c echo.Context) error {
		r, h := c.Request(), c.Response().Header()
		wanted := r.Header.Get("Access-Control-Request-Method")
		if wanted == "" || r.Header.Get("Origin") == "" {
			h.Set("Allow", list)
			return c.NoContent(http.StatusNoContent)
		}
		site, err := s.site(c)
		if err != nil {
			return err
		}
		origin := "*"
		if !openToAll(c.Path(), wanted) {
			if origin, err = s.admit(r, site); err != nil {
				return err
			}
		}
		allow(h, origin)
		h.Set("Access-Control-Allow-Methods", strings.Join(methods, ", "))
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, X-Request-Id")
		h.Set("Access-Control-Max-Age", "7200")
		h.Del("Access-Control-Expose-Headers")
		return c.NoContent(http.StatusNoContent)
	}
}

// openToAll reports whether a request is a public read. The form is none: what
// it hands out is for writing.
func openToAll(path, method string) bool {
	return (method == "GET" || method == "HEAD") && !strings.HasSuffix(path, "/form")
}
