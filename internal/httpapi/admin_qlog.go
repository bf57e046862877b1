package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// questionJSON is a question as moderators see it.
type questionJSON struct {
	ID       string        `json:"id"`
	Site     postil.SiteID `json:"site"`
	Question string        `json:"question"`
	Tags     []string      `json:"tags"`
	AskedAt  string        `json:"asked_at"`
	Actor    string        `json:"actor"` // of the day: questions of one origin
}

func questionOf(v postil.Question) questionJSON {
	return questionJSON{v.ID, v.Site, v.Text, append([]string{}, v.Tags...), stamp(v.Asked), v.Actor}
}

// exportedJSON is a line of an export: nothing in it stands for a person.
type exportedJSON struct {
	ID       string        `json:"id"`
	Site     postil.SiteID `json:"site"`
	Question string        `json:"question"`
	Tags     []string      `json:"tags"`
	AskedAt  string        `json:"asked_at"`
}

// adminQuestions is GET /api/v1/admin/qlog, the newest first.
func (s *Server) adminQuestions(c echo.Context, p auth.Principal) error {
	f, err := s.questionFilter(c, p)
	if err != nil {
		return err
	}
	page, err := s.deps.Light.Questions.Questions(c.Request().Context(), f)
	if err != nil {
		return err
	}
	out := []questionJSON{}
	for _, v := range page.Questions {
		out = append(out, questionOf(v))
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"questions": out, "next_cursor": orNull(page.Next)})
}

func (s *Server) questionFilter(c echo.Context, p auth.Principal) (f postil.QuestionFilter, err error) {
	q, err := parameters(c.Request())
	if err != nil {
		return f, err
	}
	if f.Site, err = s.siteFor(c, p, auth.Read, q.Get("site")); err != nil {
		return f, err
	}
	f.Query = q.Get("q")
	if tag := q.Get("tag"); tag != "" {
		tags, err := postil.CleanTags([]string{tag})
		if err != nil {
			return f, postil.InvalidField("tag", "A tag has 1 to %d characters.", postil.MaxTag)
		}
		f.Tag = tags[0]
	}
	if f.From, err = moment("from", q.Get("from")); err != nil {
		return f, err
	}
	if f.To, err = moment("to", q.Get("to")); err != nil {
		return f, err
	}
	if f.Limit, err = number(q, "limit", defaultListed, maxListed); err != nil {
		return f, err
	}
	if f.Cursor = q.Get("cursor"); len(f.Cursor) > maxCursor {
		return f, postil.InvalidField("cursor", "That is no cursor of this list. Take next_cursor of a page, or ask without one.")
	}
	return f, nil
}

// adminExportQuestions is GET /api/v1/admin/qlog/export: all that the filter
// selects as JSON Lines. Trouble after the first line ends the connection, so
// that half an export does not look like a whole one.
func (s *Server) adminExportQuestions(c echo.Context, p auth.Principal) error {
	f, err := s.questionFilter(c, p)
	if err != nil {
		return err
	}
	f.Limit = maxListed
	ctx, w := c.Request().Context(), c.Response()
	page, err := s.deps.Light.Questions.Questions(ctx, f)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Content-Disposition", `attachment; filename="questions.jsonl"`)
	w.WriteHeader(http.StatusOK)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for {
		for _, v := range page.Questions {
			if err := lines.Encode(exportedJSON{v.ID, v.Site, v.Text, append([]string{}, v.Tags...), stamp(v.Asked)}); err != nil {
				return err
			}
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return nil
		}
		if page, err = s.deps.Light.Questions.Questions(ctx, f); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// adminTagQuestion is PATCH /api/v1/admin/qlog/{id}: it sets the tags.
func (s *Server) adminTagQuestion(c echo.Context, p auth.Principal) error {
	var in struct {
		Tags *[]string `json:"tags"`
	}
	if _, err := bind(c, &in); err != nil {
		return err
	}
	if in.Tags == nil {
		return postil.InvalidField("tags", "Send “tags”, a list of words; an empty one takes all tags away.")
	}
	tags, err := postil.CleanTags(*in.Tags)
	if err != nil {
		return err
	}
	if err := s.mayQuestion(c, p); err != nil {
		return err
	}
	v, err := s.deps.Light.Questions.TagQuestion(c.Request().Context(), c.Param("id"), tags, p.By)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, jsonType, questionOf(v))
}

// adminRemoveQuestion is DELETE /api/v1/admin/qlog/{id}.
func (s *Server) adminRemoveQuestion(c echo.Context, p auth.Principal) error {
	if err := s.mayQuestion(c, p); err != nil {
		return err
	}
	if err := s.deps.Light.Questions.RemoveQuestion(c.Request().Context(), c.Param("id"), p.By); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// mayQuestion checks the right to the question that the address names.
func (s *Server) mayQuestion(c echo.Context, p auth.Principal) error {
	v, err := s.deps.Light.Questions.Question(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return p.May(auth.Decide, v.Site)
}
