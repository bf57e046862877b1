package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// Limits of what a site may be told.
const (
	maxOrigins  = 50
	maxBlocked  = 1000
	maxPhrase   = 200 // characters of one blocked phrase
	maxMaxLinks = 100
)

// siteJSON is a site as its operators see it.
type siteJSON struct {
	Key       postil.SiteID `json:"key"`
	Name      string        `json:"name"`
	Policy    postil.Policy `json:"policy"`
	Origins   []string      `json:"origins"`
	MaxLinks  int           `json:"max_links"`
	Blocked   []string      `json:"blocked"`
	Lockdown  bool          `json:"lockdown"`
	Reactions []string      `json:"reactions"` // emoji that comments take, in order
	CreatedAt string        `json:"created_at"`
	Warnings  []string      `json:"warnings,omitempty"` // of the change just made
}

func siteOf(v postil.Site) siteJSON {
	return siteJSON{Key: v.ID, Name: v.Name, Policy: v.Policy, Origins: append([]string{}, v.Origins...), MaxLinks: v.MaxLinks,
		Blocked: append([]string{}, v.Blocked...), Lockdown: v.Lockdown, CreatedAt: stamp(v.Created),
		Reactions: append([]string{}, v.Reactions...)}
}

// siteIn is what can be set on a site; what is absent stays.
type siteIn struct {
	Key      *string   `json:"key"` // of a new site
	Name     *string   `json:"name"`
	Policy   *string   `json:"policy"`
	Origins  *[]string `json:"origins"`
	MaxLinks *int      `json:"max_links"`
	Blocked  *[]string `json:"blocked"`
	Lockdown *bool     `json:"lockdown"`

	Reactions *[]string `json:"reactions"` // null: the usual ones stay; []: none
}

// apply checks the members and sets them on v. Warnings are sentences about
// what was understood in another way than it was written.
func (in siteIn) apply(v *postil.Site) (warnings []string, err error) {
	if in.Name != nil {
		if v.Name, err = label(*in.Name); err != nil {
			return nil, err
		}
	}
	if in.Policy != nil {
		if v.Policy, err = postil.ParsePolicy(*in.Policy); err != nil {
			return nil, err
		}
	}
	if in.MaxLinks != nil {
		if v.MaxLinks = *in.MaxLinks; v.MaxLinks < 0 || v.MaxLinks > maxMaxLinks {
			return nil, postil.InvalidField("max_links", "“max_links” is a whole number from 0 to %d.", maxMaxLinks)
		}
	}
	if in.Blocked != nil {
		if v.Blocked, err = blocked(*in.Blocked); err != nil {
			return nil, err
		}
	}
	if in.Lockdown != nil {
		v.Lockdown = *in.Lockdown
	}
	if in.Reactions != nil {
		if v.Reactions, err = postil.CleanReactions(*in.Reactions); err != nil {
			return nil, err
		}
	}
	if in.Origins != nil {
		v.Origins, warnings, err = origins(*in.Origins)
	}
	return warnings, err
}

// label is the name of a site, key or moderator: one line that can be seen.
func label(s string) (string, error) {
	name := postil.CleanTitle(s)
	if name == "" {
		return "", postil.InvalidField("name", "A name needs at least one character that can be seen.")
	}
	if n := utf8.RuneCountInString(name); n > postil.MaxName {
		return "", postil.TooLong("name", n, postil.MaxName)
	}
	return name, nil
}

func blocked(phrases []string) ([]string, error) {
	out := []string{}
	for _, phrase := range phrases {
		phrase = strings.TrimSpace(phrase)
		if n := utf8.RuneCountInString(phrase); n > maxPhrase {
			return nil, postil.TooLong("blocked", n, maxPhrase)
		}
		if phrase != "" && !slices.Contains(out, phrase) {
			out = append(out, phrase)
		}
	}
	if n := len(out); n > maxBlocked {
		e := postil.InvalidField("blocked", "That is %s phrases; %s fit.", postil.Thousands(n), postil.Thousands(maxBlocked))
		e.Limit = maxBlocked
		return nil, e
	}
	return out, nil
}

