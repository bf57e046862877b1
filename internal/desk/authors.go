package desk

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// knownAuthor is somebody who wrote on a site.
type knownAuthor struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	Site      string    `json:"site"`
	Name      string    `json:"name"`
	Names     []string  `json:"names"`
	Email     string    `json:"email"`
	Website   string    `json:"website"`
	Comments  counts    `json:"comments"`
	FirstSeen time.Time `json:"first_seen"`
	LastSeen  time.Time `json:"last_seen"`
	Rules     []rule    `json:"rules"`
}

type counts struct {
	Pending, Approved, Rejected, Spam, Deleted int
}

// Called is what moderators call the author.
func (a knownAuthor) Called() string { return or(a.Name, "Somebody without a name") }

// Others are the names beside the last one.
func (a knownAuthor) Others() (names []string) {
	for _, name := range a.Names {
		if name != a.Name {
			names = append(names, name)
		}
	}
	return names
}

// authorsData is what the template "authors" sees.
type authorsData struct {
	Sites   []site
	Site    string
	Query   string
	Authors []knownAuthor
	Next    string
}

// authors is GET authors?site&q&cursor: who wrote on a site.
func (d *Desk) authors(w http.ResponseWriter, r *http.Request, v auth.Visitor) (err error) {
	asked := r.URL.Query()
	data := authorsData{Site: asked.Get("site"), Query: asked.Get("q")}
	if data.Sites, err = d.sites(r, v); err != nil {
		return err
	}
	if data.Site == "" && len(data.Sites) > 0 {
		data.Site = data.Sites[0].Key
	}
	if data.Site != "" {
		page, err := get[struct {
			Authors []knownAuthor
			Next    string `json:"next_cursor"`
		}](r.Context(), d, v, "authors", url.Values{"site": {data.Site}, "q": {data.Query}, "cursor": {asked.Get("cursor")}})
		if err != nil {
			return err
		}
		if data.Authors = page.Authors; page.Next != "" {
			data.Next = "authors" + query(url.Values{"site": {data.Site}, "q": {data.Query}, "cursor": {page.Next}})
		}
	}
	return d.show(w, r, v, http.StatusOK, "authors", "Authors", data)
}

// authorData is what the template "author" sees.
type authorData struct {
	knownAuthor
	Notes   []aside
	Items   []item
	Next    string // place of the next page of comments
	Bulk    string // place of the preview of all of them
	Comment string // one of theirs, by which a ban or a trust finds them
	Whole   bool   // whoever looks may tell and erase what is stored about people
}

// author is GET authors/{id}?site&cursor: an author with what they wrote.
func (d *Desk) author(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	asked := r.URL.Query()
	out, err := get[struct{ Author knownAuthor }](r.Context(), d, v, "authors/"+idOf(r), url.Values{"site": {asked.Get("site")}})
	if err != nil {
		return err
	}
	data := authorData{knownAuthor: out.Author, Whole: mayManage(v) && v.Site == ""}
	if data.Notes, err = d.asides(r, v, url.Values{"site": {data.Site}, "author": {data.ID}}); err != nil {
		return err
	}
	theirs := url.Values{"site": {data.Site}, "author": {data.ID}}
	data.Bulk = "bulk" + query(merged(theirs, "cursor", ""))
	if data.Items, data.Next, err = d.items(r, v, merged(theirs, "cursor", asked.Get("cursor"))); err != nil {
		return err
	}
	for _, it := range data.Items {
		if it.Author.ID == data.ID {
			data.Comment = it.ID
			break
		}
	}
	if data.Next != "" {
		data.Next = here(r) + query(url.Values{"site": {data.Site}, "cursor": {data.Next}})
	}
	return d.show(w, r, v, http.StatusOK, "author", data.Called(), data)
}

// exportAuthor is GET authors/{id}/export: all that is stored about an author,
// as a file for them.
func (d *Desk) exportAuthor(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	var all json.RawMessage
	if err := d.ask(r.Context(), v, http.MethodPost, "people/export", map[string]string{"author": r.PathValue("id")}, &all); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Disposition", `attachment; filename="author.json"`)
	_, _ = w.Write(all) // the client is gone: nobody is left to tell
	return nil
}

// eraseAuthor is POST authors/{id}/erase. It cannot be taken back, so the form
// says twice that it is meant.
func (d *Desk) eraseAuthor(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	if r.PostForm.Get("sure") != "yes" {
		return postil.InvalidField("sure", "Tick the box that says that you are sure. Nothing was erased.")
	}
	return d.forward("erased", func(r *http.Request) (string, string, any) {
		return http.MethodPost, "people/erase", map[string]any{"author": r.PathValue("id"), "texts": r.PostForm.Get("texts") == "yes"}
	})(w, r, v)
}
