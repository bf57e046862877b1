// Package web holds what browsers receive: the bundled widget, the page for readers without
// scripts and the demo blog, embedded in the binary. It knows no HTTP; whoever serves the bytes
// chooses addresses and headers.
//
// dist/ is built from widget/ and admin/ by `go run ./web/build` and committed. A newcomer would edit the
// sources and forget the bundle: the test of web/build fails then and names the command.
package web

import (
	"embed"
	"io/fs"
	"regexp"

	"github.com/postil/postil/web/demo"
)

//go:embed dist
var dist embed.FS

//go:embed page/*.html page/style.css
var page embed.FS

//go:embed admin/*.html
var adminPages embed.FS

// AdminFiles returns the templates (*.html) of the admin page.
func AdminFiles() fs.FS {
	files, err := fs.Sub(adminPages, "admin")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}

// AdminAsset returns what the admin page loads: admin.css or admin.js. ok is false for every other
// name. The body is shared: do not change it.
func AdminAsset(name string) (body []byte, ok bool) {
	if name != "admin.css" && name != "admin.js" {
		return nil, false
	}
	body, err := dist.ReadFile("dist/" + name)
	return body, err == nil
}

// PageFiles returns the templates (*.html) and the style sheet (style.css) of the page for readers
// without scripts.
func PageFiles() fs.FS {
	files, err := fs.Sub(page, "page")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}

var bundleName = regexp.MustCompile(`^(widget(\.v[0-9]+(\.[a-z]+(-[a-z]+){0,2})?)?|count|views|question)\.js$`)

// Bundle returns a script by its public name: widget.js, widget.vN.js, count.js, views.js, question.js, or
// widget.vN.PART.js for what is loaded on demand. ok is false for every other name. The body is shared: do not change it.
func Bundle(name string) (body []byte, ok bool) {
	if !bundleName.MatchString(name) {
		return nil, false
	}
	body, err := dist.ReadFile("dist/" + name)
	return body, err == nil
}

// DemoPost is one article of the demo blog.
type DemoPost = demo.Post

// DemoPosts returns the articles of the demo blog, newest first. The canonical address of each is
// base + "/demo/posts/" + Slug.
func DemoPosts() []DemoPost { return demo.Posts() }

// DemoPage renders the demo post with this slug; base is the public URL of the service. ok is
// false when there is no such post.
func DemoPage(base, slug string) (page []byte, ok bool) { return demo.Page(base, slug) }

// DemoIndex renders the list of demo posts, which stands at base + "/demo/".
func DemoIndex(base string) []byte { return demo.Index(base) }

// DemoStyle returns the demo blog's style sheet, which stands at base + "/demo/style.css".
func DemoStyle() []byte { return demo.Style() }
