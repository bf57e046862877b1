package httpapi

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

var (
	shared       = []string{"public, max-age=0, s-maxage=1, stale-while-revalidate=5, stale-if-error=60"}
	jsonBody     = []string{jsonType}
	varyEncoding = []string{"Accept-Encoding"}
	codings      = map[string][]string{"br": {"br"}, "gzip": {"gzip"}}
)

// thread is GET /api/v1/sites/{site}/comments: a page of a thread.
func (s *Server) thread(c echo.Context) error {
	q, err := readThreadQuery(c.Request())
	if err != nil {
		return err
	}
	q.view.Site = postil.SiteID(c.Param("site"))
	cacheable := shared
	if q.fresh {
		cacheable = noStore
	}
	q.view.Post, err = s.deps.Sites.Resolve(c.Request().Context(), q.view.Site, q.post)
	if errors.Is(err, postil.ErrForeignHost) {
		empty := EncodeThread(postil.ThreadPage{Post: postil.Post{Site: q.view.Site, ID: postil.PostID(strings.TrimSpace(q.post))}})
		c.Response().Header()["X-Content-Type-Options"] = noSniff // the key is the reader's own
		return send(c, identity(empty), "", cacheable)
	}
	if err != nil {
		return err
	}
	page, err := s.deps.Read(c.Request().Context(), q.view, q.atLeast)
	if err != nil {
		return err
	}
	s.front.note(c.Request(), q)
	coding := negotiate(c.Request().Header["Accept-Encoding"])
	return send(c, page.Encoded(coding), coding, cacheable)
}

// recent is GET /api/v1/sites/{site}/recent: the newest comments of the site.
func (s *Server) recent(c echo.Context) error {
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	limit, err := number(q, "limit", defaultRecent, maxRecent)
	if err != nil {
		return err
	}
	site, err := s.site(c)
	if err != nil {
		return err
	}
	page, err := s.deps.Read(c.Request().Context(), postil.View{Kind: postil.RecentView, Site: site.ID, Limit: limit}, 0)
	if err != nil {
		return err
	}
	coding := negotiate(c.Request().Header["Accept-Encoding"])
	return send(c, page.Encoded(coding), coding, shared)
}

// send writes a finished body, or 304 when the client has it.
func send(c echo.Context, body postil.Encoded, coding string, cacheable []string) error {
	write(c.Response(), c.Request(), body, coding, cacheable)
	return nil
}

// write makes nothing anew but the response itself: this is the hottest code of
// the service.
func write(w http.ResponseWriter, r *http.Request, body postil.Encoded, coding string, cacheable []string) {
	h := w.Header()
	h["Cache-Control"] = cacheable
	h["Vary"] = varyEncoding
	h["Etag"] = body.ETag
	if known(r.Header["If-None-Match"], body.ETag) {
		delete(h, "Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if h["Content-Type"] == nil {
		h["Content-Type"] = jsonBody
	}
	h["Content-Length"] = body.Length
	if coding != "" {
		h["Content-Encoding"] = codings[coding]
	}
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body.Body) // the client is gone: nobody is left to tell
}

// known reports whether an If-None-Match header names tag. The comparison is
// the weak one that the header asks for: proxies mark a tag W/ when they
// compress.
func known(headers, tag []string) bool {
	if len(tag) == 0 {
		return false
	}
	for _, header := range headers {
		if header == tag[0] || header == "*" {
			return true
		}
		for candidate := range strings.SplitSeq(header, ",") {
			if strings.TrimPrefix(strings.TrimSpace(candidate), "W/") == tag[0] {
				return true
			}
		}
	}
	return false
}
