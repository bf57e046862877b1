package httpapi

import (
	"strconv"

	"github.com/postil/postil/internal/postil"
)

// adminCommentJSON is a comment as moderators see it. What stands for people
// are keyed hashes; there are no addresses to show.
type adminCommentJSON struct {
	ID        string           `json:"id"`
	Site      postil.SiteID    `json:"site"`
	Post      adminPostRefJSON `json:"post"`
	ParentID  *string          `json:"parent_id"`
	Status    postil.Status    `json:"status"`
	Text      string           `json:"text"`
	HTML      string           `json:"html"`
	Author    adminAuthorJSON  `json:"author"`
	CreatedAt string           `json:"created_at"`
	EditedAt  *string          `json:"edited_at"`
	Revision  int              `json:"revision"`
	Draft     *draftJSON       `json:"draft"`
	CheckedAt *string          `json:"checked_at"`
	Verdict   *string          `json:"verdict"`
	Findings  []postil.Finding `json:"findings"`
	Why       *string          `json:"why"`
	UserAgent *string          `json:"user_agent"`
	Actor     *string          `json:"actor"`   // of the day; "author" of the list takes it
	Device    *string          `json:"device"`  // "author" of the list takes it
	Network   *string          `json:"network"` // kept for 30 days
}

type adminPostRefJSON struct {
	Key   postil.PostID `json:"key"`
	Title *string       `json:"title"`
	URL   *string       `json:"url"`
}

type adminAuthorJSON struct {
	ID      *string `json:"id"` // in the list of authors; null: known by nothing but a name
	Name    string  `json:"name"`
	Email   *string `json:"email"`
	Website *string `json:"website"`
	Badge   *string `json:"badge"`
}

type draftJSON struct {
	Text string `json:"text"`
	HTML string `json:"html"`
	At   string `json:"at"`
}

// adminDetailJSON is everything about one comment.
type adminDetailJSON struct {
	adminCommentJSON
	Review  reviewJSON     `json:"review"`
	Record  recordJSON     `json:"record"`
	Parent  *answeredJSON  `json:"parent"` // the comment that this one answers
	History []decisionJSON `json:"history"`
}

// answeredJSON is what a moderator reads above an answer.
type answeredJSON struct {
	ID     string        `json:"id"`
	Status postil.Status `json:"status"`
	Name   string        `json:"name"`
	HTML   string        `json:"html"`
}

type reviewJSON struct {
	State       *string `json:"state"` // "open", "done", null: nobody was ever asked
	AnnouncedAt *string `json:"announced_at"`
}

// recordJSON is what the site remembers of the author beside this comment.
type recordJSON struct {
	Approved  int     `json:"approved"`
	Rejected  int     `json:"rejected"`
	Spam      int     `json:"spam"`
	FirstSeen *string `json:"first_seen"`
}

// decisionJSON is a line of the decision log.
type decisionJSON struct {
	ID       string         `json:"id"`
	Decision postil.Verb    `json:"decision"`
	From     postil.Status  `json:"from"`
	To       postil.Status  `json:"to"`
	By       string         `json:"by"`
	Channel  postil.Channel `json:"channel"`
	Reason   *string        `json:"reason"`
	At       string         `json:"at"`
	BatchID  *string        `json:"batch_id"`
	Undoes   *string        `json:"undoes"`
	UndoneBy *string        `json:"undone_by"`
}

func adminCommentOf(m postil.Comment, post postil.Post) adminCommentJSON {
	out := adminCommentJSON{
		ID: m.ID.String(), Site: m.Site, ParentID: parentOrNull(m.Parent), Status: m.Status, Text: m.Text, HTML: m.HTML,
		Post:      adminPostRefJSON{Key: m.Post, Title: orNull(post.Beside(m).Title), URL: orNull(post.Beside(m).URL)},
		Author:    adminAuthorJSON{authorID(m), m.Author.Name, orNull(m.Author.Email), orNull(m.Author.Website), orNull(m.Author.Badge)},
		CreatedAt: stamp(m.Created), EditedAt: stampOrNull(m.Edited), Revision: m.Revision, CheckedAt: stampOrNull(m.Checked),
		Verdict: orNull(string(m.Verdict)), Findings: append([]postil.Finding{}, m.Findings...), Why: orNull(postil.Why(m.Verdict, m.Findings)),
		UserAgent: orNull(m.Origin.UserAgent), Actor: orNull(m.Origin.Actor), Device: orNull(m.Origin.Device), Network: orNull(m.Origin.Network),
	}
	if m.Draft != nil {
		out.Draft = &draftJSON{m.Draft.Text, m.Draft.HTML, stamp(m.Draft.At)}
	}
	return out
}

// authorID is the id under which the author of a comment is listed.
func authorID(m postil.Comment) *string {
	who, _ := m.KnownBy()
	return orNull(who.Value)
}

func adminDetailOf(d postil.Detail) adminDetailJSON {
	out := adminDetailJSON{
		adminCommentJSON: adminCommentOf(d.Comment, d.Post), History: []decisionJSON{},
		Record: recordJSON{d.Record.Approved, d.Record.Rejected, d.Record.Spam, stampOrNull(d.Record.FirstSeen)},
	}
	if d.Parent != nil {
		out.Parent = &answeredJSON{d.Parent.ID.String(), d.Parent.Status, d.Parent.Author.Name, d.Parent.HTML}
	}
	if d.Review.Comment != 0 {
		state := "done"
		if d.Review.Open {
			state = "open"
		}
		out.Review = reviewJSON{&state, stampOrNull(d.Review.Announced)}
	}
	for _, h := range d.History {
		out.History = append(out.History, decisionJSON{
			ID: *decisionOrNull(h.ID), Decision: h.Verb, From: h.From, To: h.To, By: called(h.By), Channel: h.By.Channel, Reason: orNull(h.Reason),
			At: stamp(h.At), BatchID: orNull(h.Batch), Undoes: decisionOrNull(h.Undoes), UndoneBy: decisionOrNull(h.UndoneBy),
		})
	}
	return out
}

// called is the name under which colleagues know who decided.
func called(by postil.By) string {
	if by.Name == "" {
		return by.Actor
	}
	return by.Name
}

func decisionOrNull(id postil.DecisionID) *string {
	if id == 0 {
		return nil
	}
	s := strconv.FormatInt(int64(id), 10)
	return &s
}

// adminPostJSON is a post as moderators see it.
type adminPostJSON struct {
	Site    postil.SiteID `json:"site"`
	Key     postil.PostID `json:"key"`
	Title   *string       `json:"title"`
	URL     *string       `json:"url"`
	Closed  bool          `json:"closed"`
	Version int64         `json:"version"`
	Count   int           `json:"count"`
}

func adminPostOf(p postil.Post) adminPostJSON {
	return adminPostJSON{p.Site, p.ID, orNull(p.Title), orNull(p.URL), p.Closed, p.Version, p.Count}
}
