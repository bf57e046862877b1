package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// Sessions knows who is signed in to the admin page.
type Sessions interface {
	// Request returns who sent a request, by its cookie, and refuses a change
	// that no page of theirs made.
	Request(r *http.Request) (auth.Principal, error)
	Open(ctx context.Context, p auth.Principal) ([]postil.Session, error)
	End(ctx context.Context, p auth.Principal, id int64) error
	// Invite makes the code of a link that signs a moderator in once.
	Invite(ctx context.Context, moderator int64, by postil.By) (code string, expires time.Time, err error)
}

// sessionJSON is a browser that is signed in to the admin page.
type sessionJSON struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"` // of whoever is signed in
	Actor     string      `json:"actor"`
	Role      postil.Role `json:"role"`
	Site      *string     `json:"site"` // null: every site
	Agent     *string     `json:"user_agent"`
	CreatedAt string      `json:"created_at"`
	SeenAt    string      `json:"seen_at"`
	EndsAt    string      `json:"ends_at"`
}

func sessionOf(v postil.Session) sessionJSON {
	// The name and role of an owner that is a setting stand nowhere in the store.
	name, role := cmp.Or(v.Name, "admin"), cmp.Or(v.Role, postil.AdminRole)
	return sessionJSON{strconv.FormatInt(v.ID, 10), name, v.Owner(), role, orNull(string(v.Site)), orNull(v.Agent), stamp(v.Created), stamp(v.Seen), stamp(v.Ends)}
}

// adminSessions is GET /api/v1/admin/sessions: one's own, and for an admin
// those of everybody on the same sites.
func (s *Server) adminSessions(c echo.Context, p auth.Principal) error {
	open, err := s.deps.Admin.Sessions.Open(c.Request().Context(), p)
	if err != nil {
		return err
	}
	out := []sessionJSON{}
	for _, v := range open {
		out = append(out, sessionOf(v))
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"sessions": out})
}

// adminEndSession is DELETE /api/v1/admin/sessions/{id}: the browser is signed
// out at its next request.
func (s *Server) adminEndSession(c echo.Context, p auth.Principal) error {
	id, err := rowID(c.Param("id"))
	if err != nil {
		return err
	}
	if err := s.deps.Admin.Sessions.End(c.Request().Context(), p, id); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// adminInvite is POST /api/v1/admin/signin-links: a link that signs somebody in
// to the admin page once. It is for the moderator of this name; without one a
// moderator is made.
func (s *Server) adminInvite(c echo.Context, p auth.Principal) error {
	var in personIn
	if _, err := bind(c, &in); err != nil {
		return err
	}
	m, err := s.invited(c, p, in)
	if err != nil {
		return err
	}
	code, expires, err := s.deps.Admin.Sessions.Invite(c.Request().Context(), m.ID, p.By)
	if err != nil {
		return err
	}
	return answer(c, http.StatusCreated, jsonType, struct {
		Moderator moderatorJSON `json:"moderator"`
		URL       string        `json:"url"`
		ExpiresAt string        `json:"expires_at"`
	}{moderatorOf(m), s.origin + s.prefix + "/admin/signin/" + code, stamp(expires)})
}

// invited finds or makes the moderator whom a link is for. Nobody can invite
// somebody with more rights than their own.
func (s *Server) invited(c echo.Context, p auth.Principal, in personIn) (m postil.Moderator, err error) {
	ctx := c.Request().Context()
	name, err := label(in.Name)
	if err != nil {
		return m, err
	}
	all, err := s.deps.Admin.Moderators.Moderators(ctx)
	if err != nil {
		return m, err
	}
	found := 0
	for _, known := range all {
		if known.Name == name && known.Revoked.IsZero() && (in.Site == "" || string(known.Site) == in.Site) {
			m = known
			found++
		}
	}
	switch {
	case found > 1:
		return m, postil.InvalidField("name", "There are %d moderators called “%s”. Say of which site with “site”, or give them different names.", found, name)
	case found == 1 && in.Role != "" && in.Role != string(m.Role):
		return m, postil.InvalidField("role", "“%s” is a moderator already, with the role %s. Leave “role” out, or take another name.", name, m.Role)
	case found == 1:
		return m, p.May(auth.Manage, m.Site)
	}
	return s.newcomer(c, p, name, in)
}

// newcomer makes a moderator who has no Telegram account yet.
func (s *Server) newcomer(c echo.Context, p auth.Principal, name string, in personIn) (m postil.Moderator, err error) {
	ctx := c.Request().Context()
	m.Name = name
	if m.Role, err = postil.ParseRole(cmp.Or(in.Role, string(postil.ModeratorRole))); err != nil {
		return m, err
	}
	if m.Site, err = s.siteFor(c, p, auth.Manage, in.Site); err != nil {
		return m, err
	}
	_, hash := s.deps.Admin.Codes.NewCode() // for Telegram, of which nobody is told: the link is the way in
	return s.deps.Admin.Moderators.AddModerator(ctx, m, hash, s.deps.Admin.now(ctx), p.By)
}
