package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"strings"

	"github.com/postil/postil/internal/postil"
)

// Pages writes what readers without scripts see, and feeds: whole documents
// for the cache, the same for everybody, and the forms around them.
type Pages struct {
	base      string // the public URL without a slash at the end
	style     []byte
	styleName string // with what makes it new when the style changes
	templates *template.Template
}

// NewPages reads the templates (*.html) and style.css in files. publicURL is
// where browsers reach the service.
func NewPages(publicURL string, files fs.FS) (*Pages, error) {
	templates, err := template.ParseFS(files, "*.html")
	if err != nil {
		return nil, fmt.Errorf("page templates: %w", err)
	}
	style, err := fs.ReadFile(files, "style.css")
	if err != nil {
		return nil, fmt.Errorf("page style: %w", err)
	}
	return &Pages{
		base: strings.TrimRight(strings.TrimSpace(publicURL), "/"), templates: templates,
		// Relative: below any path, and also when a proxy has another name.
		style: style, styleName: "../page.css?v=" + strings.Trim(identity(style).ETag[0], `"`)[:8],
	}, nil
}

// pageData is what the template "page" sees.
type pageData struct {
	headData
	Feed   string
	Sent   bool
	Sorts  []sortLink
	Thread threadData
	Form   formData
}

// headData is what every document begins with.
type headData struct {
	Title string
	Style string
	Blog  *nameLink
	Post  nameLink
}

type nameLink struct{ Name, URL string }

type sortLink struct {
	Name, URL string
	Current   bool
}

// Page returns a thread as a whole document with an empty form; kind says what
// its reader has just done, if anything. The form holds no token: a token belongs to
// one person, and this document to everybody. So a comment sent from here is
// known as one without token, which only means that somebody reads it before
// it appears; whoever replies or previews gets a document of their own, with
// a token, that nobody keeps.
func (p *Pages) Page(site postil.Site, q postil.ThreadQuery, t postil.ThreadPage, kind postil.ViewKind, trap string) []byte {
	here := "?" + url.Values{"post": {string(q.Post)}}.Encode()
	head := p.head(site, q.Post, t.Post)
	form := formData{Here: here, Heading: "Write a comment", Shut: shut(t.Post.Closed, t.Lockdown), Trap: trap}
	form.fill(draft{}, nil)
	return p.execute("page", pageData{
		headData: head, Feed: "../api/v1/sites/" + string(site.ID) + "/feed.atom" + here, Sent: kind == postil.SentView,
		Sorts: sorts(here, q.Sort, t.Post.Roots), Thread: threadOf(site, q, t, here, kind), Form: form,
	})
}

// Fragment returns the comments of a page alone, to be pasted into another
// document: no form, and every address that leaves it is absolute.
func (p *Pages) Fragment(site postil.Site, q postil.ThreadQuery, t postil.ThreadPage) []byte {
	return p.execute("fragment", threadOf(site, q, t, p.thread(site.ID, q.Post), postil.FragmentView))
}

// thread is the address of the page of a post.
func (p *Pages) thread(site postil.SiteID, post postil.PostID) string {
	return p.base + "/thread/" + string(site) + "?" + url.Values{"post": {string(post)}}.Encode()
}

func (p *Pages) head(site postil.Site, key postil.PostID, post postil.Post) headData {
	name := cmp.Or(post.Title, string(key))
	h := headData{Title: "Comments on " + name, Style: p.styleName, Post: nameLink{name, postAddress(site, key, post.URL)}}
	if site.Name != "" {
		h.Blog = &nameLink{Name: site.Name}
		if len(site.Origins) > 0 {
			h.Blog.URL = site.Origins[0] + "/"
		}
	}
	return h
}

// sorts lists the orders of a thread that has one.
func sorts(here string, current postil.Sort, roots int) []sortLink {
	if roots < 2 {
		return nil
	}
	return []sortLink{
		{"Oldest first", here, current == postil.Oldest},
		{"Newest first", here + "&sort=newest", current == postil.Newest},
		{"Most liked first", here + "&sort=top", current == postil.Top},
	}
}

// shut says why nobody can write here, "" when they can.
func shut(closed, lockdown bool) string {
	switch {
	case closed:
		return "Comments are closed here."
	case lockdown:
		return "Writing is paused here for the moment."
	}
	return ""
}

// contextJSON is what a form page must know of its thread. It is made for the
// cache and never leaves the service as it is.
type contextJSON struct {
	Head     headData
	Closed   bool
	Lockdown bool
	Answered *answered `json:",omitempty"`
}

// answered is the comment that a reply answers. HTML is the sanitised one.
type answered struct {
	Name string
	HTML template.HTML
	Deep bool // nothing can hang below it
}

// Context returns what stands above a form under a post: with q.Focus also the
// comment that is answered, NotFound when it is not public. It is read back by
// the handlers of this package alone.
func (p *Pages) Context(site postil.Site, q postil.ThreadQuery, t postil.ThreadPage) ([]byte, error) {
	c := contextJSON{Head: p.head(site, q.Post, t.Post), Closed: t.Post.Closed, Lockdown: t.Lockdown}
	for _, l := range t.Comments {
		if q.Focus != 0 && l.ID == q.Focus && !l.Tombstone {
			c.Answered = &answered{authorOf(l.Author, l.UserGone).Name, template.HTML(l.HTML), l.Depth >= postil.MaxDepth}
		}
	}
	if q.Focus != 0 && c.Answered == nil {
		return nil, postil.Missing()
	}
	return json.Marshal(c)
}

// execute fills a template; the tests of this package fill them all.
func (p *Pages) execute(name string, data any) []byte {
	var b bytes.Buffer
	if err := p.templates.ExecuteTemplate(&b, name, data); err != nil {
		panic(fmt.Sprintf("page %s: %v", name, err))
	}
	return b.Bytes()
}
