package httpapi

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// adminPosts is GET /api/v1/admin/posts?site&limit&cursor: the posts of a site,
// in the order of their keys.
func (s *Server) adminPosts(c echo.Context, p auth.Principal) error {
	q, site, err := s.readOf(c, p)
	if err != nil {
		return err
	}
	limit, err := number(q, "limit", mostPage, mostPage)
	if err != nil {
		return err
	}
	after, err := base64.RawURLEncoding.DecodeString(q.Get("cursor"))
	if err != nil {
		return postil.InvalidField("cursor", "That is no cursor of this list. Take next_cursor of a page, or ask without one.")
	}
	posts, err := s.deps.Admin.Posts.PostsAfter(c.Request().Context(), site, postil.PostID(after), limit+1)
	if err != nil {
		return err
	}
	posts, next := pageOf(posts, limit, func(p postil.Post) string { return base64.RawURLEncoding.EncodeToString([]byte(p.ID)) })
	out := make([]adminPostJSON, 0, len(posts))
	for _, post := range posts {
		out = append(out, adminPostOf(post))
	}
	return answer(c, http.StatusOK, jsonType, map[string]any{"posts": out, "next_cursor": next})
}

// postIn is a change of a post. Which one is said here or in the query.
type postIn struct {
	Site   string  `json:"site"`
	Post   *string `json:"post"` // key or address
	Title  *string `json:"title"`
	URL    *string `json:"url"`
	Closed *bool   `json:"closed"`
}

// adminSetPost is PATCH /api/v1/admin/posts. The post, a key or an address full
// of slashes, is named by the members or the parameters “site” and “post”. One
// that nobody has commented on yet is made, so that it can be closed before
// the first comment.
func (s *Server) adminSetPost(c echo.Context, p auth.Principal) error {
	in, err := readPostIn(c)
	if err != nil {
		return err
	}
	site, err := s.oneSite(c, p, auth.Manage, in.Site)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	key, err := s.deps.Sites.Named(ctx, site, *in.Post)
	if err != nil {
		return err
	}
	change, err := s.postChange(c, site, in)
	if err != nil {
		return err
	}
	post, err := s.deps.Admin.Posts.SetPost(ctx, site, key, change, p.By)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, jsonType, adminPostOf(post))
}

func readPostIn(c echo.Context) (in postIn, err error) {
	q, err := parameters(c.Request())
	if err != nil {
		return in, err
	}
	if _, err := bind(c, &in); err != nil {
		return in, err
	}
	if in.Site == "" {
		in.Site = q.Get("site")
	}
	if in.Post == nil && q.Has("post") {
		post := q.Get("post")
		in.Post = &post
	}
	switch {
	case in.Post == nil:
		return in, postil.InvalidField("post", "Say which post: “post” is its key or address.")
	case in.Title == nil && in.URL == nil && in.Closed == nil:
		return in, postil.InvalidField("body", "There is nothing to change. Send “title”, “url” or “closed”.")
	}
	return in, nil
}

// postChange checks the new values. An address must be on the site's own hosts,
// or readers would be led elsewhere; "" takes title or address away.
func (s *Server) postChange(c echo.Context, site postil.SiteID, in postIn) (ch postil.PostChange, err error) {
	ch.Closed = in.Closed
	if in.Title != nil {
		title := postil.CleanTitle(*in.Title)
		ch.Title = &title
	}
	if in.URL == nil {
		return ch, nil
	}
	url := strings.TrimSpace(*in.URL)
	ch.URL = &url
	if url == "" {
		return ch, nil
	}
	v, err := s.deps.Admin.Sites.Site(c.Request().Context(), site)
	if err != nil {
		return ch, err
	}
	rules := postil.PostRules{}
	for _, origin := range v.Origins {
		rules.Hosts = append(rules.Hosts, postil.OriginHost(origin))
	}
	if !rules.Owns(url) {
		return ch, postil.InvalidField("url", "That is no address on this site. Its origins are: %s.", strings.Join(v.Origins, ", "))
	}
	return ch, nil
}
