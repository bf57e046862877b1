package httpapi

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// adminCorrect is PATCH /api/v1/admin/comments/{id}: a moderator corrects the
// text or the name of a comment, or puts it beneath another one of its post. It
// is a line of its history, with what was before, and can be undone as a decision can.
func (s *Server) adminCorrect(c echo.Context, p auth.Principal) error {
	var in struct {
		Text           *string `json:"text"`
		Name           *string `json:"name"`
		ParentID       *string `json:"parent_id"` // "" makes it a root
		ExpectRevision int     `json:"expect_revision"`
	}
	if _, err := bind(c, &in); err != nil {
		return err
	}
	if in.Text == nil && in.Name == nil && in.ParentID == nil {
		return postil.InvalidField("body", "There is nothing to correct. Send “text”, “name” or “parent_id”.")
	}
	k, err := correction(in.Text, in.Name, in.ParentID)
	if err != nil {
		return err
	}
	k.Revision = in.ExpectRevision
	comment, err := s.commentFor(c, p, auth.Decide)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	out, err := s.deps.Admin.Door.Correct(ctx, comment.ID, k, p.By)
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

// correction checks what a moderator writes as what a commenter writes is.
func correction(text, name, parent *string) (k postil.Correction, err error) {
	if text != nil {
		if k.Text, err = postil.CleanText(*text); err != nil {
			return k, err
		}
	}
	if name != nil {
		if k.Name, err = postil.CleanName(*name); err != nil {
			return k, err
		}
	}
	if parent != nil {
		k.Parent = new(postil.CommentID)
		if *parent != "" {
			if *k.Parent, err = postil.ParseCommentID(*parent); err != nil {
				return k, postil.InvalidField("parent_id", "“parent_id” is the id of a comment on the same post, such as “17”, or empty for a comment that answers none.")
			}
		}
	}
	return k, nil
}
