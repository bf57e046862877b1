package notify

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Note is what is told of an event. It is the body of the format json; times
// are in UTC with milliseconds, ids are texts. There is no mail address, network
// or finding in it.
type Note struct {
	ID       string        `json:"id"` // the same each time the event is sent
	Type     string        `json:"type"`
	Created  string        `json:"created_at"`
	Site     postil.SiteID `json:"site"`
	Post     notePost      `json:"post"`
	Comment  noteComment   `json:"comment"`
	Decision *noteDecision `json:"decision"` // null when nobody decided

	alert *noteAlert // instead of a comment
}

// noteAlert is trouble of the service's own.
type noteAlert struct {
	ID     string  `json:"id"` // the same from its begin to its end
	Name   string  `json:"name"`
	Phase  string  `json:"phase"` // begun, updated or ended
	Began  string  `json:"began_at"`
	Ended  *string `json:"ended_at"`
	Value  float64 `json:"value"`
	Worst  float64 `json:"worst"`
	Detail string  `json:"detail"`
}

type notePost struct {
	Key   postil.PostID `json:"key"`
	Title *string       `json:"title"`
	URL   *string       `json:"url"`
}

type noteComment struct {
	ID       string      `json:"id"`
	ParentID *string     `json:"parent_id"`
	Status   *string     `json:"status"` // as it is now; null when the comment was erased
	Text     *string     `json:"text"`
	HTML     *string     `json:"html"`
	Author   *noteAuthor `json:"author"`
	Created  *string     `json:"created_at"`
	URL      *string     `json:"url"`
}

type noteAuthor struct {
	Name    string  `json:"name"`
	Website *string `json:"website"`
	Badge   *string `json:"badge"`
}

type noteDecision struct {
	ID       string `json:"id"`
	Decision string `json:"decision"`
	From     string `json:"from"`
	To       string `json:"to"`
	By       string `json:"by"`
	Channel  string `json:"channel"`
	Reason   string `json:"reason"`
	At       string `json:"at"`
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Record is what notes are made from.
type Record interface {
	Detail(ctx context.Context, id postil.CommentID) (postil.Detail, error)
	Post(ctx context.Context, site postil.SiteID, id postil.PostID) (postil.Post, error)
	Incident(ctx context.Context, id int64) (postil.Incident, error)
}

// note makes what is told of an event. A comment that was erased is told of by
// its id alone.
func note(ctx context.Context, from Record, ev postil.Event) (Note, error) {
	n := Note{ID: "evt_" + strconv.FormatInt(int64(ev.ID), 10), Type: ev.HookEvent(), Created: stamp(ev.At), Site: ev.Site,
		Post: notePost{Key: ev.Post}, Comment: noteComment{ID: ev.Comment.String()}}
	if ev.Kind == postil.AlertRaised {
		i, err := from.Incident(ctx, ev.Incident)
		n.alert = &noteAlert{strconv.FormatInt(ev.Incident, 10), i.Alert, string(ev.Phase), stamp(i.Began), nil, i.Value, i.Worst, i.Detail}
		if ended := stamp(i.Ended); !i.Ended.IsZero() {
			n.alert.Ended = &ended
		}
		if postil.KindOf(err) == postil.NotFound && err != nil {
			err = nil // it was over long ago
		}
		return n, err
	}
	d, err := from.Detail(ctx, ev.Comment)
	if postil.KindOf(err) == postil.NotFound && err != nil {
		return n, nil
	}
	if err != nil {
		return n, err
	}
	c := d.Comment
	created, status := stamp(c.Created), string(c.Status)
	n.Post = notePost{Key: d.Post.ID, Title: orNull(d.Post.Title), URL: orNull(d.Post.URL)}
	n.Comment.Status, n.Comment.Text, n.Comment.HTML, n.Comment.Created = &status, &c.Text, &c.HTML, &created
	n.Comment.Author = &noteAuthor{c.Author.Name, orNull(postil.ShowWebsite(c.Author.Website)), orNull(c.Author.Badge)}
	if c.Parent != 0 {
		n.Comment.ParentID = orNull(c.Parent.String())
	}
	if d.Post.URL != "" {
		address, _, _ := strings.Cut(d.Post.URL, "#")
		n.Comment.URL = orNull(address + "#postil-" + c.ID.String())
	}
	for _, h := range d.History {
		if h.ID == ev.Decision && ev.Decision != 0 {
			n.Decision = &noteDecision{strconv.FormatInt(int64(h.ID), 10), string(h.Verb), string(h.From), string(h.To), h.By.Name, string(h.By.Channel), h.Reason, stamp(h.At)}
		}
	}
	return n, nil
}

// sample is what the test button sends.
func sample(w postil.Webhook, now time.Time) Note {
	status, text, html, at := "approved", "This is a test of the webhook “"+w.Name+"”.", "<p>This is a test of a webhook.</p>", stamp(now)
	return Note{ID: "test_" + strconv.FormatInt(now.UnixMilli(), 10), Type: "test", Created: at, Site: w.Site, Post: notePost{Key: "/"},
		Comment: noteComment{ID: "0", Status: &status, Text: &text, HTML: &html, Author: &noteAuthor{Name: "Postil"}, Created: &at}}
}
