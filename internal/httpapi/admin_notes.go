package httpapi

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// Notes keeps what moderators tell each other about comments and authors.
type Notes interface {
	// NotesOn returns the notes on a comment or, for 0, on an author of a site.
	NotesOn(ctx context.Context, site postil.SiteID, comment postil.CommentID, author string) ([]postil.Note, error)
	Note(ctx context.Context, id int64) (postil.Note, error)
	AddNote(ctx context.Context, n postil.Note, by postil.By) (postil.Note, error)
	RemoveNote(ctx context.Context, n postil.Note, by postil.By) error
}

// noteRoutes are for everybody who may decide. Nothing of it is ever public.
func (s *Server) noteRoutes() []route {
	if s.deps.Admin.Notes == nil {
		return nil
	}
	return []route{
		s.admin("GET", "/notes", auth.Read, s.adminNotes),
		s.admin("POST", "/notes", auth.Decide, s.adminAddNote),
		s.admin("DELETE", "/notes/:id", auth.Decide, s.adminRemoveNote),
	}
}

type noteJSON struct {
	ID        string        `json:"id"`
	Site      postil.SiteID `json:"site"`
	CommentID *string       `json:"comment_id"` // null: on an author
	Author    *string       `json:"author"`     // id; null: on a comment
	Text      string        `json:"text"`
	By        string        `json:"by"`
	CreatedAt string        `json:"created_at"`
}

func noteOf(n postil.Note) noteJSON {
	return noteJSON{n.Label(), n.Site, parentOrNull(n.Comment), orNull(n.Author), n.Text, called(n.By), stamp(n.Created)}
}

// noteAbout reads what a note is about: a comment, or an author of a site. The
// caller may do the action there.
func (s *Server) noteAbout(c echo.Context, p auth.Principal, action auth.Action, comment, site, author string) (n postil.Note, err error) {
	ctx := c.Request().Context()
	switch {
	case (comment == "") == (author == ""):
		return n, postil.InvalidField("comment", "Say what it is about: “comment”, or “author” with “site”.")
	case comment != "":
		if n.Comment, err = postil.ParseCommentID(comment); err != nil {
			return n, err
		}
		on, err := s.deps.Admin.Records.Comment(ctx, n.Comment)
		if err != nil {
			return n, err
		}
		n.Site = on.Site
		return n, p.May(action, on.Site)
	}
	if n.Site, err = s.oneSite(c, p, action, site); err != nil {
		return n, err
	}
	n.Author = author
	_, err = s.deps.Admin.Records.KnownAuthor(ctx, n.Site, author)
	return n, err
}

// adminNotes is GET /api/v1/admin/notes?comment or ?site&author: the oldest first.
func (s *Server) adminNotes(c echo.Context, p auth.Principal) error {
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	on, err := s.noteAbout(c, p, auth.Read, q.Get("comment"), q.Get("site"), q.Get("author"))
	if err != nil {
		return err
	}
	notes, err := s.deps.Admin.Notes.NotesOn(c.Request().Context(), on.Site, on.Comment, on.Author)
	if err != nil {
		return err
	}
	out := []noteJSON{}
	for _, n := range notes {
		out = append(out, noteOf(n))
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"notes": out})
}

// adminAddNote is POST /api/v1/admin/notes.
func (s *Server) adminAddNote(c echo.Context, p auth.Principal) error {
	var in struct {
		Comment string `json:"comment"`
		Site    string `json:"site"`
		Author  string `json:"author"`
		Text    string `json:"text"`
	}
	if _, err := bind(c, &in); err != nil {
		return err
	}
	text, err := postil.CleanNote(in.Text)
	if err != nil {
		return err
	}
	n, err := s.noteAbout(c, p, auth.Decide, in.Comment, in.Site, in.Author)
	if err != nil {
		return err
	}
	n.Text = text
	if n, err = s.deps.Admin.Notes.AddNote(c.Request().Context(), n, p.By); err != nil {
		return err
	}
	return answer(c, http.StatusCreated, jsonType, noteOf(n))
}

// adminRemoveNote is DELETE /api/v1/admin/notes/{id}: everybody who may write
// one there may remove it.
func (s *Server) adminRemoveNote(c echo.Context, p auth.Principal) error {
	id, err := rowID(c.Param("id"))
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	n, err := s.deps.Admin.Notes.Note(ctx, id)
	if err != nil {
		return err
	}
	if err := p.May(auth.Decide, n.Site); err != nil {
		return err
	}
	if err := s.deps.Admin.Notes.RemoveNote(ctx, n, p.By); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
