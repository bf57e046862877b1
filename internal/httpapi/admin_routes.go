package httpapi

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// Where the routes for moderators and admins stand.
const adminPath = "/api/v1/admin"

// adminRoutes is the part of the table below /api/v1/admin. Each row says what
// its caller must be allowed to do; that the caller may do it on the site in
// question is asked by the handler, which alone knows the site.
//
// Members of resources that have no other name for themselves are written as
// "key" (sites, posts) or "id" (all else). A post's key is full of slashes, so
// it is never part of an address here: it is the parameter or member "post".
func (s *Server) adminRoutes() []route {
	if s.deps.Admin.Authenticator == nil {
		return nil
	}
	return append([]route{
		// Comments and decisions.
		s.admin("GET", "/comments", auth.Read, s.adminComments),
		s.admin("GET", "/comments/:id", auth.Read, s.adminComment),
		s.admin("PATCH", "/comments/:id", auth.Decide, s.adminCorrect),
		s.admin("POST", "/comments/:id/decision", auth.Decide, s.adminDecide),
		s.admin("POST", "/comments/:id/reply", auth.Reply, s.adminReply),
		s.admin("POST", "/decisions", auth.Decide, s.adminDecideMany),
		s.admin("POST", "/decisions/:id/undo", auth.Decide, s.adminUndo),

		s.admin("GET", "/reports", auth.Read, s.adminReports),
		s.admin("GET", "/authors", auth.Read, s.adminAuthors),
		s.admin("GET", "/authors/:id", auth.Read, s.adminAuthor),

		// Posts and sites.
		s.admin("GET", "/posts", auth.Read, s.adminPosts),
		s.admin("PATCH", "/posts", auth.Manage, s.adminSetPost),
		s.admin("GET", "/sites", auth.Read, s.adminSites),
		s.admin("POST", "/sites", auth.Manage, s.adminAddSite),
		s.admin("GET", "/sites/:key", auth.Read, s.adminSite),
		s.admin("POST", "/sites/:key", auth.Manage, s.adminAddSite),
		s.admin("PATCH", "/sites/:key", auth.Manage, s.adminSetSite),
		s.admin("DELETE", "/sites/:key", auth.Manage, s.adminRemoveSite),

		// Who may come in.
		s.admin("GET", "/keys", auth.Manage, s.adminKeys),
		s.admin("POST", "/keys", auth.Manage, s.adminAddKey),
		s.admin("DELETE", "/keys/:id", auth.Manage, s.adminRevokeKey),
		s.admin("GET", "/moderators", auth.Manage, s.adminModerators),
		s.admin("POST", "/moderators", auth.Manage, s.adminAddModerator),
		s.admin("DELETE", "/moderators/:id", auth.Manage, s.adminRevokeModerator),

		// Programs that are told.
		s.admin("GET", "/webhooks", auth.Manage, s.adminWebhooks),
		s.admin("POST", "/webhooks", auth.Manage, s.adminAddWebhook),
		s.admin("GET", "/webhooks/:id", auth.Manage, s.adminWebhook),
		s.admin("PATCH", "/webhooks/:id", auth.Manage, s.adminSetWebhook),
		s.admin("DELETE", "/webhooks/:id", auth.Manage, s.adminRemoveWebhook),
		s.admin("POST", "/webhooks/:id/secret", auth.Manage, s.adminRotateWebhook),
		s.admin("POST", "/webhooks/:id/test", auth.Manage, s.adminTestWebhook),
		s.admin("GET", "/webhooks/:id/deliveries", auth.Manage, s.adminDeliveries),
		s.admin("POST", "/webhooks/:id/replay", auth.Manage, s.adminReplay),

		// Who changed what.
		s.admin("GET", "/audit", auth.Manage, s.adminAudit),
		s.admin("GET", "/audit/export", auth.Manage, s.adminAuditExport),

		// The whole installation.
		s.admin("POST", "/backups", auth.Manage, s.adminBackup),
	}, slices.Concat(s.moveRoutes(), s.ruleRoutes(), s.noteRoutes(), s.templateRoutes(), s.adminSessionRoutes(), s.adminSettings(), s.adminLight(), s.adminOperations())...)
}

