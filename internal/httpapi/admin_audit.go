package httpapi

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

const (
	usualAudit = 100
	mostAudit  = 1000
)

// auditJSON is a line of the audit log.
type auditJSON struct {
	ID      string         `json:"id"`
	At      string         `json:"at"`
	By      string         `json:"by"`    // the name that colleagues know
	Actor   string         `json:"actor"` // the stable id
	Channel postil.Channel `json:"channel"`
	Action  string         `json:"action"`
	Subject string         `json:"subject"`
	Site    *string        `json:"site"` // null: of all sites
	Detail  *string        `json:"detail"`
	BatchID *string        `json:"batch_id"`
	Before  map[string]any `json:"before"` // what differs
	After   map[string]any `json:"after"`
}

func auditOf(a postil.AuditEntry) auditJSON {
	return auditJSON{strconv.FormatInt(a.ID, 10), stamp(a.At), called(a.By), a.By.Actor, a.By.Channel, a.Action, a.Subject,
		orNull(string(a.Site)), orNull(a.Detail), orNull(a.Batch), a.Before, a.After}
}

// auditFilter reads what narrows the log. Who is bound to a site sees what
// concerns that site.
func (s *Server) auditFilter(c echo.Context, p auth.Principal, q url.Values) (f postil.AuditFilter, err error) {
	site, err := s.siteFor(c, p, auth.Manage, q.Get("site"))
	if err != nil {
		return f, err
	}
	if site != "" {
		f.Sites = []postil.SiteID{site}
	}
	f.Query, f.Actor, f.Action, f.Subject, f.Channel = q.Get("q"), q.Get("actor"), q.Get("action"), q.Get("subject"), postil.Channel(q.Get("channel"))
	if f.From, err = moment("from", q.Get("from")); err != nil {
		return f, err
	}
	f.To, err = moment("to", q.Get("to"))
	return f, err
}

// adminAudit is GET /api/v1/admin/audit: who changed what, the newest first.
func (s *Server) adminAudit(c echo.Context, p auth.Principal) error {
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	f, err := s.auditFilter(c, p, q)
	if err != nil {
		return err
	}
	if f.Limit, err = number(q, "limit", usualAudit, mostAudit); err != nil {
		return err
	}
	f.Cursor = q.Get("cursor")
	page, err := s.deps.Admin.Audits.Audit(c.Request().Context(), f)
	if err != nil {
		return err
	}
	entries := make([]auditJSON, 0, len(page.Entries))
	for _, a := range page.Entries {
		entries = append(entries, auditOf(a))
	}
	return answer(c, http.StatusOK, jsonType, struct {
		Entries    []auditJSON `json:"entries"`
		NextCursor *string     `json:"next_cursor"`
	}{entries, orNull(page.Next)})
}

// adminAuditExport is GET /api/v1/admin/audit/export: all that matches, a JSON
// object a line, the newest first.
func (s *Server) adminAuditExport(c echo.Context, p auth.Principal) error {
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	f, err := s.auditFilter(c, p, q)
	if err != nil {
		return err
	}
	f.Limit = mostAudit
	page, err := s.deps.Admin.Audits.Audit(c.Request().Context(), f)
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Content-Type", "application/x-ndjson")
	h.Set("Content-Disposition", `attachment; filename="audit.jsonl"`)
	c.Response().WriteHeader(http.StatusOK)
	for {
		for _, a := range page.Entries {
			line, err := encode(auditOf(a))
			if err != nil {
				return err
			}
			if _, err := c.Response().Write(append(line, '\n')); err != nil {
				return nil // the client is gone
			}
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return nil
		}
		if page, err = s.deps.Admin.Audits.Audit(c.Request().Context(), f); err != nil {
			return err
		}
	}
}
