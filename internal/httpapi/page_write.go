package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// sendForm is POST /thread/{site}: the form of the page, sent without script.
// What is refused comes back with the text in it.
func (s *Server) sendForm(c echo.Context) error {
	site, err := s.site(c)
	if err != nil {
		return err
	}
	if _, err := s.admit(c.Request(), site); err != nil {
		return err // without the text: it may be a stranger's, sent from a stranger's page
	}
	s.policy(c.Response().Header(), site.Origins)
	d, err := s.readDraft(c)
	if err != nil && d.text == "" {
		return err
	}
	v := s.visitor(c, site)
	key, wrong := s.deps.Sites.Resolve(c.Request().Context(), site.ID, d.post)
	preview := ""
	switch {
	case err != nil:
	case wrong != nil:
		err = wrong
	case d.preview:
		preview, err = s.previewForm(c, v, key, &d)
	default:
		err = s.submitForm(c, v, d)
	}
	if err != nil || d.preview {
		return s.returnForm(c, site.ID, key, d, preview, err)
	}
	return c.Redirect(http.StatusSeeOther, "?"+url.Values{"post": {string(key)}, "sent": {"1"}}.Encode()+"#sent")
}

// submitForm does for a form what post does for JSON.
func (s *Server) submitForm(c echo.Context, v visit, d draft) error {
	comment, err := s.deps.Intake.Check(c.Request().Context(), postil.Submission{
		Site: v.site.ID, Post: d.post, ParentID: d.parent, Name: d.name, Email: d.email, Website: d.website, Text: d.text,
		HasForm: true, Token: d.token, Trap: d.trap, BodyHash: d.hash,
		Actor: v.actor, Network: v.network, Bucket: v.bucket, UserAgent: c.Request().Header.Get("User-Agent"), Proxy: v.doubt,
	})
	if err != nil {
		return err
	}
	return s.limited(c, RuleComments, v.actor, func(ctx context.Context) error {
		_, err := s.deps.Intake.Accept(ctx, comment)
		return notSaved(err)
	})
}

// previewForm renders the text and gives a draft that came without a token
// one: what is sent from the preview then is known to come from a form.
func (s *Server) previewForm(c echo.Context, v visit, key postil.PostID, d *draft) (html string, err error) {
	if _, err := postil.CleanText(d.text); err != nil {
		return "", err
	}
	err = s.limited(c, RulePreview, v.actor, func(ctx context.Context) (err error) {
		if html, _, err = s.deps.Authors.Preview(ctx, v.site.ID, d.text); err != nil || d.token != "" {
			return err
		}
		form, err := s.deps.Authors.Form(ctx, v.form(string(key)))
		d.token = form.Token
		return err
	})
	return html, err
}

// returnForm shows the form again, with the text and, unless it is a preview,
// what was wrong. It must work when little else does: the text is in it.
func (s *Server) returnForm(c echo.Context, site postil.SiteID, key postil.PostID, d draft, preview string, err error) error {
	parent, _ := postil.ParseCommentID(d.parent)
	above, unknown := s.context(c.Request().Context(), site, key, parent)
	if unknown != nil {
		above = contextJSON{Head: headData{Title: "Comments", Style: s.deps.Pages.styleName, Post: nameLink{Name: string(key)}}}
	}
	if err == nil {
		return s.writePage(c, http.StatusOK, key, above, d, preview, nil)
	}
	drain(c.Request())
	p := slipOf(err)
	if p.RetryAfter > 0 {
		c.Response().Header().Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	if failed := s.writePage(c, p.Status, key, above, d, "", &p); failed != nil {
		return failed
	}
	return err
}
