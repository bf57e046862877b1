package httpapi

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// adminComments is GET /api/v1/admin/comments: the newest comments first, or
// with queue=open those that wait for a person, the oldest first.
func (s *Server) adminComments(c echo.Context, p auth.Principal) error {
	q, err := parameters(c.Request())
	if err != nil {
		return err
	}
	filter, err := s.filter(c, p, filterOf(q))
	if err != nil {
		return err
	}
	if filter.ByDoubt, err = byDoubt(q, filter); err != nil {
		return err
	}
	if filter.Limit, err = number(q, "limit", defaultListed, maxListed); err != nil {
		return err
	}
	if filter.Cursor = q.Get("cursor"); len(filter.Cursor) > maxCursor {
		return postil.InvalidField("cursor", "That is no cursor of this list. Take next_cursor of a page, or ask without one.")
	}
	page, err := s.deps.Admin.Records.ListComments(c.Request().Context(), filter)
	if err != nil {
		return err
	}
	return s.answerComments(c, page)
}

// byDoubt reads “sort”: doubt puts first, of what the checks stopped as spam,
// that of which they were least sure.
func byDoubt(q url.Values, f postil.CommentFilter) (bool, error) {
	switch sort := q.Get("sort"); {
	case sort == "" || sort == "newest":
		return false, nil
	case sort != "doubt":
		return false, postil.InvalidField("sort", "“sort” is newest or, of the spam list, doubt.")
	case len(f.Statuses) != 1 || f.Statuses[0] != postil.Spam || f.Post != "" || f.Query+f.Author+f.Network+f.Host != "" || f.NeedsYou || !f.From.IsZero() || !f.To.IsZero():
		return false, postil.InvalidField("sort", "By doubt the spam list of a site is sorted as a whole: ask with status=spam and nothing else but site.")
	}
	return true, nil
}

// answerComments writes a page with the titles of its posts.
func (s *Server) answerComments(c echo.Context, page postil.CommentPage) error {
	type postKey struct {
		site postil.SiteID
		post postil.PostID
	}
	posts := map[postKey]postil.Post{}
	comments := make([]adminCommentJSON, 0, len(page.Comments))
	for _, m := range page.Comments {
		key := postKey{m.Site, m.Post}
		if _, known := posts[key]; !known {
			post, err := s.deps.Admin.Posts.Post(c.Request().Context(), m.Site, m.Post)
			if err != nil {
				return err
			}
			posts[key] = post
		}
		comments = append(comments, adminCommentOf(m, posts[key]))
	}
	return answer(c, http.StatusOK, jsonType, struct {
		Comments   []adminCommentJSON `json:"comments"`
		NextCursor *string            `json:"next_cursor"`
	}{comments, orNull(page.Next)})
}

// adminComment is GET /api/v1/admin/comments/{id}: everything about a comment.
func (s *Server) adminComment(c echo.Context, p auth.Principal) error {
	id, err := postil.ParseCommentID(c.Param("id"))
	if err != nil {
		return err
	}
	detail, err := s.deps.Admin.Records.Detail(c.Request().Context(), id)
	if err != nil {
		return err
	}
	if err := p.May(auth.Read, detail.Comment.Site); err != nil {
		return err
	}
	return resource(c, map[string]any{"comment": adminDetailOf(detail)})
}

// adminReply is POST /api/v1/admin/comments/{id}/reply: an answer as the
// blog's author, public at once. A pending comment is approved by it; what is
// neither pending nor public cannot be answered.
func (s *Server) adminReply(c echo.Context, p auth.Principal) error {
	text, err := readText(c)
	if err != nil {
		return err
	}
	comment, err := s.commentFor(c, p, auth.Reply)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if comment.Status != postil.Pending && comment.Status != postil.Approved {
		return answerConflict(c, postil.Outcome{Comment: comment.ID, Status: comment.Status}, &postil.Error{Kind: postil.Conflict,
			Sentence: "The comment is " + string(comment.Status) + ", so nobody would see what is answered. Approve it first."})
	}
	receipt, err := s.deps.Admin.Replies.Reply(ctx, comment.ID, text, p.By)
	if err != nil {
		return notSaved(err)
	}
	post, err := s.deps.Admin.Posts.Post(ctx, receipt.Comment.Site, receipt.Comment.Post)
	if err != nil {
		return err
	}
	return answer(c, http.StatusCreated, jsonType, struct {
		Comment  adminCommentJSON `json:"comment"`
		Bookmark int64            `json:"bookmark"`
	}{adminCommentOf(receipt.Comment, post), receipt.Bookmark})
}

// commentFor returns the comment that the address names if the caller may do
// the action on its site.
func (s *Server) commentFor(c echo.Context, p auth.Principal, action auth.Action) (postil.Comment, error) {
	id, err := postil.ParseCommentID(c.Param("id"))
	if err != nil {
		return postil.Comment{}, err
	}
	comment, err := s.deps.Admin.Records.Comment(c.Request().Context(), id)
	if err != nil {
		return postil.Comment{}, err
	}
	return comment, p.May(action, comment.Site)
}

// rowID reads the id of a key, moderator or decision.
func rowID(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != s {
		return 0, postil.Missing()
	}
	return n, nil
}
