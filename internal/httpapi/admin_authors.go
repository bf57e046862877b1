package httpapi

import (
	"net/http"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// knownAuthorJSON is somebody who wrote on a site. Ban and trust are rules about
// kind and id; what is stored about them, and erasing it, stands below people.
type knownAuthorJSON struct {
	ID        string                `json:"id"`
	Kind      postil.SubjectKind    `json:"kind"` // "user" or "device"
	Site      postil.SiteID         `json:"site"`
	Name      string                `json:"name"` // the last one
	Names     []string              `json:"names,omitempty"`
	Email     *string               `json:"email"`
	Website   *string               `json:"website"`
	Badge     *string               `json:"badge"`
	Comments  map[postil.Status]int `json:"comments"`
	FirstSeen *string               `json:"first_seen"`
	LastSeen  *string               `json:"last_seen"`
	Rules     []ruleJSON            `json:"rules"`
}

func knownAuthorOf(a postil.KnownAuthor) knownAuthorJSON {
	out := knownAuthorJSON{ID: a.Known.Value, Kind: a.Known.Kind, Site: a.Site, Name: a.Last.Name, Names: a.Names,
		Email: orNull(a.Last.Email), Website: orNull(a.Last.Website), Badge: orNull(a.Last.Badge),
		Comments: map[postil.Status]int{}, FirstSeen: stampOrNull(a.First), LastSeen: stampOrNull(a.Seen), Rules: []ruleJSON{}}
	for _, status := range postil.Statuses() {
		out.Comments[status] = a.Counts[status]
	}
	for _, r := range a.Rules {
		out.Rules = append(out.Rules, ruleOf(r))
	}
	return out
}

// maxSought is how many characters may be searched for.
const maxSought = 200

// adminAuthors is GET /api/v1/admin/authors?site&q&limit&cursor: who wrote on a
// site, whoever wrote last first. A page may end early while it searches.
func (s *Server) adminAuthors(c echo.Context, p auth.Principal) error {
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	f := postil.AuthorFilter{Query: q.Get("q"), Cursor: q.Get("cursor")}
	if n := utf8.RuneCountInString(f.Query); n > maxSought {
		return postil.TooLong("q", n, maxSought)
	}
	if f.Site, err = s.oneSite(c, p, auth.Read, q.Get("site")); err != nil {
		return err
	}
	if f.Limit, err = number(q, "limit", defaultListed, maxListed); err != nil {
		return err
	}
	page, err := s.deps.Admin.Records.Authors(c.Request().Context(), f)
	if err != nil {
		return err
	}
	authors := make([]knownAuthorJSON, 0, len(page.Authors))
	for _, a := range page.Authors {
		authors = append(authors, knownAuthorOf(a))
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"authors": authors, "next_cursor": orNull(page.Next)})
}

// adminAuthor is GET /api/v1/admin/authors/{id}?site: an author of a site. What
// they wrote is GET comments?author=ID.
func (s *Server) adminAuthor(c echo.Context, p auth.Principal) error {
	_, site, err := s.readOf(c, p)
	if err != nil {
		return err
	}
	a, err := s.deps.Admin.Records.KnownAuthor(c.Request().Context(), site, c.Param("id"))
	if err != nil {
		return err
	}
	return resource(c, map[string]any{"author": knownAuthorOf(a)})
}
