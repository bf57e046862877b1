package desk

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// sitesData is what the template "sites" sees.
type sitesData struct{ Sites []site }

// sitePages is GET sites.
func (d *Desk) sitePages(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	all, err := d.sites(r, v)
	if err != nil {
		return err
	}
	return d.show(w, r, v, http.StatusOK, "sites", "Sites", sitesData{all})
}

// siteData is what the template "site" sees.
type siteData struct {
	site
	Policies []policyNote
	Script   string // address of the widget
}

// policyNote says what a policy does.
type policyNote struct{ Key, Note string }

var policies = []policyNote{
	{"first-comment", "known authors are public at once, clear spam is stopped, the rest asks you"},
	{"hold-all", "everything asks you"},
	{"score", "what is clearly honest is public at once, clear spam is stopped, the rest asks you"},
	{"open", "public at once unless something speaks against it"},
}

// sitePage is GET sites/{id}.
func (d *Desk) sitePage(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	out, err := get[site](r.Context(), d, v, "sites/"+idOf(r), nil)
	if err != nil {
		return err
	}
	name := out.Name
	if name == "" {
		name = out.Key
	}
	return d.show(w, r, v, http.StatusOK, "site", name, siteData{out, policies, d.deps.PublicURL + "/widget.js"})
}

// setSite is POST sites/{id}.
func setSite(r *http.Request) (string, string, any) {
	f := r.PostForm
	in := map[string]any{"name": f.Get("name"), "policy": f.Get("policy"), "origins": words(f.Get("origins")), "blocked": words(f.Get("blocked"))}
	if n, err := strconv.Atoi(f.Get("max_links")); err == nil {
		in["max_links"] = n
	}
	return http.MethodPatch, "sites/" + idOf(r), in
}

// lockSite is POST sites/{id}/lockdown.
func lockSite(r *http.Request) (string, string, any) {
	return http.MethodPatch, "sites/" + idOf(r), map[string]any{"lockdown": r.PostForm.Get("lockdown") == "true"}
}

// addSite is POST sites.
func addSite(r *http.Request) (string, string, any) {
	return http.MethodPost, "sites", map[string]any{"key": r.PostForm.Get("key"), "name": or(r.PostForm.Get("name"), r.PostForm.Get("key")), "origins": words(r.PostForm.Get("origins"))}
}

func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

// question is a line of the question log.
type question struct {
	ID       string    `json:"id"`
	Site     string    `json:"site"`
	Question string    `json:"question"`
	Tags     []string  `json:"tags"`
	AskedAt  time.Time `json:"asked_at"`
}

// questionsData is what the template "questions" sees.
type questionsData struct {
	Query, Tag string
	Questions  []question
	Next       string
}

// questions is GET questions?q&tag&cursor.
func (d *Desk) questions(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	asked := r.URL.Query()
	out, err := get[struct {
		Questions []question
		Next      string `json:"next_cursor"`
	}](r.Context(), d, v, "qlog", url.Values{"q": {asked.Get("q")}, "tag": {asked.Get("tag")}, "cursor": {asked.Get("cursor")}})
	if err != nil {
		return err
	}
	data := questionsData{Query: asked.Get("q"), Tag: asked.Get("tag"), Questions: out.Questions}
	if out.Next != "" {
		data.Next = "questions" + query(merged(asked, "cursor", out.Next))
	}
	return d.show(w, r, v, http.StatusOK, "questions", "Questions", data)
}

// tagQuestion is POST questions/{id}/tags.
func tagQuestion(r *http.Request) (string, string, any) {
	return http.MethodPatch, "qlog/" + idOf(r), map[string]any{"tags": fields(r.PostForm.Get("tags"))}
}

// removeQuestion is POST questions/{id}/remove.
func removeQuestion(r *http.Request) (string, string, any) {
	return http.MethodDelete, "qlog/" + idOf(r), nil
}

// mayManage reports whether somebody may change more than comments.
func mayManage(v auth.Visitor) bool { return v.Role == postil.AdminRole }
