package httpapi

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// ask is POST /api/qlog: a reader leaves a question. It fails closed: whatever
// is not certainly on disk was not accepted.
func (s *Server) ask(c echo.Context) error {
	site, err := s.enterLight(c)
	if err != nil {
		return err
	}
	body, err := readObject(c)
	if err != nil {
		return err
	}
	text, err := postil.CleanQuestion(body.text("question"))
	if err != nil {
		return err
	}
	who := s.visitor(c, site)
	return s.limited(c, RuleQuestions, who.actor, func(ctx context.Context) error {
		kept, err := s.deps.Light.Questions.Ask(ctx, site.ID, who.actor, text)
		if err != nil {
			return err
		}
		return answer(c, http.StatusCreated, shortType, struct {
			Accepted bool   `json:"accepted"`
			ID       string `json:"id"`
		}{true, kept.ID})
	})
}
