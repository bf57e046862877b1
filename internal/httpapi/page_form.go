package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"html/template"
	"io"
	"mime"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/postil"
)

// draft is what a reader has written into the form, as it was sent.
type draft struct {
	post    string
	parent  string
	name    string
	email   string
	website string
	text    string
	token   string
	trap    string // what stood in the trap field
	preview bool   // the button Preview was pressed
	hash    string // of the body
}

// formData is what the template "form" sees.
type formData struct {
	Here    string // the address of the page itself
	Heading string
	Shut    string // why nobody can write here; instead of the form
	Notice  string // what was wrong with the whole
	Parent  string
	Token   string
	Trap    string // name of the field that people leave empty
	Text    *fieldData
	Name    *fieldData
	Email   *fieldData
	Website *fieldData
}

// fieldData is one field with what was typed and what is wrong with it.
type fieldData struct {
	ID    string
	Value string
	Slip  string
	First bool // of the fields that are wrong
}

// fill puts a draft and what is wrong with it into the form.
func (f *formData) fill(d draft, wrong *problem) {
	f.Parent, f.Token = d.parent, d.token
	f.Text, f.Name = &fieldData{ID: "text", Value: d.text}, &fieldData{ID: "name", Value: d.name}
	f.Email, f.Website = &fieldData{ID: "email", Value: d.email}, &fieldData{ID: "website", Value: d.website}
	if wrong == nil {
		return
	}
	for _, field := range []*fieldData{f.Text, f.Name, f.Email, f.Website} {
		if strings.TrimPrefix(wrong.Field, "author.") == field.ID {
			field.Slip, field.First = wrong.Detail, true
			return
		}
	}
	f.Notice = wrong.Detail
}

// maxKept is how many bytes of a form are read to give the text back. What is
// over maxBody is refused all the same.
const maxKept = 4 * maxBody

// readForm reads the body of a form of ours, as it came and taken apart.
func readForm(c echo.Context) (q url.Values, body []byte, err error) {
	r := c.Request()
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, nil, &postil.Error{Kind: postil.NotJSON, Sentence: "Send the form of this page, as application/x-www-form-urlencoded."}
	}
	if r.ContentLength > maxKept {
		return nil, nil, tooLarge()
	}
	body, err = io.ReadAll(io.LimitReader(r.Body, maxKept+1))
	if err != nil {
		return nil, nil, &postil.Error{Kind: postil.Invalid, Field: "body", Sentence: "The form did not arrive in full. Go back and send it again.", Cause: err}
	}
	if len(body) > maxKept {
		return nil, nil, tooLarge()
	}
	if q, err = url.ParseQuery(string(body)); err != nil {
		return nil, nil, &postil.Error{Kind: postil.Invalid, Field: "body", Sentence: "The form is not well-formed. Go back and send it again.", Cause: err}
	}
	return q, body, nil
}

// readDraft reads the form of a comment. When it is too large the error comes
// with the draft, so that nobody loses a long text.
func (s *Server) readDraft(c echo.Context) (d draft, err error) {
	q, body, err := readForm(c)
	if err != nil {
		return d, err
	}
	sum := sha256.Sum256(body)
	d = draft{parent: q.Get("parent"), name: q.Get("name"), email: q.Get("email"), website: q.Get("website"), text: typed(q.Get("text")),
		token: q.Get("token"), preview: q.Has("preview"), hash: hex.EncodeToString(sum[:])}
	d.trap = q.Get(s.trapName(d.token))
	if d.post, err = postOfForm(c, q); err == nil && len(body) > maxBody {
		err = tooLarge()
	}
	return d, err
}

// postOfForm returns the post that a form belongs to: its address says it, or
// a field.
func postOfForm(c echo.Context, form url.Values) (string, error) {
	if form.Has("post") {
		return form.Get("post"), nil
	}
	q, err := parameters(c.Request())
	if err != nil {
		return "", err
	}
	return onePost(q)
}

// typed undoes what forms do to line ends, so that a text is the same one
// wherever it was written.
func typed(text string) string {
	return strings.ReplaceAll(text, "\r\n", "\n")
}

func (s *Server) trapName(token string) string {
	if s.deps.TrapName == nil {
		return ""
	}
	return s.deps.TrapName(token)
}

// writeData is what the template "write" sees.
type writeData struct {
	headData
	Answered *answered
	Preview  template.HTML
	Form     formData
	Back     string
}

// writePage shows the form of one person: nothing of it may be stored.
func (s *Server) writePage(c echo.Context, status int, key postil.PostID, context contextJSON, d draft, preview string, wrong *problem) error {
	here := "?" + url.Values{"post": {string(key)}}.Encode()
	out := writeData{headData: context.Head, Answered: context.Answered, Preview: template.HTML(preview), Back: here}
	if out.Answered != nil {
		out.Back += "&focus=" + d.parent + "#postil-" + d.parent
	}
	out.Form = formData{Here: here, Heading: "Write a comment", Trap: s.trapName(d.token)}
	if context.Answered != nil {
		out.Form.Heading = "Reply to " + context.Answered.Name
	}
	out.Title = out.Form.Heading + " · " + out.Title
	if d.text == "" { // a text that somebody has written is never put away
		out.Form.Shut = shut(context.Closed, context.Lockdown)
	}
	if d.text == "" && out.Answered != nil && out.Answered.Deep {
		out.Form.Shut = "This conversation is as deep as it can get. Answer a comment further up instead."
	}
	out.Form.fill(d, wrong)
	return c.HTMLBlob(status, s.deps.Pages.execute("write", out))
}

// slipOf is a problem as a form shows it: what the person can mend is 422.
func slipOf(err error) problem {
	p := problemOf(err)
	if p.Status == 400 {
		p.Status = 422
	}
	return p
}

// foreign reports whether an error of Resolve means another site's address.
func foreign(err error) bool { return errors.Is(err, postil.ErrForeignHost) }
