package httpapi

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

const (
	maxSplit  = 1000   // comments that one request names
	maxTwinly = 50_000 // posts that are compared
)

// moveRoutes put threads in order.
func (s *Server) moveRoutes() []route {
	return []route{
		s.admin("GET", "/posts/twins", auth.Read, s.adminTwins),
		s.admin("GET", "/posts/moves", auth.Read, s.adminMoves),
		s.admin("POST", "/posts/moves/:id/undo", auth.Manage, s.adminUndoMove),
		s.admin("POST", "/posts/merge", auth.Manage, s.adminMerge),
		s.admin("POST", "/posts/rename", auth.Manage, s.adminRename),
		s.admin("POST", "/posts/split", auth.Manage, s.adminSplit),
	}
}

// moveJSON is comments that went from one post to another.
type moveJSON struct {
	ID       string          `json:"id"`
	Site     postil.SiteID   `json:"site"`
	Kind     postil.MoveKind `json:"kind"`
	From     postil.PostID   `json:"from"`
	To       postil.PostID   `json:"to"`
	Comments int             `json:"comments"`
	At       string          `json:"at"`
	UndoneAt *string         `json:"undone_at"`
}

func moveOf(m postil.PostMove) moveJSON {
	return moveJSON{strconv.FormatInt(m.ID, 10), m.Site, m.Kind, m.From, m.To, m.Comments, stamp(m.At), stampOrNull(m.Undone)}
}

// moveIn asks for a merge, a rename or a split.
type moveIn struct {
	Site     string   `json:"site"`
	Post     *string  `json:"post"` // key or address of the post that is left
	Into     *string  `json:"into"` // and of the one that the comments go to
	Comments []string `json:"comments"`
	Title    string   `json:"title"`
	DryRun   bool     `json:"dry_run"`
}

// moveRequest reads and checks a move. The keys are meant as they are written:
// the store follows those that lead elsewhere.
func (s *Server) moveRequest(c echo.Context, p auth.Principal, kind postil.MoveKind) (r postil.MoveRequest, dry bool, err error) {
	var in moveIn
	if _, err := bind(c, &in); err != nil {
		return r, false, err
	}
	r = postil.MoveRequest{Kind: kind, Title: postil.CleanTitle(in.Title), By: p.By}
	if r.Site, err = s.oneSite(c, p, auth.Manage, in.Site); err != nil {
		return r, false, err
	}
	for _, key := range []struct {
		name string
		raw  *string
		to   *postil.PostID
	}{{"post", in.Post, &r.From}, {"into", in.Into, &r.To}} {
		if key.raw == nil {
			return r, false, postil.InvalidField(key.name, "Say which post: “%s” is its key or address.", key.name)
		}
		if *key.to, err = s.deps.Sites.Named(c.Request().Context(), r.Site, *key.raw); err != nil {
			return r, false, err
		}
	}
	if kind != postil.Split {
		return r, in.DryRun, nil
	}
	if n := len(in.Comments); n == 0 || n > maxSplit {
		return r, false, postil.InvalidField("comments", "“comments” lists the ids of 1 to %d comments that belong elsewhere; each takes its answers along.", maxSplit)
	}
	for _, raw := range in.Comments {
		id, err := postil.ParseCommentID(raw)
		if err != nil {
			return r, false, postil.InvalidField("comments", "“comments” lists ids such as “17”.")
		}
		r.Comments = append(r.Comments, id)
	}
	return r, in.DryRun, nil
}

// adminMerge is POST /api/v1/admin/posts/merge: two posts are one page. All
// comments of “post” go to “into”, and its key leads there from then on. With
// dry_run it only says what would happen.
func (s *Server) adminMerge(c echo.Context, p auth.Principal) error {
	return s.move(c, p, postil.Merge)
}

// adminRename is POST /api/v1/admin/posts/rename: the page has another key.
func (s *Server) adminRename(c echo.Context, p auth.Principal) error {
	return s.move(c, p, postil.Rename)
}

// adminSplit is POST /api/v1/admin/posts/split: “comments” belong to “into”,
// each with its answers.
func (s *Server) adminSplit(c echo.Context, p auth.Principal) error {
	return s.move(c, p, postil.Split)
}

