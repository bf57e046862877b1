package httpapi

import (
	"html/template"
	"strconv"
	"time"

	"github.com/postil/postil/internal/postil"
)

// threadData is what the template "fragment" sees.
type threadData struct {
	Site    postil.SiteID
	Key     postil.PostID
	Version int64
	Count   string
	Earlier string // address of the page before this one
	Later   string // and of the one after it
	Roots   []*commentData
}

// commentData is a comment with what hangs below it. Of a removed one only
// ID, Parent and Replies are set.
type commentData struct {
	ID            string
	Gone          bool
	Name, Website string
	Badge         string
	Permalink     string
	Created       instant
	Edited        *instant
	Parent        *nameLink // what it answers, nil for a root
	HTML          template.HTML
	Reply         string     // address of the form for an answer, "" when there can be none
	Reactions     *reactData // nil for none
	Replies       []*commentData

	depth int
}

// instant is a time for machines and, in UTC, for people: a page that everybody
// shares cannot know where its reader is.
type instant struct{ ISO, Words string }

func instantOf(t time.Time) instant {
	return instant{stamp(t), t.UTC().Format("2 January 2006, 15:04 UTC")}
}

// threadOf arranges a page of a thread for the template. here is the address
// of the thread, with its post and without anything else.
func threadOf(site postil.Site, q postil.ThreadQuery, t postil.ThreadPage, here string, kind postil.ViewKind) threadData {
	d := threadData{Site: q.Site, Key: q.Post, Version: t.Post.Version, Count: countWords(t)}
	order := orderOf(q)
	if t.Prev != "" {
		d.Earlier = here + order + "&cursor=" + template.URLQueryEscaper(t.Prev)
	}
	if t.Next != "" {
		d.Later = here + order + "&cursor=" + template.URLQueryEscaper(t.Next)
	}
	names := namesOf(t.Comments)
	open := shut(t.Post.Closed, t.Lockdown) == ""
	takes := kind != postil.FragmentView && !t.Lockdown // reactions
	var above []*commentData                            // the last comment of each level, from the root down
	for _, l := range t.Comments {
		c := commentOf(l, here, open, names)
		if !l.Tombstone {
			c.Reactions = reactionsOf(l, site.Reactions, here+order+"&react="+c.ID, takes, kind == postil.ReactedView && l.ID == q.Focus)
		}
		for len(above) > 0 && above[len(above)-1].depth >= l.Depth {
			above = above[:len(above)-1]
		}
		if len(above) == 0 { // a root, or the page begins below one
			d.Roots = append(d.Roots, c)
		} else {
			parent := above[len(above)-1]
			parent.Replies = append(parent.Replies, c)
		}
		above = append(above, c)
	}
	return d
}

// orderOf is what the address of a page says of its order and length, "" for
// what is usual.
func orderOf(q postil.ThreadQuery) (order string) {
	if q.Sort != postil.Oldest && q.Sort != "" {
		order = "&sort=" + string(q.Sort)
	}
	if q.Limit != 0 && q.Limit != postil.DefaultPageRoots {
		order += "&limit=" + strconv.Itoa(q.Limit)
	}
	return order
}

func countWords(t postil.ThreadPage) string {
	switch {
	case t.Post.Count == 1:
		return "1 comment"
	case t.Post.Count > 1:
		return postil.Thousands(t.Post.Count) + " comments"
	case t.Post.Closed:
		return "No comments."
	}
	return "No comments yet. Yours would be the first."
}

// namesOf tells by whom the comments of a page are; "" is a removed one.
func namesOf(list []postil.Listed) map[postil.CommentID]string {
	names := make(map[postil.CommentID]string, len(list))
	for _, l := range list {
		if names[l.ID] = ""; !l.Tombstone {
			names[l.ID] = authorOf(l.Author, l.UserGone).Name
		}
	}
	return names
}

func commentOf(l postil.Listed, here string, open bool, names map[postil.CommentID]string) *commentData {
	id := l.ID.String()
	c := &commentData{ID: id, Gone: l.Tombstone, depth: l.Depth}
	if l.Tombstone {
		return c
	}
	author := authorOf(l.Author, l.UserGone)
	c.Name, c.HTML, c.Permalink, c.Created = author.Name, template.HTML(l.HTML), "#postil-"+id, instantOf(l.Created)
	if author.Website != nil {
		c.Website = *author.Website
	}
	if author.Badge != nil && *author.Badge == postil.AuthorBadge {
		c.Badge = "Author"
	}
	if !l.Edited.IsZero() {
		edited := instantOf(l.Edited)
		c.Edited = &edited
	}
	if l.Parent != 0 {
		c.Parent = parentOf(l.Parent, here, names)
	}
	if open && l.Depth < postil.MaxDepth {
		c.Reply = here + "&reply=" + id + "#form"
	}
	return c
}

// parentOf names what a comment answers and leads there: within the page, or
// to the page that holds it.
func parentOf(id postil.CommentID, here string, names map[postil.CommentID]string) *nameLink {
	anchor := "#postil-" + id.String()
	name, onPage := names[id]
	switch {
	case !onPage:
		return &nameLink{"a comment on another page", here + "&focus=" + id.String() + anchor}
	case name == "":
		return &nameLink{"a removed comment", anchor}
	}
	return &nameLink{name, anchor}
}
