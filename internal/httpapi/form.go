package httpapi

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// form is GET /api/v1/sites/{site}/form: what a composer needs.
func (s *Server) form(c echo.Context) error {
	v, err := s.enter(c)
	if err != nil {
		return err
	}
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	post, err := onePost(q)
	if err != nil {
		return err
	}
	var form postil.Form
	err = s.limited(c, RuleForm, v.actor, func(ctx context.Context) (err error) {
		form, err = s.deps.Authors.Form(ctx, v.site.ID, post)
		return err
	})
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, jsonType, formOf(form))
}

type formJSON struct {
	Token     string     `json:"token"`
	Trap      string     `json:"trap"`
	Limits    limitsJSON `json:"limits"`
	Closed    bool       `json:"closed"` // nobody can write here now, for whatever reason
	Lockdown  bool       `json:"lockdown"`
	Challenge *string    `json:"challenge"`
}

type limitsJSON struct {
	Text    int `json:"text"`
	Name    int `json:"name"`
	Website int `json:"website"`
	Title   int `json:"title"`
	Post    int `json:"post"`
	Depth   int `json:"depth"`
}

func formOf(f postil.Form) formJSON {
	return formJSON{Token: f.Token, Trap: f.Trap, Limits: limitsJSON(f.Limits), Closed: f.Closed || f.Lockdown, Lockdown: f.Lockdown}
}
