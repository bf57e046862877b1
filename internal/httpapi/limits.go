package httpapi

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// The rules that routes take from. Each counts for itself.
const (
	RuleComments = "comments"
	RulePreview  = "preview"
	RuleOwn      = "own"
	RuleForm     = "form"
	RuleEdit     = "edit" // changing and removing one's own comment

	RuleReactions = "reactions"
)

// limited does work within the allowance of actor. What work refuses does not
// count. When nothing is known about the allowance the request is refused:
// otherwise an outage would open the door.
func (s *Server) limited(c echo.Context, rule, actor string, work func(context.Context) error) error {
	ctx := c.Request().Context()
	taken, err := s.deps.Limiter.Take(ctx, rule, actor)
	if err != nil {
		return postil.Busy("overloaded", "We cannot take that at the moment. Nothing was lost; try again in a few seconds.", 5*time.Second, err)
	}
	h := c.Response().Header()
	if policy, state := taken.PolicyHeader(), taken.StateHeader(); policy != "" && state != "" {
		h.Set("RateLimit-Policy", policy)
		h.Set("RateLimit", state)
	}
	if err := taken.Err(); err != nil {
		return err
	}
	if err = work(ctx); err == nil {
		return nil
	}
	if lost := s.deps.Limiter.Refund(context.WithoutCancel(ctx), taken); lost != nil {
		s.lg.WarnContext(ctx, "an allowance could not be given back", "rule", rule, "error", lost)
	}
	return err
}
