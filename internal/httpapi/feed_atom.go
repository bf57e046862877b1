package httpapi

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// FeedSize is how many comments a feed holds.
const FeedSize = 50

// feedExcerpt is how many characters of a comment its title shows.
const feedExcerpt = 60

// xmlText is text of which no character makes a document unreadable: XML has
// no way at all to write some that Unicode has.
type xmlText string

// MarshalText drops what XML 1.0 cannot carry; the encoder escapes the rest.
func (t xmlText) MarshalText() ([]byte, error) {
	return []byte(strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r',
			r >= 0x20 && r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD, r >= 0x10000:
			return r
		}
		return -1
	}, strings.ToValidUTF8(string(t), "\uFFFD"))), nil
}

type atomFeed struct {
	XMLName   xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID        string      `xml:"id"`
	Title     atomText    `xml:"title"`
	Updated   string      `xml:"updated"`
	Links     []atomLink  `xml:"link"`
	Generator string      `xml:"generator"`
	Entries   []atomEntry `xml:"entry"`
}

type atomEntry struct {
	ID        string     `xml:"id"`
	Title     atomText   `xml:"title"`
	Published string     `xml:"published"`
	Updated   string     `xml:"updated"`
	Author    atomPerson `xml:"author"`
	Link      atomLink   `xml:"link"`
	Content   atomText   `xml:"content"`
}

type atomPerson struct {
	Name xmlText `xml:"name"`
	URI  xmlText `xml:"uri,omitempty"`
}

type atomLink struct {
	Rel  string  `xml:"rel,attr"`
	Type string  `xml:"type,attr"`
	Href xmlText `xml:"href,attr"`
}

type atomText struct {
	Type string  `xml:"type,attr"`
	Body xmlText `xml:",chardata"`
}

// Feed returns comments, the newest first, as an Atom feed of a post or, with
// post "", of the whole site. Tombstones are left out.
func (p *Pages) Feed(site postil.Site, post postil.PostID, list []postil.Listed) []byte {
	f := p.feedHead(site, post, list)
	var updated time.Time
	for _, l := range list[:min(len(list), FeedSize)] {
		if l.Tombstone {
			continue
		}
		f.Entries = append(f.Entries, p.entry(site, l))
		if at := changed(l); at.After(updated) {
			updated = at
		}
	}
	if updated.IsZero() {
		updated = site.Created
	}
	f.Updated = stamp(updated)
	return document(f)
}

// feedHead says what a feed is of and where it and its subject stand.
func (p *Pages) feedHead(site postil.Site, post postil.PostID, list []postil.Listed) atomFeed {
	f := atomFeed{ID: feedID(site, "site"), Title: plain("Comments on " + cmp.Or(site.Name, string(site.ID))), Generator: "Postil"}
	self, home := p.base+"/api/v1/sites/"+string(site.ID)+"/feed.atom", ""
	if len(site.Origins) > 0 {
		home = site.Origins[0] + "/"
	}
	if post != "" {
		title := string(post)
		if len(list) > 0 {
			title = cmp.Or(list[0].PostTitle, title)
		}
		f.ID, f.Title = feedID(site, "post", string(post)), plain("Comments on "+title)
		self += "?" + url.Values{"post": {string(post)}}.Encode()
		home = p.whereIs(site, post, list)
	}
	f.Links = []atomLink{{"self", "application/atom+xml", xmlText(self)}}
	if home != "" {
		f.Links = append(f.Links, atomLink{"alternate", "text/html", xmlText(home)})
	}
	return f
}

func (p *Pages) entry(site postil.Site, l postil.Listed) atomEntry {
	author := authorOf(l.Author, l.UserGone)
	e := atomEntry{
		ID:        feedID(site, "comment", l.ID.String()),
		Title:     plain(author.Name + " on " + cmp.Or(l.PostTitle, string(l.Post))),
		Published: stamp(l.Created), Updated: stamp(changed(l)),
		Author:  atomPerson{Name: xmlText(author.Name)},
		Link:    atomLink{"alternate", "text/html", xmlText(p.permalink(site, l))},
		Content: atomText{"html", xmlText(l.HTML)},
	}
	if excerpt := markup.ExcerptHTML(l.HTML, feedExcerpt); excerpt != "" {
		e.Title.Body += xmlText(": " + excerpt)
	}
	if author.Website != nil {
		e.Author.URI = xmlText(*author.Website)
	}
	return e
}

func plain(s string) atomText { return atomText{"text", xmlText(s)} }

// changed is when what readers see of a comment last changed.
func changed(l postil.Listed) time.Time {
	if l.Edited.After(l.Created) {
		return l.Edited
	}
	return l.Created
}

// whereIs returns the address of a post from one of its comments, else from
// its key, else that of the page for readers without scripts.
func (p *Pages) whereIs(site postil.Site, post postil.PostID, list []postil.Listed) string {
	said := ""
	if len(list) > 0 {
		said = list[0].PostURL
	}
	return cmp.Or(postAddress(site, post, said), p.thread(site.ID, post))
}

// permalink is where a comment stands: the post's address, with our anchor in
// place of any of its own.
func (p *Pages) permalink(site postil.Site, l postil.Listed) string {
	anchor := "#postil-" + l.ID.String()
	if address := postAddress(site, l.Post, l.PostURL); address != "" {
		return address + anchor
	}
	return p.thread(site.ID, l.Post) + "&focus=" + l.ID.String() + anchor
}

// postAddress returns where a post stands on its blog, without a fragment: as
// was said of it, else what its key says below the blog's own address. "" when
// neither is a web address.
func postAddress(site postil.Site, post postil.PostID, said string) string {
	if said == "" && strings.HasPrefix(string(post), "/") && len(site.Origins) > 0 {
		said = site.Origins[0] + strings.ReplaceAll(string(post), "#", "%23")
	}
	u, err := url.Parse(said)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return ""
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// feedSpace is where the ids of feeds and entries live.
var feedSpace = uuid.MustParse("0c2f3d5e-52b1-4d0c-9d0f-6a8e2b7f4a11")

// feedID names something for ever: it says nothing of addresses, so a blog or
// Postil itself may move without every reader seeing every comment anew. The
// age of the site tells apart two installations that gave it the same key.
func feedID(site postil.Site, parts ...string) string {
	name := fmt.Sprintf("%s\n%d\n%s", site.ID, site.Created.UnixMilli(), strings.Join(parts, "\n"))
	return "urn:uuid:" + uuid.NewSHA1(feedSpace, []byte(name)).String()
}

// document writes a feed; everything in it can be written.
func document(f atomFeed) []byte {
	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", " ")
	if err := enc.Encode(f); err != nil {
		panic(fmt.Sprintf("encoding a feed: %v", err))
	}
	b.WriteByte('\n')
	return b.Bytes()
}
