package httpapi

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// Privacy tells and erases what is stored about a person.
type Privacy interface {
	PersonalData(ctx context.Context, who postil.Identity) ([]postil.PersonalComment, error)
	// Erase is repeatable; what was erased before changes nothing.
	Erase(ctx context.Context, who postil.Identity, texts bool, by postil.By) (postil.Erasure, error)
	// Export writes a site in the native format.
	Export(ctx context.Context, w io.Writer, site postil.SiteID, addresses bool) error
}

// EditKeys knows whose comment an edit key opens.
type EditKeys interface {
	// Holder returns the comment that the key belongs to, Forbidden for a key
	// that does not fit.
	Holder(ctx context.Context, key string) (postil.CommentID, error)
}

// privacyRoutes are for whoever may manage all sites: people do not keep to one.
func (s *Server) privacyRoutes() []route {
	if s.deps.Admin.Privacy == nil {
		return nil
	}
	return []route{
		s.admin("POST", "/people/export", auth.Manage, s.adminPersonalData),
		s.admin("POST", "/people/erase", auth.Manage, s.adminErase),
		s.admin("GET", "/exports", auth.Manage, s.adminExport),
	}
}

// personBody names a person in one of three ways. It is a body also for
// reading, so that no address stands in a log of addresses.
type personBody struct {
	Email   string `json:"email"`
	Author  string `json:"author"`
	EditKey string `json:"edit_key"`
	Texts   bool   `json:"texts"`
}

func (s *Server) person(c echo.Context, p auth.Principal) (who postil.Identity, b personBody, err error) {
	if err := p.May(auth.Manage, ""); err != nil {
		return who, b, err
	}
	if _, err := bind(c, &b); err != nil {
		return who, b, err
	}
	given := 0
	for _, v := range []string{b.Email, b.Author, b.EditKey} {
		if v != "" {
			given++
		}
	}
	if given != 1 {
		return who, b, postil.InvalidField("email", "Say who is meant by one of email, author and edit_key.")
	}
	who = postil.Identity{Email: b.Email, Author: b.Author}
	if b.EditKey != "" {
		who.Comment, err = s.deps.Admin.EditKeys.Holder(c.Request().Context(), b.EditKey)
	}
	return who, b, err
}

// adminPersonalData is POST /api/v1/admin/people/export: all that is stored
// about a person.
func (s *Server) adminPersonalData(c echo.Context, p auth.Principal) error {
	who, _, err := s.person(c, p)
	if err != nil {
		return err
	}
	all, err := s.deps.Admin.Privacy.PersonalData(c.Request().Context(), who)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"comments": append([]postil.PersonalComment{}, all...)})
}

// adminErase is POST /api/v1/admin/people/erase: takes a person out of
// everything, and with texts what they wrote too. It answers with what was
// touched; for whom nothing is left, with nothing.
func (s *Server) adminErase(c echo.Context, p auth.Principal) error {
	who, b, err := s.person(c, p)
	if err != nil {
		return err
	}
	report, err := s.deps.Admin.Privacy.Erase(c.Request().Context(), who, b.Texts, p.By)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, jsonType, report)
}

// adminExport is GET /api/v1/admin/exports: a site as JSON Lines. Mail
// addresses are in it with addresses=yes only.
func (s *Server) adminExport(c echo.Context, p auth.Principal) error {
	site, err := s.oneSite(c, p, auth.Manage, c.QueryParam("site"))
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Content-Type", "application/jsonl; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="postil-export.jsonl"`)
	out := patientWriter{c.Response(), http.NewResponseController(c.Response())}
	if err := s.deps.Admin.Privacy.Export(c.Request().Context(), out, site, c.QueryParam("addresses") == "yes"); err != nil {
		s.lg.Warn("an export was not finished; it has no last line", "err", err)
	}
	return nil
}

// patientWriter gives up a client that stands still, however long the rest is.
type patientWriter struct {
	io.Writer
	control *http.ResponseController
}

func (w patientWriter) Write(b []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(answerTime)) // fails for a response that has no connection
	return w.Writer.Write(b)
}
