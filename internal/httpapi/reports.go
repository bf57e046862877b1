package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// reportRequest is the optional body of a report.
type reportRequest struct {
	personRequest
	Reason string `json:"reason"` // one of postil.ReportReasons
	Text   string `json:"text"`   // in the reader's own words, for moderators alone
}

// report is POST /api/v1/sites/{site}/comments/{id}/reports: a reader says that
// a public comment should not be public. The answer is the same for the first
// report and the tenth, and says nothing about what follows.
func (s *Server) report(c echo.Context) error {
	v, err := s.enter(c)
	if err != nil {
		return err
	}
	var in reportRequest
	if err := bindPerson(c, &in, &in.personRequest); err != nil {
		return err
	}
	reason, note, err := postil.CleanReport(in.Reason, in.Text)
	if err != nil {
		return err
	}
	err = s.limited(c, RuleReports, v.actor, func(ctx context.Context) error {
		id, err := postil.ParseCommentID(c.Param("id"))
		if err != nil {
			return err
		}
		return notSaved(s.deps.Authors.Report(ctx, postil.Report{Site: v.site.ID, Comment: id, Reason: reason, Note: note}, in.Device, v.actor))
	})
	if err != nil {
		return err
	}
	return answer(c, http.StatusAccepted, jsonType, map[string]bool{"accepted": true})
}

// reportJSON is a report as moderators see it. Who made it is told to nobody.
type reportJSON struct {
	ID        string        `json:"id"`
	Site      postil.SiteID `json:"site"`
	Post      keyJSON       `json:"post"`
	CommentID string        `json:"comment_id"`
	Reason    *string       `json:"reason"`
	Text      *string       `json:"text"`
	At        string        `json:"at"`
	SettledAt *string       `json:"settled_at"` // when a person decided about the comment
}

// adminReports is GET /api/v1/admin/reports?site&comment&open&limit&cursor,
// newest first; open=true leaves out what a person has decided about.
func (s *Server) adminReports(c echo.Context, p auth.Principal) error {
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	f := postil.ReportFilter{Open: q.Get("open") == "true", Cursor: q.Get("cursor")}
	if f.Site, err = s.siteFor(c, p, auth.Read, q.Get("site")); err != nil {
		return err
	}
	if id := q.Get("comment"); id != "" {
		if f.Comment, err = postil.ParseCommentID(id); err != nil {
			return err
		}
	}
	if f.Limit, err = number(q, "limit", 50, 200); err != nil {
		return err
	}
	page, err := s.deps.Admin.Records.Reports(c.Request().Context(), f)
	if err != nil {
		return err
	}
	out := make([]reportJSON, len(page.Reports))
	for i, r := range page.Reports {
		out[i] = reportJSON{ID: strconv.FormatInt(r.ID, 10), Site: r.Site, Post: keyJSON{Key: string(r.Post)}, CommentID: r.Comment.String(),
			Reason: orNull(r.Reason), Text: orNull(r.Note), At: stamp(r.At), SettledAt: stampOrNull(r.Settled)}
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"reports": out, "next_cursor": orNull(page.Next)})
}
