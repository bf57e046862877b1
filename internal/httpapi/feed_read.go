package httpapi

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

var atomType = []string{"application/atom+xml; charset=utf-8"}

// feed is GET /api/v1/sites/{site}/feed.atom: the newest comments of the site
// or, with ?post=, of one post.
func (s *Server) feed(c echo.Context) error {
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	site, err := s.site(c)
	if err != nil {
		return err
	}
	view := postil.View{Kind: postil.FeedView, Site: site.ID}
	if q.Has("post") {
		view.Post, err = s.deps.Sites.Resolve(c.Request().Context(), site.ID, q.Get("post"))
	}
	if errors.Is(err, postil.ErrForeignHost) {
		key := postil.PostID(strings.TrimSpace(q.Get("post")))
		c.Response().Header()["Content-Type"] = atomType
		return send(c, identity(s.deps.Pages.Feed(site, key, nil)), "", shared)
	}
	if err != nil {
		return err
	}
	page, err := s.deps.Read(c.Request().Context(), view, 0)
	if err != nil {
		return err
	}
	coding := negotiate(c.Request().Header["Accept-Encoding"])
	body := page.Encoded(coding)
	since := s.feeds.since(view, page.Encoded("").ETag[0])
	h := c.Response().Header()
	h["Content-Type"] = atomType
	h.Set("Last-Modified", since.UTC().Format(http.TimeFormat))
	if unmodified(c.Request(), since) {
		// As If-None-Match with the tag it has, which send answers.
		c.Request().Header["If-None-Match"] = body.ETag
	}
	return send(c, body, coding, shared)
}

// unmodified reports whether the client has what stands since then. A
// validator that it also sent is the better witness.
func unmodified(r *http.Request, since time.Time) bool {
	if len(r.Header["If-None-Match"]) > 0 {
		return false
	}
	has, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && !since.After(has)
}

// sightings remembers since when each feed has its present content. The times
// of the comments cannot tell: a comment that is removed, or approved a week
// after it was written, changes the feed and leaves no time in it. Whatever is
// not known counts as changed now, which costs a reader one more download.
type sightings struct {
	mu   sync.Mutex
	now  func() time.Time // time.Now when nil
	seen map[postil.View]sighting
}

type sighting struct {
	tag   string
	since time.Time
}

// maxSightings bounds the memory: beyond it everything is forgotten.
const maxSightings = 4096

// since returns when the content of view became the one with this tag, in
// whole seconds, which is all that a header can say; two contents of one feed
// never share a second.
func (s *sightings) since(view postil.View, tag string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, known := s.seen[view]
	if known && last.tag == tag {
		return last.since
	}
	now := time.Now
	if s.now != nil {
		now = s.now
	}
	at := now().Truncate(time.Second)
	if known && !at.After(last.since) {
		at = last.since.Add(time.Second)
	}
	if s.seen == nil || len(s.seen) >= maxSightings {
		s.seen = map[postil.View]sighting{}
	}
	s.seen[view] = sighting{tag, at}
	return at
}
