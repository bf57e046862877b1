package httpapi

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// adminCorrect is PATCH /api/v1/admin/comments/{id}: a moderator corrects the
// text or the name of a comment. It is a line of its history, with both texts,
// and can be undone as a decision can.
func (s *Server) adminCorrect(c echo.Context, p auth.Principal) error {
	var in struct {
		Text           *string `json:"text"`
		Name           *string `json:"name"`
		ExpectRevision int     `json:"expect_revision"`
	}
	if _, err := bind(c, &in); err != nil {
		return err
	}
	if in.Text == nil && in.Name == nil {
		return postil.InvalidField("body", "There is nothing to correct. Send “text” or “name”.")
	}
	text, name, err := corrections(in.Text, in.Name)
	if err != nil {
		return err
	}
	comment, err := s.commentFor(c, p, auth.Decide)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	out, err := s.deps.Admin.Door.Correct(ctx, comment.ID, text, name, in.ExpectRevision, p.By)
	if postil.KindOf(err) == postil.Conflict {
		return answerConflict(c, out, err)
	}
	if err != nil {
		return err
	}
	detail, err := s.deps.Admin.Records.Detail(ctx, comment.ID)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"comment": adminDetailOf(detail)})
}

// corrections checks what a moderator writes as what a commenter writes is.
func corrections(newText, newName *string) (text, name string, err error) {
	if newText != nil {
		if text, err = postil.CleanText(*newText); err != nil {
			return "", "", err
		}
	}
	if newName != nil {
		if name, err = postil.CleanName(*newName); err != nil {
			return "", "", err
		}
	}
	return text, name, nil
}
