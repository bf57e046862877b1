package httpapi

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// ReplyTemplates keeps the answers that moderators have ready.
type ReplyTemplates interface {
	// ReplyTemplates returns those for a site and for every site; for "" all.
	ReplyTemplates(ctx context.Context, site postil.SiteID) ([]postil.ReplyTemplate, error)
	ReplyTemplate(ctx context.Context, id int64) (postil.ReplyTemplate, error)
	AddReplyTemplate(ctx context.Context, t postil.ReplyTemplate, by postil.By) (postil.ReplyTemplate, error)
	RemoveReplyTemplate(ctx context.Context, t postil.ReplyTemplate, by postil.By) error
}

// templateRoutes are for everybody who may reply.
func (s *Server) templateRoutes() []route {
	if s.deps.Admin.Templates == nil {
		return nil
	}
	return []route{
		s.admin("GET", "/reply-templates", auth.Read, s.adminTemplates),
		s.admin("POST", "/reply-templates", auth.Reply, s.adminAddTemplate),
		s.admin("DELETE", "/reply-templates/:id", auth.Reply, s.adminRemoveTemplate),
	}
}

type templateJSON struct {
	ID        string  `json:"id"`
	Site      *string `json:"site"` // null: for every site
	Name      string  `json:"name"`
	Text      string  `json:"text"`
	Filled    *string `json:"filled,omitempty"` // as an answer to the comment that was asked for
	CreatedAt string  `json:"created_at"`
}

func templateOf(t postil.ReplyTemplate) templateJSON {
	return templateJSON{ID: t.Label(), Site: orNull(string(t.Site)), Name: t.Name, Text: t.Text, CreatedAt: stamp(t.Created)}
}

// adminTemplates is GET /api/v1/admin/reply-templates?site or ?comment: with a
// comment those for its site, each also filled as an answer to it.
func (s *Server) adminTemplates(c echo.Context, p auth.Principal) error {
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	var fill *postil.Blanks
	var site postil.SiteID
	if id := q.Get("comment"); id != "" {
		site, fill, err = s.blanks(c, p, id)
	} else {
		site, err = s.siteFor(c, p, auth.Read, q.Get("site"))
	}
	if err != nil {
		return err
	}
	all, err := s.deps.Admin.Templates.ReplyTemplates(c.Request().Context(), site)
	if err != nil {
		return err
	}
	out := []templateJSON{}
	for _, t := range all {
		one := templateOf(t)
		if fill != nil {
			text := t.Fill(*fill)
			one.Filled = &text
		}
		out = append(out, one)
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"templates": out})
}

// blanks returns what the variables stand for in an answer to a comment. What
// visitors have typed comes as plain text: it is put into words of the blog.
func (s *Server) blanks(c echo.Context, p auth.Principal, comment string) (postil.SiteID, *postil.Blanks, error) {
	id, err := postil.ParseCommentID(comment)
	if err != nil {
		return "", nil, err
	}
	d, err := s.deps.Admin.Records.Detail(c.Request().Context(), id)
	if err != nil {
		return "", nil, err
	}
	if err := p.May(auth.Read, d.Comment.Site); err != nil {
		return "", nil, err
	}
	site, err := s.deps.Admin.Sites.Site(c.Request().Context(), d.Comment.Site)
	if err != nil {
		return "", nil, err
	}
	b := &postil.Blanks{Name: markup.Escape(d.Comment.Author.Name), Post: markup.Escape(d.Post.Title), URL: d.Post.URL, Site: markup.Escape(site.Name), Me: markup.Escape(called(p.By))}
	if b.Post == "" {
		b.Post = markup.Escape(string(d.Post.ID))
	}
	if b.Site == "" {
		b.Site = string(site.ID)
	}
	return site.ID, b, nil
}

// adminAddTemplate is POST /api/v1/admin/reply-templates.
func (s *Server) adminAddTemplate(c echo.Context, p auth.Principal) error {
	var in struct {
		Site string `json:"site"`
		Name string `json:"name"`
		Text string `json:"text"`
	}
	if _, err := bind(c, &in); err != nil {
		return err
	}
	name, err := label(in.Name)
	if err != nil {
		return err
	}
	text, err := postil.CleanNote(in.Text)
	if err != nil {
		return err
	}
	site, err := s.siteFor(c, p, auth.Reply, in.Site)
	if err != nil {
		return err
	}
	t, err := s.deps.Admin.Templates.AddReplyTemplate(c.Request().Context(), postil.ReplyTemplate{Site: site, Name: name, Text: text}, p.By)
	if err != nil {
		return err
	}
	return answer(c, http.StatusCreated, jsonType, templateOf(t))
}

// adminRemoveTemplate is DELETE /api/v1/admin/reply-templates/{id}.
func (s *Server) adminRemoveTemplate(c echo.Context, p auth.Principal) error {
	id, err := rowID(c.Param("id"))
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	t, err := s.deps.Admin.Templates.ReplyTemplate(ctx, id)
	if err != nil {
		return err
	}
	if err := p.May(auth.Reply, t.Site); err != nil {
		return err
	}
	if err := s.deps.Admin.Templates.RemoveReplyTemplate(ctx, t, p.By); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
