package httpapi

import (
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// personRequest is the optional body of a write of somebody who may be known by
// a device key; without a body the address stands for the person, for one day.
type personRequest struct {
	Device string `json:"device"`
}

// reactedJSON is how a comment stands after a reaction. What is public of it is
// in the thread too, the same for everybody; Mine is the person's own.
type reactedJSON struct {
	ID        string         `json:"id"`
	Score     int            `json:"score"`     // distinct people who reacted
	Reactions map[string]int `json:"reactions"` // how often each
	Mine      []string       `json:"mine"`      // those of whoever asked
	Bookmark  int64          `json:"bookmark"`
}

// react is PUT /api/v1/sites/{site}/comments/{id}/reactions/{emoji}: the person
// has reacted with this emoji, however often it is sent.
func (s *Server) react(c echo.Context) error { return s.reaction(c, true) }

// unreact is DELETE on the same address: the person has not.
func (s *Server) unreact(c echo.Context) error { return s.reaction(c, false) }

func (s *Server) reaction(c echo.Context, on bool) error {
	v, err := s.enter(c)
	if err != nil {
		return err
	}
	emoji, err := v.site.Reaction(emojiOf(c))
	if err != nil {
		return err
	}
	var in personRequest
	if err := bindPerson(c, &in, &in); err != nil {
		return err
	}
	out, err := s.reactWith(c, v, emoji, c.Param("id"), in.Device, on)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, jsonType, reactedJSON{ID: out.Comment.String(), Score: out.Score,
		Reactions: v.site.Offered(out.Reactions), Mine: v.site.Spelled(out.Mine), Bookmark: out.Version})
}

// reactWith puts an emoji that the site offers on a comment or takes it back,
// within the allowance of the visitor.
func (s *Server) reactWith(c echo.Context, v visit, emoji, comment, device string, on bool) (out postil.Reacted, err error) {
	err = s.limited(c, RuleReactions, v.actor, func(ctx context.Context) error {
		id, err := postil.ParseCommentID(comment)
		if err != nil {
			return err
		}
		out, err = s.deps.Authors.React(ctx, v.site.ID, id, emoji, device, v.actor, on)
		return notSaved(err)
	})
	return out, err
}

// emojiOf returns the last part of the address, decoded whichever way it was
// written.
func emojiOf(c echo.Context) string {
	raw := c.Param("emoji")
	if decoded, err := url.PathUnescape(raw); err == nil {
		return decoded
	}
	return raw
}

// bindPerson reads a body that may be absent into v and checks the device key
// in p, which is v or a part of it.
func bindPerson(c echo.Context, v any, p *personRequest) error {
	if c.Request().ContentLength != 0 {
		if _, err := bind(c, v); err != nil {
			return err
		}
	}
	return postil.CheckDevice(p.Device)
}
