package exporter

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Format is the version of the native format.
const Format = 1

// Source is where a site is read from, in pieces, so that neither memory nor a
// reader's snapshot grows with it.
type Source interface {
	Site(ctx context.Context, id postil.SiteID) (postil.Site, error)
	// PostsAfter returns posts in the order of their keys.
	PostsAfter(ctx context.Context, site postil.SiteID, after postil.PostID, limit int) ([]postil.Post, error)
	// CommentsAfter returns comments of any status in the order of their ids.
	CommentsAfter(ctx context.Context, site postil.SiteID, after postil.CommentID, limit int) ([]postil.Comment, error)
	// DecisionsOn returns the decisions about comments, the oldest first.
	DecisionsOn(ctx context.Context, comments []postil.CommentID) ([]postil.Decision, error)
	ViewsAfter(ctx context.Context, site postil.SiteID, after postil.ViewRow, limit int) ([]postil.ViewRow, error)
}

// Options of an export.
type Options struct {
	Addresses bool // mail addresses too
	Now       time.Time
}

// Counts is what the last line says.
type Counts struct {
	Posts     int `json:"posts"`
	Comments  int `json:"comments"`
	Decisions int `json:"decisions"`
	Views     int `json:"views"`
}

const piece = 500

// Write writes a site to w. What was written by then stays when it fails, and
// has no last line.
func Write(ctx context.Context, w io.Writer, from Source, site postil.SiteID, opt Options) (n Counts, err error) {
	buffered := bufio.NewWriterSize(w, 1<<16)
	e := &export{ctx: ctx, from: from, site: site, opt: opt, out: json.NewEncoder(buffered)}
	e.out.SetEscapeHTML(false)
	for _, part := range []func() error{e.head, e.posts, e.comments, e.views} {
		if err := part(); err != nil {
			return e.n, err
		}
	}
	if err := e.line("end", e.n); err != nil {
		return e.n, err
	}
	return e.n, buffered.Flush()
}

type export struct {
	ctx  context.Context
	from Source
	site postil.SiteID
	opt  Options
	out  *json.Encoder
	n    Counts
}

func (e *export) line(kind string, v any) error { return e.out.Encode(map[string]any{kind: v}) }

func (e *export) head() error {
	s, err := e.from.Site(e.ctx, e.site)
	if err != nil {
		return err
	}
	return e.line("postil", headLine{Format, stamp(e.opt.Now), e.opt.Addresses, siteLine{s.ID, s.Name, string(s.Policy), s.MaxLinks, s.Lockdown, s.Origins, s.Blocked}})
}

func (e *export) posts() error {
	for after := postil.PostID(""); ; {
		posts, err := e.from.PostsAfter(e.ctx, e.site, after, piece)
		if err != nil || len(posts) == 0 {
			return err
		}
		for _, p := range posts {
			e.n.Posts++
			after = p.ID
			if err := e.line("post", postLine{p.ID, p.Title, p.URL, p.TitledBy, p.Closed, stamp(p.Created)}); err != nil {
				return err
			}
		}
	}
}

func (e *export) comments() error {
	for after := postil.CommentID(0); ; {
		all, err := e.from.CommentsAfter(e.ctx, e.site, after, piece)
		if err != nil || len(all) == 0 {
			return err
		}
		ids := make([]postil.CommentID, len(all))
		for i, c := range all {
			ids[i], after = c.ID, c.ID
			e.n.Comments++
			if err := e.line("comment", e.comment(c)); err != nil {
				return err
			}
		}
		if err := e.decisions(ids); err != nil {
			return err
		}
	}
}

func (e *export) comment(c postil.Comment) commentLine {
	l := commentLine{ID: c.ID.String(), Post: c.Post, Status: c.Status, Before: c.Before, Text: c.Text, Created: stamp(c.Created), Edited: stamp(c.Edited),
		Reactions: c.Reactions, Score: c.Score,
		Author: authorLine{Name: c.Author.Name, Website: c.Author.Website, Badge: c.Author.Badge, Account: c.UserID, Erased: c.UserGone}}
	if c.Parent != 0 {
		l.Parent = c.Parent.String()
	}
	if e.opt.Addresses {
		l.Author.Email = c.Author.Email
	}
	if c.Draft != nil {
		l.Waiting = &draftLine{c.Draft.Text, stamp(c.Draft.At)}
	}
	return l
}

func (e *export) decisions(ids []postil.CommentID) error {
	all, err := e.from.DecisionsOn(e.ctx, ids)
	if err != nil {
		return err
	}
	for _, d := range all {
		e.n.Decisions++
		l := decisionLine{d.Comment.String(), string(d.Verb), d.From, d.To, string(d.By.Channel), d.By.Name, d.Reason, stamp(d.At), d.TextBefore, d.TextAfter}
		if err := e.line("decision", l); err != nil {
			return err
		}
	}
	return nil
}

func (e *export) views() error {
	for after := (postil.ViewRow{}); ; {
		rows, err := e.from.ViewsAfter(e.ctx, e.site, after, piece)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, v := range rows {
			e.n.Views++
			after = v
			at := ""
			if v.At.UnixMilli() != 0 {
				at = stamp(v.At)
			}
			if err := e.line("views", viewsLine{v.Post, v.Span, at, v.N}); err != nil {
				return err
			}
		}
	}
}

// stamp writes a time, "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