func origins(list []string) (out, warnings []string, err error) {
	out = []string{}
	for _, raw := range list {
		origin, warning, err := postil.ParseOrigin(raw)
		if err != nil {
			return nil, nil, err
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
		if !slices.Contains(out, origin) {
			out = append(out, origin)
		}
	}
	if n := len(out); n > maxOrigins {
		e := postil.InvalidField("origins", "That is %d origins; %d fit.", n, maxOrigins)
		e.Limit = maxOrigins
		return nil, nil, e
	}
	if len(out) == 0 {
		warnings = append(warnings, "Without an origin no page can send comments. Add the blog's address, for example https://blog.example.")
	}
	return out, warnings, nil
}

// adminSites is GET /api/v1/admin/sites: the sites that the caller may see.
func (s *Server) adminSites(c echo.Context, p auth.Principal) error {
	sites, err := s.deps.Admin.Sites.Sites(c.Request().Context())
	if err != nil {
		return err
	}
	out := []siteJSON{}
	for _, v := range sites {
		if p.May(auth.Read, v.ID) == nil {
			out = append(out, siteOf(v))
		}
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"sites": out})
}

// siteHere reads the site of the address and checks the right to it.
func siteHere(c echo.Context, p auth.Principal, action auth.Action) (postil.SiteID, error) {
	id, err := postil.ParseSiteID(c.Param("key"))
	if err != nil {
		return "", postil.Missing()
	}
	return id, p.May(action, id)
}

// adminSite is GET /api/v1/admin/sites/{key}.
func (s *Server) adminSite(c echo.Context, p auth.Principal) error {
	id, err := siteHere(c, p, auth.Read)
	if err != nil {
		return err
	}
	v, err := s.deps.Admin.Sites.Site(c.Request().Context(), id)
	if err != nil {
		return err
	}
	return resource(c, siteOf(v))
}

// adminAddSite is POST /api/v1/admin/sites and POST /api/v1/admin/sites/{key}.
func (s *Server) adminAddSite(c echo.Context, p auth.Principal) error {
	var in siteIn
	if _, err := bind(c, &in); err != nil {
		return err
	}
	id, err := newSiteID(c.Param("key"), in.Key)
	if err != nil {
		return err
	}
	if err := p.May(auth.Manage, id); err != nil {
		return err
	}
	if in.Origins == nil {
		in.Origins = &[]string{} // for its warning
	}
	v := postil.NewSite(id)
	warnings, err := in.apply(&v)
	if err != nil {
		return err
	}
	if v, err = s.deps.Admin.Sites.AddSite(c.Request().Context(), v, p.By); err != nil {
		return err
	}
	return s.answerSite(c, http.StatusCreated, v, warnings)
}

// newSiteID takes the key of a new site from the address or the body.
func newSiteID(address string, member *string) (postil.SiteID, error) {
	switch {
	case member == nil:
	case address == "":
		address = *member
	case address != *member:
		return "", postil.InvalidField("key", "The address names the site “%s” and the body “%s”. Send one of the two.", postil.CleanTitle(address), postil.CleanTitle(*member))
	}
	return postil.ParseSiteID(address)
}

// answerSite answers a change of a site, which the next request sees.
func (s *Server) answerSite(c echo.Context, status int, v postil.Site, warnings []string) error {
	s.deps.Admin.changed(v.ID)
	out := siteOf(v)
	out.Warnings = warnings
	return answer(c, status, jsonType, out)
}

// adminSetSite is PATCH /api/v1/admin/sites/{key}.
func (s *Server) adminSetSite(c echo.Context, p auth.Principal) error {
	id, err := siteHere(c, p, auth.Manage)
	if err != nil {
		return err
	}
	var in siteIn
	if _, err := bind(c, &in); err != nil {
		return err
	}
	if in.Key != nil && *in.Key != string(id) {
		return postil.InvalidField("key", "The key of a site cannot change: pages and comments refer to it.")
	}
	var warnings []string
	v, err := s.deps.Admin.Sites.SetSite(c.Request().Context(), id, p.By, func(v *postil.Site) (err error) {
		warnings, err = in.apply(v)
		return err
	})
	if err != nil {
		return err
	}
	return s.answerSite(c, http.StatusOK, v, warnings)
}

// adminRemoveSite is DELETE /api/v1/admin/sites/{key}. It erases the site with
// its posts and comments, and nothing brings them back.
func (s *Server) adminRemoveSite(c echo.Context, p auth.Principal) error {
	id, err := siteHere(c, p, auth.Manage)
	if err != nil {
		return err
	}
	if err := s.deps.Admin.Sites.RemoveSite(c.Request().Context(), id, p.By); err != nil {
		return err
	}
	s.deps.Admin.changed(id)
	return c.NoContent(http.StatusNoContent)
}
