package desk

import (
	"net/http"
	"net/url"
	"time"

	"github.com/postil/postil/internal/auth"
)

// aside is what a moderator noted about a comment or an author.
type aside struct {
	ID        string    `json:"id"`
	Text      string    `json:"text"`
	By        string    `json:"by"`
	CreatedAt time.Time `json:"created_at"`
}

// asides reads the notes on a comment, or on an author of a site.
func (d *Desk) asides(r *http.Request, v auth.Visitor, about url.Values) ([]aside, error) {
	out, err := get[struct{ Notes []aside }](r.Context(), d, v, "notes", about)
	return out.Notes, err
}

// addNote is POST notes: about what the form names.
func addNote(r *http.Request) (string, string, any) {
	in := map[string]string{"text": lines(r.PostForm.Get("text"))}
	for _, name := range []string{"comment", "site", "author"} {
		if value := r.PostForm.Get(name); value != "" {
			in[name] = value
		}
	}
	return http.MethodPost, "notes", in
}
