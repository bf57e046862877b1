package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/token"
)

// codeValid is how long a moderator may take to type the one-time code.
const codeValid = 24 * time.Hour

// keyOutJSON is an API key without the key itself.
type keyOutJSON struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Role       postil.Role `json:"role"`
	Scope      *string     `json:"scope"`
	Site       *string     `json:"site"` // null: every site
	Pen        *penJSON    `json:"pen"`  // of a key with the scope author
	CreatedAt  string      `json:"created_at"`
	LastUsedAt *string     `json:"last_used_at"`
	RevokedAt  *string     `json:"revoked_at"`
}

// penJSON is how a key with the scope author writes.
type penJSON struct {
	Author    string `json:"author"` // "": each comment says its own
	Badge     string `json:"badge"`
	Checked   bool   `json:"checked"`
	PerMinute int    `json:"per_minute"` // 0: as readers may
	PerHour   int    `json:"per_hour"`
}

func keyOf(k postil.APIKey) keyOutJSON {
	var pen *penJSON
	if k.Scope == postil.AuthorScope {
		p := penJSON(k.Pen)
		if p.Badge == "" {
			p.Badge = postil.AuthorBadge
		}
		pen = &p
	}
	return keyOutJSON{k.Label(), k.Name, k.Role, orNull(k.Scope), orNull(string(k.Site)), pen, stamp(k.Created), stampOrNull(k.LastUsed), stampOrNull(k.Revoked)}
}

// moderatorJSON is a moderator.
type moderatorJSON struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Role      postil.Role `json:"role"`
	Site      *string     `json:"site"` // null: every site
	Linked    bool        `json:"linked"`
	CreatedAt string      `json:"created_at"`
	RevokedAt *string     `json:"revoked_at"`
}

func moderatorOf(m postil.Moderator) moderatorJSON {
	return moderatorJSON{strconv.FormatInt(m.ID, 10), m.Name, m.Role, orNull(string(m.Site)), m.TelegramUser != 0, stamp(m.Created), stampOrNull(m.Revoked)}
}

// adminKeys is GET /api/v1/admin/keys?limit&cursor, the newest first, revoked ones included. Who is bound to a
// site sees the keys of that site.
func (s *Server) adminKeys(c echo.Context, p auth.Principal) error {
	keys, err := s.deps.Admin.APIKeys.Keys(c.Request().Context())
	if err != nil {
		return err
	}
	keys = slices.DeleteFunc(keys, func(k postil.APIKey) bool { return p.May(auth.Manage, k.Site) != nil })
	keys, next, err := numbered(c, keys, func(k postil.APIKey) int64 { return k.ID })
	if err != nil {
		return err
	}
	out := []keyOutJSON{}
	for _, k := range keys {
		out = append(out, keyOf(k))
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"keys": out, "next_cursor": next})
}

// personIn is a new key or moderator.
type personIn struct {
	Name  string `json:"name"`
	Role  string `json:"role"`
	Scope string `json:"scope"` // of keys
	Site  string `json:"site"`

	Pen penJSON `json:"pen"` // of keys with a scope
}

// pen reads how a key writes. What stands beside a name is shown to readers as
// it is, so it must not look like more than a word.
func (in *personIn) pen() (p postil.Pen, err error) {
	p = postil.Pen(in.Pen)
	if in.Scope != postil.AuthorScope {
		if p != (postil.Pen{}) {
			return p, postil.InvalidField("pen", "“pen” is how a key with “scope”: “author” writes. Add the scope, or leave it out.")
		}
		return p, nil
	}
	if p.Author != "" {
		if p.Author, err = postil.CleanName(p.Author); err != nil {
			return p, err
		}
	}
	if p.Badge = postil.CleanTitle(p.Badge); len([]rune(p.Badge)) > maxBadge {
		return p, postil.TooLong("badge", len([]rune(p.Badge)), maxBadge)
	}
	for name, n := range map[string]int{"per_minute": p.PerMinute, "per_hour": p.PerHour} {
		if n < 0 || n > maxPerHour {
			return p, postil.InvalidField(name, "“%s” is a number of comments from 1 to %d, or 0 for the limits of readers.", name, maxPerHour)
		}
	}
	return p, nil
}

const (
	maxBadge   = 24
	maxPerHour = 10_000
)

// person is what keys and moderators have in common, checked.
type person struct {
	name string
	role postil.Role
	site postil.SiteID
}

