package httpapi

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
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
	RuleReports   = "reports"
	RuleSignIn    = "signin" // keys that turned out to be wrong
	RuleKeys      = "keys"   // requests with an API key
)

// limited does work within the allowance of actor. What work refuses does not
// count. When nothing is known about the allowance the request is refused:
// otherwise an outage would open the door.
func (s *Server) limited(c echo.Context, rule, actor string, work func(context.Context) error) error {
	taken, err := s.deps.Limiter.Take(c.Request().Context(), rule, actor)
	return s.within(c, rule, taken, err, work)
}

// within does work within an allowance that was asked for.
func (s *Server) within(c echo.Context, rule string, taken Allowance, err error, work func(context.Context) error) error {
	ctx := c.Request().Context()
	if err != nil {
		return postil.Busy("overloaded", "We cannot take that at the moment. Nothing was lost; try again in a few seconds.", 5*time.Second, err)
	}
	show(c, taken, taken.StateHeader())
	if err := taken.Err(); err != nil {
		return err
	}
	if err = work(ctx); err == nil {
		return nil
	}
	show(c, taken, taken.ReturnedHeader())
	if lost := s.deps.Limiter.Refund(context.WithoutCancel(ctx), taken); lost != nil {
		s.lg.WarnContext(ctx, "an allowance could not be given back", "rule", rule, "error", lost)
	}
	return err
}

// budgeted counts a request with an API key against what the key may do in a
// minute and on a day. Who works at the admin page, on this machine or with the
// key of the settings is not limited.
func (s *Server) budgeted(c echo.Context, p auth.Principal) error {
	if p.Key == 0 {
		return nil
	}
	taken, err := s.deps.Limiter.Take(c.Request().Context(), RuleKeys, p.By.Actor)
	if err != nil {
		return postil.Busy("overloaded", "We cannot take that at the moment. Nothing was lost; try again in a few seconds.", 5*time.Second, err)
	}
	show(c, taken, taken.StateHeader())
	return taken.Err()
}

// show tells the client what is left of an allowance.
func show(c echo.Context, taken Allowance, state string) {
	if policy := taken.PolicyHeader(); policy != "" && state != "" {
		c.Response().Header().Set("RateLimit-Policy", policy)
		c.Response().Header().Set("RateLimit", state)
	}
}

// guessed counts a key that is wrong. Beyond the allowance the answer is 429
// instead of 401. The key itself was looked at before: nobody who guesses can
// lock out somebody behind the same address who knows.
func (s *Server) guessed(c echo.Context, wrong error) error {
	r := c.Request()
	actor := s.deps.Clients.Actor(r.Context(), s.deps.Clients.ClientIP(r.RemoteAddr, r.Header))
	taken, err := s.deps.Limiter.Take(r.Context(), RuleSignIn, actor)
	if err != nil {
		return wrong
	}
	show(c, taken, taken.StateHeader())
	if err := taken.Err(); err != nil {
		return err
	}
	return wrong
}
