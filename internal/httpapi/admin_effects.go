package httpapi

import (
	"context"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// SettingEffects foretells what changes of settings do.
type SettingEffects interface {
	// Foretells reports whether it can for an entry.
	Foretells(name string) bool
	// Effect says what a change would mean for the comments that came last.
	// Errors are those of Set; nothing is changed.
	Effect(ctx context.Context, ch postil.SettingChange) (postil.SettingEffect, error)
}

func (s *Server) foretells(name string) bool {
	return s.deps.Admin.Effects != nil && s.deps.Admin.Effects.Foretells(name)
}

type effectTally struct {
	Published int `json:"published"`
	Held      int `json:"held"`
	Stopped   int `json:"stopped"`
	Refused   int `json:"refused"`
}

// effectJSON is what a change would do.
type effectJSON struct {
	Looked  int                `json:"looked"` // comments, the newest of the site or of all
	Now     effectTally        `json:"now"`
	Then    effectTally        `json:"then"`
	Changes []effectChangeJSON `json:"changes"`
	Detail  string             `json:"detail"` // the same in a sentence
}

type effectChangeJSON struct {
	ID   string `json:"id"`
	From string `json:"from"`
	To   string `json:"to"`
}

// adminForetell is POST /api/v1/admin/config/{name}/preview: what the change in
// the body would have meant for the last comments.
func (s *Server) adminForetell(c echo.Context, p auth.Principal) error {
	ch, _, err := s.changeOf(c, p)
	if err != nil {
		return err
	}
	if !s.foretells(ch.Name) {
		return postil.InvalidField("name", "“%s” does not decide about comments, so there is nothing to preview.", ch.Name)
	}
	e, err := s.deps.Admin.Effects.Effect(c.Request().Context(), ch)
	if err != nil {
		return err
	}
	out := effectJSON{Looked: e.Looked, Now: effectTally(e.Now), Then: effectTally(e.Then), Changes: []effectChangeJSON{}, Detail: effectSentence(e)}
	for _, v := range e.Changes {
		out.Changes = append(out.Changes, effectChangeJSON{v.Comment.String(), v.From, v.To})
	}
	return answer(c, http.StatusOK, jsonType, out)
}

// effectSentence tells an effect to a person.
func effectSentence(e postil.SettingEffect) string {
	if e.Looked == 0 {
		return "No comment went through the checks yet, so there is nothing to tell."
	}
	text := fmt.Sprintf("This would hold %d of the last %s, publish %d and stop %d as spam", e.Then.Held, commentsIn(e.Looked), e.Then.Published, e.Then.Stopped)
	if e.Then.Refused > 0 {
		text += fmt.Sprintf(", and not take in %d", e.Then.Refused)
	}
	if len(e.Changes) == 0 {
		return text + ": the same as now."
	}
	return text + fmt.Sprintf(". Now %d are held, %d published and %d stopped; %s would fare differently.", e.Now.Held, e.Now.Published, e.Now.Stopped, commentsIn(len(e.Changes)))
}

func commentsIn(n int) string {
	if n == 1 {
		return "one comment"
	}
	return postil.Thousands(n) + " comments"
}