// readPerson reads and checks a new key or moderator. Nobody can give rights
// to more sites than they have.
func (s *Server) readPerson(c echo.Context, p auth.Principal, in *personIn) (out person, err error) {
	if _, err = bind(c, in); err != nil {
		return out, err
	}
	if out.role, err = postil.ParseRole(in.Role); err != nil {
		return out, err
	}
	if out.site, err = s.siteFor(c, p, auth.Manage, in.Site); err != nil {
		return out, err
	}
	if in.Name != "" {
		out.name, err = label(in.Name)
	}
	return out, err
}

// adminAddKey is POST /api/v1/admin/keys. The answer is the only place where
// the key is ever shown.
func (s *Server) adminAddKey(c echo.Context, p auth.Principal) error {
	var in personIn
	who, err := s.readPerson(c, p, &in)
	if err != nil {
		return err
	}
	if in.Scope != "" && in.Scope != postil.AuthorScope {
		return postil.InvalidField("scope", "“scope” is “author”, for a key that posts as the blog's author, or is left out.")
	}
	if who.name == "" {
		who.name = string(who.role) + " key" // what colleagues read beside its decisions
	}
	secret, hash := token.NewAPIKey()
	pen, err := in.pen()
	if err != nil {
		return err
	}
	key := postil.APIKey{Name: who.name, Role: who.role, Scope: in.Scope, Site: who.site, Pen: pen}
	if key, err = s.deps.Admin.APIKeys.AddKey(c.Request().Context(), key, hash, p.By); err != nil {
		return err
	}
	return answer(c, http.StatusCreated, jsonType, struct {
		Key    keyOutJSON `json:"key"`
		Secret string     `json:"secret"`
	}{keyOf(key), secret})
}

// adminRevokeKey is DELETE /api/v1/admin/keys/{id}: the key is refused at the
// next request.
func (s *Server) adminRevokeKey(c echo.Context, p auth.Principal) error {
	id, err := rowID(c.Param("id"))
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	keys, err := s.deps.Admin.APIKeys.Keys(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(keys, func(k postil.APIKey) bool { return k.ID == id })
	if i < 0 {
		return postil.Missing()
	}
	if err := p.May(auth.Manage, keys[i].Site); err != nil {
		return err
	}
	if err := s.deps.Admin.APIKeys.RevokeKey(ctx, id, p.By); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// adminModerators is GET /api/v1/admin/moderators?limit&cursor, the newest first, former ones included.
func (s *Server) adminModerators(c echo.Context, p auth.Principal) error {
	moderators, err := s.deps.Admin.Moderators.Moderators(c.Request().Context())
	if err != nil {
		return err
	}
	moderators = slices.DeleteFunc(moderators, func(m postil.Moderator) bool { return p.May(auth.Manage, m.Site) != nil })
	moderators, next, err := numbered(c, moderators, func(m postil.Moderator) int64 { return m.ID })
	if err != nil {
		return err
	}
	out := []moderatorJSON{}
	for _, m := range moderators {
		out = append(out, moderatorOf(m))
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"moderators": out, "next_cursor": next})
}

// adminAddModerator is POST /api/v1/admin/moderators. The answer is the only
// place where the one-time code is shown; it is sent to the bot as /start CODE.
func (s *Server) adminAddModerator(c echo.Context, p auth.Principal) error {
	var in personIn
	who, err := s.readPerson(c, p, &in)
	if err != nil {
		return err
	}
	if who.name == "" {
		return postil.InvalidField("name", "Say who this is: “name” is what colleagues read beside the decisions.")
	}
	ctx := c.Request().Context()
	code, hash := s.deps.Admin.Codes.NewCode()
	expires := s.deps.Admin.now(ctx).Add(codeValid)
	m := postil.Moderator{Name: who.name, Role: who.role, Site: who.site}
	if m, err = s.deps.Admin.Moderators.AddModerator(ctx, m, hash, expires, p.By); err != nil {
		return err
	}
	return answer(c, http.StatusCreated, jsonType, struct {
		Moderator moderatorJSON `json:"moderator"`
		Code      string        `json:"code"`
		ExpiresAt string        `json:"expires_at"`
	}{moderatorOf(m), code, stamp(expires)})
}

// adminRevokeModerator is DELETE /api/v1/admin/moderators/{id}: the next press
// of a button is refused.
func (s *Server) adminRevokeModerator(c echo.Context, p auth.Principal) error {
	id, err := rowID(c.Param("id"))
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	moderators, err := s.deps.Admin.Moderators.Moderators(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(moderators, func(m postil.Moderator) bool { return m.ID == id })
	if i < 0 {
		return postil.Missing()
	}
	if err := p.May(auth.Manage, moderators[i].Site); err != nil {
		return err
	}
	if err := s.deps.Admin.Moderators.RevokeModerator(ctx, id, p.By); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
