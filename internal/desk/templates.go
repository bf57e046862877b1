package desk

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// view is what every template sees.
type view struct {
	Root    string // way to the first page of the desk
	Title   string
	Page    string // the entry of the menu that is open
	Who     *who   // nil for whoever is not signed in
	Waiting int
	Menu    []entry
	Flash   *flash
	Back    string // where a form on this page leads
	CSS, JS string // names of the files
	Data    any
}

// who is signed in.
type who struct {
	Name, Role, Site, CSRF string
	Admin                  bool
}

// entry is a line of the menu.
type entry struct {
	Name, At string
	Admin    bool // for admins alone
}

// menu is what there is beside the lists of comments.
var menu = []entry{
	{Name: "Waiting", At: ""},
	{Name: "All comments", At: "comments"},
	{Name: "Spam", At: "spam"},
	{Name: "Reports", At: "reports"},
	{Name: "Authors", At: "authors"},
	{Name: "Rules and lists", At: "rules"},
	{Name: "Saved replies", At: "replies"},
	{Name: "Posts", At: "posts"},
	{Name: "Sites", At: "sites"},
	{Name: "Statistics", At: "stats"},
	{Name: "Views", At: "views"},
	{Name: "What happened", At: "happened"},
	{Name: "Questions", At: "questions"},
	{Name: "Settings", At: "settings"},
	{Name: "Flags", At: "flags"},
	{Name: "Webhooks", At: "webhooks", Admin: true},
	{Name: "People and keys", At: "people"},
	{Name: "Audit log", At: "audit", Admin: true},
}

// show answers with a page for somebody who is signed in.
func (d *Desk) show(w http.ResponseWriter, r *http.Request, v auth.Visitor, status int, name, title string, data any) error {
	out := view{Root: root(r), Title: title, Data: data, Flash: flashOf(r.URL.Query()), Back: back(r)}
	if v.CSRF != "" {
		n, err := d.deps.Waiting(r.Context(), v.Site)
		if err != nil {
			d.lg.WarnContext(r.Context(), "what waits could not be counted", "err", err)
		}
		out.Waiting = n
		out.Who = &who{Name: v.By.Name, Role: string(v.Role), Site: string(v.Site), CSRF: v.CSRF, Admin: v.Role == postil.AdminRole}
		for _, e := range menu {
			if !e.Admin || out.Who.Admin {
				out.Menu = append(out.Menu, e)
			}
		}
		out.Page, _, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	}
	return d.render(w, status, name, out)
}

// render answers with a page.
func (d *Desk) render(w http.ResponseWriter, status int, name string, v view) error {
	v.CSS, v.JS = d.assets["admin.css"].link, d.assets["admin.js"].link
	return d.write(w, status, name, v)
}

// write fills a template, wholly or not at all.
func (d *Desk) write(w http.ResponseWriter, status int, name string, data any) error {
	var b bytes.Buffer
	if err := d.templates.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("template %s: %w", name, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client is gone: nobody is left to tell
	return nil
}

func (d *Desk) loadTemplates() (err error) {
	funcs := template.FuncMap{
		"ago": func(t time.Time) string { return ago(d.deps.Now(context.Background()).Sub(t)) }, "stamp": stamp, "iso": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"thousands": postil.Thousands, "plural": plural, "deed": func(verb string) string { return deeds[verb] },
		"channel": channelName, "size": func(s string) int { return len([]rune(s)) }, "join": strings.Join,
		"hours":     waited,
		"hasPrefix": strings.HasPrefix, "dict": dict,
	}
	d.templates, err = template.New("desk").Funcs(funcs).ParseFS(d.deps.Templates, "*.html")
	return err
}

// dict lets a template hand several values to another one.
func dict(pairs ...any) (map[string]any, error) {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("%v is no name", pairs[i])
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}

// ago says how long something is past, in the largest unit that fits.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// stamp is a moment as people read it.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04") + " UTC"
}

// plural is a number with its unit.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return postil.Thousands(n) + " " + many
}

// channelName is the way a decision came, in words.
func channelName(c string) string {
	if name, ok := map[string]string{"check": "the checks", "telegram": "Telegram", "rest": "the API", "console": "the terminal", "page": "this page", "author": "the author"}[c]; ok {
		return name
	}
	return c
}
