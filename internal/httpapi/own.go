package httpapi

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// maxOwnKeys is how many edit keys one request may show.
const maxOwnKeys = 50

// ownJSON is a comment as its own author sees it.
type ownJSON struct {
	commentJSON
	Post          keyJSON       `json:"post"`
	Text          string        `json:"text"`
	Status        postil.Status `json:"status"`
	EditPending   bool          `json:"edit_pending,omitempty"` // text and html are not public yet; an older version is
	EditableUntil *string       `json:"editable_until"`
}

// ownDeletedJSON is what is left of a comment that its author took back.
type ownDeletedJSON struct {
	tombstoneJSON
	Post   keyJSON       `json:"post"`
	Status postil.Status `json:"status"`
}

type keyJSON struct {
	Key string `json:"key"`
}

// ownComment is what the author of a comment on a site is told of it.
func ownComment(site postil.Site, o postil.Own) any {
	m := o.Comment
	post := keyJSON{Key: string(m.Post)}
	if o.Shown == postil.Deleted {
		return ownDeletedJSON{Post: post, Status: postil.Deleted,
			tombstoneJSON: tombstoneJSON{ID: m.ID.String(), ParentID: parentOrNull(m.Parent), Depth: m.Depth, Deleted: true}}
	}
	out := ownJSON{
		commentJSON: commentJSON{
			ID: m.ID.String(), ParentID: parentOrNull(m.Parent), Depth: m.Depth,
			Author: authorOf(m.Author, m.UserGone), HTML: m.HTML,
			CreatedAt: stamp(m.Created), EditedAt: stampOrNull(m.Edited), Replies: m.Replies,
			CanReply: o.Shown == postil.Approved && m.Depth < postil.MaxDepth,
			Score:    m.Score, Reactions: site.Offered(m.Reactions),
		},
		Post: post, Text: m.Text, Status: o.Shown, EditableUntil: stampOrNull(o.EditableUntil),
	}
	if m.Draft != nil {
		out.Text, out.HTML, out.EditPending = m.Draft.Text, m.Draft.HTML, true
	}
	return out
}

// own is POST /api/v1/sites/{site}/comments/own: the comments of whoever shows
// their edit keys.
func (s *Server) own(c echo.Context) error {
	v, err := s.enter(c)
	if err != nil {
		return err
	}
	var in struct {
		Keys []string `json:"keys"`
	}
	if _, err := bind(c, &in); err != nil {
		return err
	}
	if n := len(in.Keys); n > maxOwnKeys {
		e := postil.InvalidField("keys", "That is %d keys; %d can be asked for at once. Ask in several requests.", n, maxOwnKeys)
		e.Limit = maxOwnKeys
		return e
	}
	comments := []any{}
	err = s.limited(c, RuleOwn, v.actor, func(ctx context.Context) error {
		list, err := s.deps.Authors.Own(ctx, v.site.ID, in.Keys)
		for _, o := range list {
			comments = append(comments, ownComment(v.site, o))
		}
		return err
	})
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"comments": comments})
}

// changedJSON is the answer to a change of one's own comment.
type changedJSON struct {
	Comment  any   `json:"comment"`
	Bookmark int64 `json:"bookmark"`
}

// edit is PATCH /api/v1/sites/{site}/comments/{id} by the commenter.
func (s *Server) edit(c echo.Context) error {
	v, key, err := s.enterWithKey(c)
	if err != nil {
		return err
	}
	text, err := readText(c)
	if err != nil {
		return err
	}
	return s.change(c, v, func(ctx context.Context, id postil.CommentID) (postil.Own, int64, error) {
		return s.deps.Authors.Edit(ctx, v.site.ID, id, key, text)
	})
}

// remove is DELETE /api/v1/sites/{site}/comments/{id} by the commenter.
func (s *Server) remove(c echo.Context) error {
	v, key, err := s.enterWithKey(c)
	if err != nil {
		return err
	}
	return s.change(c, v, func(ctx context.Context, id postil.CommentID) (postil.Own, int64, error) {
		return s.deps.Authors.Remove(ctx, v.site.ID, id, key)
	})
}

func (s *Server) enterWithKey(c echo.Context) (visit, string, error) {
	v, err := s.enter(c)
	if err != nil {
		return v, "", err
	}
	key, err := bearer(c)
	return v, key, err
}

// change does one change of an own comment and answers with the result.
func (s *Server) change(c echo.Context, v visit, do func(context.Context, postil.CommentID) (postil.Own, int64, error)) error {
	var out changedJSON
	err := s.limited(c, RuleEdit, v.actor, func(ctx context.Context) error {
		id, err := postil.ParseCommentID(c.Param("id"))
		if err != nil {
			return wrongKey(err)
		}
		own, bookmark, err := do(ctx, id)
		out = changedJSON{Comment: ownComment(v.site, own), Bookmark: bookmark}
		return notSaved(wrongKey(err))
	})
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, jsonType, out)
}

// wrongKey makes an unknown comment look like a key that does not fit. What is
// said to somebody whose key does fit is passed on.
func wrongKey(err error) error {
	if postil.KindOf(err) == postil.NotFound {
		return postil.WrongEditKey()
	}
	return err
}
