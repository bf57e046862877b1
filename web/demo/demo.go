// Package demo is the blog that `--demo` shows: an index, three posts and a style sheet, so that
// the widget can be met on a page like any other. It serves nothing itself; it renders bytes.
//
// The pages run under a strict Content-Security-Policy and below any path: a newcomer would add an
// inline style or a link that begins with a slash, and both would break.
//
// To add a post: append it to posts in posts.go. Its slug is its address and never changes.
package demo

import (
	"bytes"
	"embed"
	"html/template"
	"strings"
)

//go:embed index.html post.html style.css
var files embed.FS

var pages = template.Must(template.ParseFS(files, "index.html", "post.html"))

// page is what the templates see. Base is the public URL without a slash at the end.
type page struct {
	Base  string
	Posts []Post
	Post  Post
	Next  *Post
}

// Index renders the list of posts. base is the public URL of the service, with or without a path.
func Index(base string) []byte {
	return render("index.html", page{Base: trim(base), Posts: posts})
}

// Page renders the post with this slug; false when there is none.
func Page(base, slug string) ([]byte, bool) {
	for i, post := range posts {
		if post.Slug == slug {
			return render("post.html", page{Base: trim(base), Post: post, Next: &posts[(i+1)%len(posts)]}), true
		}
	}
	return nil, false
}

// Style is the style sheet of both pages, served at /demo/style.css below the base.
func Style() []byte {
	css, err := files.ReadFile("style.css")
	if err != nil {
		panic(err) // embedded at build time
	}
	return css
}

func trim(base string) string { return strings.TrimRight(base, "/") }

// render cannot fail for data of ours; if a template is broken the tests of this package say so first.
func render(name string, data page) []byte {
	var out bytes.Buffer
	if err := pages.ExecuteTemplate(&out, name, data); err != nil {
		panic(err)
	}
	return out.Bytes()
}