func (s *Server) move(c echo.Context, p auth.Principal, kind postil.MoveKind) error {
	r, dry, err := s.moveRequest(c, p, kind)
	if err != nil {
		return err
	}
	if dry {
		return s.previewMove(c, r)
	}
	m, err := s.deps.Admin.Posts.MovePost(c.Request().Context(), r)
	if err != nil {
		return err
	}
	s.deps.Admin.changed(r.Site)
	return answer(c, http.StatusOK, jsonType, map[string]any{"move": moveOf(m)})
}

// movePreview says what a move would be about.
type movePreview struct {
	DryRun   bool                  `json:"dry_run"`
	From     adminPostJSON         `json:"from"`
	Into     adminPostJSON         `json:"into"`
	Statuses map[postil.Status]int `json:"statuses"` // of the comments that would move; of a split: of its whole post
	Standing map[postil.Status]int `json:"standing"` // of those that are there already
}

func (s *Server) previewMove(c echo.Context, r postil.MoveRequest) (err error) {
	ctx, out := c.Request().Context(), movePreview{DryRun: true}
	for _, side := range []struct {
		key  postil.PostID
		post *adminPostJSON
		n    *map[postil.Status]int
	}{{r.From, &out.From, &out.Statuses}, {r.To, &out.Into, &out.Standing}} {
		key, err := s.deps.Sites.Resolve(ctx, r.Site, string(side.key))
		if err != nil {
			return err
		}
		post, err := s.deps.Admin.Posts.Post(ctx, r.Site, key)
		if err != nil {
			return err
		}
		*side.post = adminPostOf(post)
		if *side.n, err = s.deps.Admin.Posts.Tally(ctx, r.Site, key); err != nil {
			return err
		}
	}
	return answer(c, http.StatusOK, jsonType, out)
}

// adminUndoMove is POST /api/v1/admin/posts/moves/{id}/undo.
func (s *Server) adminUndoMove(c echo.Context, p auth.Principal) error {
	id, err := rowID(c.Param("id"))
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	m, err := s.deps.Admin.Posts.PostMove(ctx, id)
	if err != nil {
		return err
	}
	if err := p.May(auth.Manage, m.Site); err != nil {
		return err
	}
	if m, err = s.deps.Admin.Posts.UndoMove(ctx, id, p.By); err != nil {
		return err
	}
	s.deps.Admin.changed(m.Site)
	return answer(c, http.StatusOK, jsonType, map[string]any{"move": moveOf(m)})
}

// adminMoves is GET /api/v1/admin/posts/moves?site&limit&cursor: the newest first.
func (s *Server) adminMoves(c echo.Context, p auth.Principal) error {
	q, site, err := s.readOf(c, p)
	if err != nil {
		return err
	}
	limit, err := number(q, "limit", usualPage, mostPage)
	if err != nil {
		return err
	}
	before, err := cursorOf(q)
	if err != nil {
		return err
	}
	all, err := s.deps.Admin.Posts.Moves(c.Request().Context(), site, before, limit+1)
	if err != nil {
		return err
	}
	shown, next := pageOf(all, limit, func(m postil.PostMove) string { return strconv.FormatInt(m.ID, 10) })
	out := make([]moveJSON, 0, len(shown))
	for _, m := range shown {
		out = append(out, moveOf(m))
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"moves": out, "next_cursor": next})
}

// adminTwins is GET /api/v1/admin/posts/twins?site: posts that are probably the
// same page.
func (s *Server) adminTwins(c echo.Context, p auth.Principal) error {
	_, site, err := s.readOf(c, p)
	if err != nil {
		return err
	}
	posts, err := s.deps.Admin.Posts.PostsAfter(c.Request().Context(), site, "", maxTwinly)
	if err != nil {
		return err
	}
	type twinsJSON struct {
		From adminPostJSON `json:"from"`
		Into adminPostJSON `json:"into"`
		Why  string        `json:"why"`
	}
	out := []twinsJSON{}
	for _, t := range postil.FindTwins(posts) {
		out = append(out, twinsJSON{adminPostOf(t.From), adminPostOf(t.Into), t.Why})
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"twins": out})
}
