package desk

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/postil/postil/internal/auth"
)

// commentData is what the template "comment" sees.
type commentData struct {
	item
	Notes    []aside
	OnAuthor []aside
	Saved    []savedReply
	Slip     string // why the last form was refused
	Reply    string // what was written into it
}

// comment is GET comments/{id}: everything about one of them.
func (d *Desk) comment(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	return d.showComment(w, r, v, http.StatusOK, "")
}

// showComment shows a comment, after a form that was refused with the reason
// and what was written.
func (d *Desk) showComment(w http.ResponseWriter, r *http.Request, v auth.Visitor, status int, slip string) error {
	id := r.PathValue("id")
	it, err := d.one(r.Context(), r, v, id, "comments/"+id)
	if err != nil {
		return err
	}
	it.Open = true
	data := commentData{item: it, Slip: slip, Reply: r.PostFormValue("text")}
	if data.Notes, err = d.asides(r, v, url.Values{"comment": {id}}); err != nil {
		return err
	}
	if data.Saved, err = d.saved(r, v, url.Values{"comment": {id}}); err != nil {
		return err
	}
	if it.Author.ID != "" {
		if data.OnAuthor, err = d.asides(r, v, url.Values{"site": {it.Site}, "author": {it.Author.ID}}); err != nil {
			return err
		}
	}
	return d.show(w, r, v, status, "comment", "Comment by "+it.Author.Name, data)
}

// item is GET comments/{id}/item: for the script, a comment as it stands in a
// list.
func (d *Desk) item(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	it, err := d.one(r.Context(), r, v, r.PathValue("id"), safe(r.URL.Query().Get("back")))
	if err != nil {
		return err
	}
	it.Root = way(r.URL.Query().Get("root"))
	return d.write(w, http.StatusOK, "item", it)
}

// way is the way to the first page from the page that asks for a fragment.
func way(s string) string {
	if len(s) > 30 || s == "" || strings.Trim(s, "./") != "" {
		return "./"
	}
	return s
}

// lines undoes what forms do to line ends, so that a text is the same one
// wherever it was written.
func lines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
