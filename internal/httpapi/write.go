package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// commentRequest is the body of a new comment.
type commentRequest struct {
	Post     string `json:"post"`
	ParentID string `json:"parent_id"`
	Author   struct {
		Name    string `json:"name"`
		Email   string `json:"email"`
		Website string `json:"website"`
	} `json:"author"`
	Text   string `json:"text"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Notify bool   `json:"notify"`
	Device string `json:"device"`
	Form   *struct {
		Token    string `json:"token"`
		Trap     string `json:"trap"`
		Solution string `json:"solution"`
	} `json:"form"`
}

// postedJSON is the answer to a new comment.
type postedJSON struct {
	Comment  any    `json:"comment"`
	EditKey  string `json:"edit_key,omitempty"`
	Bookmark int64  `json:"bookmark"`
}

// maxIdempotencyKey is how many bytes an Idempotency-Key may have.
const maxIdempotencyKey = 255

// post is POST /api/v1/sites/{site}/comments. A reader is answered 202 and
// pending, whatever the checks will conclude or have concluded: the answer must
// not teach anybody how to pass them.
func (s *Server) post(c echo.Context) error {
	v, err := s.enterAs(c)
	if err != nil {
		return err
	}
	submission, err := readSubmission(c, v)
	if err != nil {
		return err
	}
	comment, err := s.deps.Intake.Check(c.Request().Context(), submission)
	if err != nil {
		return err
	}
	var receipt postil.Receipt
	taken, failed := s.allowance(c, v)
	err = s.within(c, RuleComments, taken, failed, func(ctx context.Context) (err error) {
		receipt, err = s.deps.Intake.Accept(ctx, comment)
		return notSaved(err)
	})
	if err != nil {
		return err
	}
	status, shown := http.StatusAccepted, postil.Pending
	if v.as != nil {
		status, shown = http.StatusCreated, receipt.Comment.Status
	}
	own := postil.Own{Comment: receipt.Comment, Shown: shown, EditableUntil: receipt.EditableUntil}
	return answer(c, status, jsonType, postedJSON{Comment: ownComment(v.site, own), EditKey: receipt.EditKey, Bookmark: receipt.Bookmark})
}

// allowance takes one comment from what the visitor may write.
func (s *Server) allowance(c echo.Context, v visit) (Allowance, error) {
	if v.as != nil && v.as.Pen.Limited() {
		return s.deps.Limiter.TakeOwn(c.Request().Context(), v.as.Pen, v.actor)
	}
	return s.deps.Limiter.Take(c.Request().Context(), RuleComments, v.actor)
}

func readSubmission(c echo.Context, v visit) (postil.Submission, error) {
	var in commentRequest
	body, err := bind(c, &in)
	if err != nil {
		return postil.Submission{}, err
	}
	h := c.Request().Header
	sum := sha256.Sum256(body)
	out := postil.Submission{
		Site: v.site.ID, Post: in.Post, ParentID: in.ParentID,
		Name: in.Author.Name, Email: in.Author.Email, Website: in.Author.Website,
		Text: in.Text, Title: in.Title, URL: in.URL, Device: in.Device, Notify: in.Notify,
		IdempotencyKey: h.Get("Idempotency-Key"), BodyHash: hex.EncodeToString(sum[:]),
		Actor: v.actor, Network: v.network, Bucket: v.bucket, UserAgent: h.Get("User-Agent"), As: v.as, Proxy: v.doubt,
	}
	if in.Form != nil {
		out.HasForm, out.Token, out.Trap, out.Solution = true, in.Form.Token, in.Form.Trap, in.Form.Solution
	}
	if n := len(out.IdempotencyKey); n > maxIdempotencyKey {
		return postil.Submission{}, postil.TooLong("Idempotency-Key", n, maxIdempotencyKey)
	}
	return out, nil
}

// notSaved makes of an error that nobody expected the promise that holds for
// it: the comment was not acknowledged, and sending it again is safe.
func notSaved(err error) error {
	if err == nil || postil.KindOf(err) != postil.Internal {
		return err
	}
	return postil.Busy("not-saved", "That could not be saved just now. Keep your text and send it again in a few seconds.", 5*time.Second, err)
}

// preview is POST /api/v1/sites/{site}/preview: the text as it would be shown.
func (s *Server) preview(c echo.Context) error {
	v, err := s.enter(c)
	if err != nil {
		return err
	}
	text, err := readText(c)
	if err != nil {
		return err
	}
	out := struct {
		HTML  string   `json:"html"`
		Hints []string `json:"hints,omitempty"`
	}{}
	err = s.limited(c, RulePreview, v.actor, func(ctx context.Context) (err error) {
		out.HTML, out.Hints, err = s.deps.Authors.Preview(ctx, v.site.ID, text)
		return err
	})
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, jsonType, out)
}

// readText reads a body that is a text alone. Its shape is checked here so that
// a slip costs no allowance; what is stored is what the rooms make of it.
func readText(c echo.Context) (string, error) {
	var in struct {
		Text string `json:"text"`
	}
	if _, err := bind(c, &in); err != nil {
		return "", err
	}
	_, err := postil.CleanText(in.Text)
	return in.Text, err
}
