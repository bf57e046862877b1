package httpapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// countsBody is the answer of counts.
type countsBody[Key ~string] struct {
	Counts map[Key]int `json:"counts"`
}

// askedPosts reads which posts of a site a list asks for, most of them at once:
// as they were asked for, and the key of each, "" for none.
func (s *Server) askedPosts(c echo.Context, most int) (site postil.Site, asked []string, keys []postil.PostID, err error) {
	q, err := parameters(c.Request())
	if err != nil {
		return site, nil, nil, err
	}
	if asked, err = manyPosts(q, most); err != nil {
		return site, nil, nil, err
	}
	if site, err = s.site(c); err != nil {
		return site, nil, nil, err
	}
	keys, err = s.resolveAll(c, site.ID, asked)
	return site, asked, keys, err
}

// counts is GET /api/v1/sites/{site}/counts: how many comments each post has,
// by the key or address that was asked for. The cached answer is by key alone;
// whoever asks by address gets his own names for the same numbers.
func (s *Server) counts(c echo.Context) error {
	site, asked, keys, err := s.askedPosts(c, maxCounts)
	if err != nil {
		return err
	}
	page, err := s.readCounts(c, site.ID, keys)
	if err != nil {
		return err
	}
	if page != nil && keysAsAsked(asked, keys) {
		coding := negotiate(c.Request().Header["Accept-Encoding"])
		return send(c, page.Encoded(coding), coding, shared)
	}
	body, err := renamed(page, asked, keys)
	if err != nil {
		return err
	}
	c.Response().Header()["X-Content-Type-Options"] = noSniff // the names are the reader's own
	return send(c, identity(body), "", shared)
}

// resolveAll returns the key of each post, "" for what can be none of ours: one
// odd link on a page must not cost it all its numbers.
func (s *Server) resolveAll(c echo.Context, site postil.SiteID, asked []string) ([]postil.PostID, error) {
	keys := make([]postil.PostID, len(asked))
	for i, raw := range asked {
		key, err := s.deps.Sites.Resolve(c.Request().Context(), site, raw)
		switch {
		case err == nil:
			keys[i] = key
		case postil.KindOf(err) != postil.Invalid:
			return nil, err
		}
	}
	return keys, nil
}

// readCounts returns the counts of the posts that are ours, nil if none is.
func (s *Server) readCounts(c echo.Context, site postil.SiteID, keys []postil.PostID) (Page, error) {
	var own []string
	for _, key := range keys {
		if key != "" {
			own = append(own, string(key))
		}
	}
	if len(own) == 0 {
		return nil, nil
	}
	slices.Sort(own)
	view := postil.View{Kind: postil.CountsView, Site: site, Posts: strings.Join(slices.Compact(own), "\n")}
	return s.deps.Read(c.Request().Context(), view, 0)
}

// renamed returns the counts by the names that were asked for.
func renamed(page Page, asked []string, keys []postil.PostID) ([]byte, error) {
	var known countsBody[postil.PostID]
	if page != nil {
		if err := json.Unmarshal(page.Encoded("").Body, &known); err != nil {
			return nil, fmt.Errorf("reading counts: %w", err)
		}
	}
	out := countsBody[string]{Counts: make(map[string]int, len(asked))}
	for i, name := range asked {
		out.Counts[name] = known.Counts[keys[i]]
	}
	return encode(out)
}

// keysAsAsked reports whether every post was asked for by its key.
func keysAsAsked(asked []string, keys []postil.PostID) bool {
	for i, key := range keys {
		if asked[i] != string(key) {
			return false
		}
	}
	return true
}