// adminSessionRoutes are about the browsers that are signed in to the admin
// page; that somebody may end a session is asked by Sessions.
func (s *Server) adminSessionRoutes() []route {
	if s.deps.Admin.Sessions == nil {
		return nil
	}
	return []route{
		s.admin("GET", "/sessions", auth.Read, s.adminSessions),
		s.admin("DELETE", "/sessions/:id", auth.Read, s.adminEndSession),
		s.admin("POST", "/signin-links", auth.Manage, s.adminInvite),
	}
}

// adminHandler answers a request of a known principal.
type adminHandler func(c echo.Context, p auth.Principal) error

// admin makes a row of the table. With a key Origin is not looked at: a key in a
// header is nothing that a foreign page could make a browser send. A cookie is,
// see auth.Sessions.
func (s *Server) admin(method, path string, action auth.Action, handle adminHandler) route {
	return route{method, adminPath + path, s.tracked(func(c echo.Context) error {
		if err := s.fenced(c); err != nil {
			return err
		}
		p, err := s.principal(c)
		if err != nil {
			return err
		}
		if err := s.budgeted(c, p); err != nil {
			return err
		}
		if err := p.May(action, p.Site); err != nil {
			return err
		}
		return handle(c, p)
	})}
}

// principal returns who is asking. A missing key and one of another scheme are
// as unknown as a wrong one.
func (s *Server) principal(c echo.Context) (auth.Principal, error) {
	ctx := c.Request().Context()
	if p, ok := auth.Local(ctx); ok {
		return p, nil
	}
	if p, ok := auth.FromContext(ctx); ok {
		return p, nil
	}
	key, _ := bearer(c)
	if s.deps.Admin.Sessions != nil && c.Request().Header.Get("Authorization") == "" {
		return s.deps.Admin.Sessions.Request(c.Request())
	}
	p, err := s.deps.Admin.Authenticator.Authenticate(ctx, key)
	if key != "" && postil.KindOf(err) == postil.KeyRequired {
		err = s.guessed(c, err)
	}
	return p, err
}

// LocalHandler returns all routes for the socket that only the owner of the
// data directory can open: whoever asks there is admin, without a key.
func (s *Server) LocalHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.echo.ServeHTTP(w, r.WithContext(auth.WithLocal(r.Context())))
	})
}

// siteFor reads the site that a request names and checks the right to it. No
// site means the one that the caller is bound to, or all ("").
func (s *Server) siteFor(c echo.Context, p auth.Principal, action auth.Action, raw string) (postil.SiteID, error) {
	if raw == "" {
		return p.Site, nil
	}
	id, err := postil.ParseSiteID(raw)
	if err != nil {
		return "", noSite(raw)
	}
	if err := p.May(action, id); err != nil {
		return "", err
	}
	_, err = s.deps.Admin.Sites.Site(c.Request().Context(), id)
	if postil.KindOf(err) == postil.NotFound {
		return "", noSite(raw)
	}
	return id, err
}

func noSite(raw string) error {
	return postil.InvalidField("site", "There is no site “%s”. GET sites lists those there are.", postil.CleanTitle(raw))
}

// readOf returns the parameters of a request that reads from one site, and the
// site, which the caller may read.
func (s *Server) readOf(c echo.Context, p auth.Principal) (q url.Values, site postil.SiteID, err error) {
	if q, err = parameters(c.Request()); err != nil {
		return q, "", err
	}
	site, err = s.oneSite(c, p, auth.Read, q.Get("site"))
	return q, site, err
}

// oneSite is siteFor where one site must be meant.
func (s *Server) oneSite(c echo.Context, p auth.Principal, action auth.Action, raw string) (postil.SiteID, error) {
	id, err := s.siteFor(c, p, action, raw)
	if err == nil && id == "" {
		err = postil.InvalidField("site", "Say which site: “site” is its key, such as “blog”.")
	}
	return id, err
}
