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
		form, err = s.deps.Authors.Form(ctx, v.form(post))
		return err
	})
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, jsonType, formOf(form))
}

type formJSON struct {
	Token    string     `json:"token"`
	Trap     string     `json:"trap"`
	Limits   limitsJSON `json:"limits"`
	Closed   bool       `json:"closed"` // nobody can write here now, for whatever reason
	Lockdown bool       `json:"lockdown"`
	// Challenge is null unless whoever asks has behaved like a machine lately.
	Challenge *challengeJSON `json:"challenge"`
	Reactions []string       `json:"reactions"` // emoji that comments take, in the order in which they are offered
}

// challengeJSON is a proof of work. The client counts n = 0, 1, 2, … until the
// SHA-256 of the UTF-8 text CHALLENGE + ":" + n, n in decimal, begins with so
// many zero bits (the first byte's highest bit first), and sends n, as text of
// at most 20 digits, as form.solution together with the token that came with
// the challenge. It is good as long as the token, from the same address and
// once. A missing or wrong solution makes the comment wait for a person.
type challengeJSON struct {
	Algorithm string `json:"algorithm"` // always "SHA-256"
	Challenge string `json:"challenge"` // ASCII, at most 64 characters
	Bits      int    `json:"bits"`      // 1 to 20; about 2^bits tries
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
	out := formJSON{Token: f.Token, Trap: f.Trap, Limits: limitsJSON(f.Limits), Closed: f.Closed || f.Lockdown, Lockdown: f.Lockdown,
		Reactions: append([]string{}, f.Reactions...)}
	if f.Work != nil {
		out.Challenge = &challengeJSON{"SHA-256", f.Work.Challenge, f.Work.Bits}
	}
	return out
}
