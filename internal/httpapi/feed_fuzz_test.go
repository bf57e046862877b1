package httpapi

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/web"
)

// A feed is well-formed whatever stands in it.
func FuzzFeed(f *testing.F) {
	pages, err := NewPages("https://talk.example/comments/", web.PageFiles())
	if err != nil {
		f.Fatal(err)
	}
	f.Add("Ann", "<p>Hello</p>", "A title", "https://blog.example/p?a=1&b=2", "/p")
	f.Add("a\x00\x01\uffff", "]]><x", "R&D <beta>", "javascript:alert(1)", "\x1b[31m")
	f.Add("\xff\xfe", "\xed\xa0\x80", "\u202e", "://", "#/a\"'")
	f.Fuzz(func(t *testing.T, name, html, title, address, key string) {
		site := postil.Site{ID: "blog", Name: title, Origins: []string{"https://blog.example"}}
		l := postil.Listed{ID: 7, Post: postil.PostID(key), Author: postil.Author{Name: name}, HTML: html, Created: time.UnixMilli(1)}
		l.PostTitle, l.PostURL = title, address
		feed := pages.Feed(site, postil.PostID(key), []postil.Listed{l})
		for d := xml.NewDecoder(bytes.NewReader(feed)); ; {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("%v in\n%s", err, feed)
			}
		}
	})
}
