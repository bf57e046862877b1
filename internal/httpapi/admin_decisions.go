package httpapi

import (
	"net/http"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// maxReason is how many characters the reason of a decision may have.
const maxReason = 300

// decisionRequest checks what one decision and a bulk decision have in common.
func decisionRequest(by postil.By, decision, expect, reason string) (r postil.DecisionRequest, err error) {
	r.By, r.Reason, r.Expect = by, postil.CleanTitle(reason), postil.Status(expect)
	if r.Verb, err = postil.ParseVerb(decision); err != nil {
		return r, err
	}
	if r.Expect != "" && !r.Expect.Valid() {
		return r, postil.InvalidField("expect", "“expect” is the status you have seen: pending, approved, rejected, spam or deleted. Leave it out to decide whatever the status.")
	}
	if n := utf8.RuneCountInString(reason); n > maxReason {
		return r, postil.TooLong("reason", n, maxReason)
	}
	return r, nil
}

// outcomeJSON is what became of a comment.
type outcomeJSON struct {
	ID      string        `json:"id"`
	Status  postil.Status `json:"status"`
	Changed bool          `json:"changed"`
	decidedJSON
}

// decidedJSON is the decision that made a comment what it is; null when nobody
// has decided about it yet.
type decidedJSON struct {
	DecisionID *string `json:"decision_id"`
	By         *string `json:"by"`
	At         *string `json:"at"`
}

func outcomeOf(o postil.Outcome) outcomeJSON {
	return outcomeJSON{o.Comment.String(), o.Status, o.Changed, decidedOf(o.Decision)}
}

func decidedOf(d postil.Decision) decidedJSON {
	return decidedJSON{decisionOrNull(d.ID), orNull(called(d.By)), stampOrNull(d.At)}
}

// conflictJSON is the problem of somebody who was too late: how the comment
// stands now, and who decided. "status" is the problem's own.
type conflictJSON struct {
	problem
	State postil.Status `json:"state"`
	decidedJSON
}

func conflictOf(o postil.Outcome, err error) conflictJSON {
	return conflictJSON{problemOf(err), o.Status, decidedOf(o.Decision)}
}

func answerConflict(c echo.Context, o postil.Outcome, err error) error {
	return answer(c, http.StatusConflict, "application/problem+json", conflictOf(o, err))
}

// adminDecide is POST /api/v1/admin/comments/{id}/decision. Repeating a
// decision changes nothing and is no error.
func (s *Server) adminDecide(c echo.Context, p auth.Principal) error {
	var in struct {
		Decision       string `json:"decision"`
		Expect         string `json:"expect"`
		ExpectRevision int    `json:"expect_revision"`
		Reason         string `json:"reason"`
	}
	if _, err := bind(c, &in); err != nil {
		return err
	}
	r, err := decisionRequest(p.By, in.Decision, in.Expect, in.Reason)
	if err != nil {
		return err
	}
	if r.Revision = in.ExpectRevision; r.Revision < 0 {
		return postil.InvalidField("expect_revision", "“expect_revision” is the revision of the text that you have read. Leave it out to decide whatever the text.")
	}
	comment, err := s.commentFor(c, p, auth.Decide)
	if err != nil {
		return err
	}
	r.Comment = comment.ID
	out, err := s.deps.Admin.Door.Decide(c.Request().Context(), r)
	return answerOutcome(c, out, err)
}

func answerOutcome(c echo.Context, out postil.Outcome, err error) error {
	if postil.KindOf(err) == postil.Conflict {
		return answerConflict(c, out, err)
	}
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, jsonType, outcomeOf(out))
}

// adminUndo is POST /api/v1/admin/decisions/{id}/undo, where id is that of a
// decision or of a batch.
func (s *Server) adminUndo(c echo.Context, p auth.Principal) error {
	ctx := c.Request().Context()
	id, err := rowID(c.Param("id"))
	if err != nil {
		return s.undoBatch(c, p, c.Param("id"))
	}
	decision, err := s.deps.Admin.Decisions.Decision(ctx, postil.DecisionID(id))
	if err != nil {
		return err
	}
	if err := p.May(auth.Decide, decision.Site); err != nil {
		return err
	}
	out, err := s.deps.Admin.Door.Undo(ctx, decision.ID, p.By, "")
	return answerOutcome(c, out, err)
}
