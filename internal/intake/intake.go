package intake

import (
	"cmp"
	"context"
	"time"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/token"
)

// Shelf stores comments.
type Shelf interface {
	AddComment(ctx context.Context, n postil.NewComment, then postil.Rule) (postil.Stored, error)
	// SentBefore returns what the same request stored before.
	SentBefore(ctx context.Context, n postil.NewComment) (out postil.Stored, found bool, err error)
	Comment(ctx context.Context, id postil.CommentID) (postil.Comment, error)
	Comments(ctx context.Context, ids []postil.CommentID) ([]postil.Comment, error)
	Post(ctx context.Context, site postil.SiteID, id postil.PostID) (postil.Post, error)
	React(ctx context.Context, r postil.Reaction) (postil.Reacted, error)
	AddReport(ctx context.Context, r postil.Report, then postil.Rule) error
}

// Decider is the one door for decisions.
type Decider interface {
	Decide(ctx context.Context, r postil.DecisionRequest) (postil.Outcome, error)
	Edit(ctx context.Context, site postil.SiteID, id postil.CommentID, t postil.TextChange, proves func(postil.Comment) bool) (postil.Outcome, error)
	Remove(ctx context.Context, site postil.SiteID, id postil.CommentID, proves func(postil.Comment) bool) (postil.Outcome, error)
	// AtOnce is the rule for comments of authors who need no asking.
	AtOnce(by postil.By) postil.Rule
	// Reported is the rule for comments that readers report.
	Reported(site postil.SiteID) postil.Rule
}

// Wary says how much work is asked of somebody before a form is sent, in bits;
// 0 for none, which is what nearly everybody is asked for.
type Wary interface {
	Work(ctx context.Context, actor, network string) (bits int, err error)
}

// Intake takes comments in.
type Intake struct {
	shelf  Shelf
	door   Decider
	sites  *Directory
	keys   *token.Keys
	now    func(context.Context) time.Time
	bounds Bounds
	wary   Wary
}

// Bounds say what the commenters of a site may do. They are asked each time,
// because an admin may decide otherwise at any moment.
type Bounds struct {
	EditWindow func(postil.SiteID) time.Duration // how long they may edit
	Text       func(postil.SiteID) int           // how many characters a comment may have
}

// New returns an intake. window is how long commenters may edit; without wary
// nobody is asked for work.
func New(shelf Shelf, door Decider, sites *Directory, keys *token.Keys, now func(context.Context) time.Time, window time.Duration, wary Wary) *Intake {
	return &Intake{shelf, door, sites, keys, now, Bounds{
		EditWindow: func(postil.SiteID) time.Duration { return window },
		Text:       func(postil.SiteID) int { return postil.MaxText },
	}, wary}
}

// Within makes b say what commenters may do.
func (in *Intake) Within(b Bounds) { in.bounds = b }

// Check validates a submission by shape: site, post, lengths, names. It is
// cheap and stores nothing. Errors name the member that is wrong.
func (in *Intake) Check(ctx context.Context, s postil.Submission) (n postil.NewComment, err error) {
	site, err := in.sites.Site(ctx, s.Site)
	if err != nil {
		return n, err
	}
	n = postil.NewComment{Site: s.Site, Trusted: s.As != nil && !s.As.Pen.Checked, Client: s.Bucket, Origin: postil.Origin{Actor: s.Actor, Network: s.Network, UserAgent: postil.CleanUserAgent(s.UserAgent)}}
	if s.As != nil {
		n.By, n.Author.Badge = s.As.By, cmp.Or(s.As.Pen.Badge, postil.AuthorBadge)
		s.Name = cmp.Or(s.As.Pen.Author, s.Name)
	}
	if n.Text, err = postil.CleanTextWithin(s.Text, in.bounds.Text(s.Site)); err != nil {
		return n, err
	}
	if n.Author, err = author(s, n.Author.Badge); err != nil {
		return n, err
	}
	if n.Post, err = in.post(ctx, site, s); err != nil {
		return n, err
	}
	if n.Parent, err = parent(s.ParentID); err != nil {
		return n, err
	}
	if s.Device != "" {
		if err := postil.CheckDevice(s.Device); err != nil {
			return n, err
		}
		n.Origin.Device = in.keys.DeviceHash(s.Device)
	}
	if s.As != nil { // the key is how this author is known again
		n.Origin = postil.Origin{Device: in.keys.DeviceHash(s.As.By.Actor), UserAgent: n.Origin.UserAgent}
	}
	in.mark(ctx, &n, s)
	return n, nil
}

func author(s postil.Submission, badge string) (a postil.Author, err error) {
	a.Badge = badge
	if a.Name, err = postil.CleanName(s.Name); err != nil {
		return a, err
	}
	if a.Email, err = postil.CleanEmail(s.Email); err != nil {
		return a, err
	}
	a.Website, err = postil.CleanWebsite(s.Website)
	return a, err
}

func parent(id string) (postil.CommentID, error) {
	if id == "" {
		return 0, nil
	}
	p, err := postil.ParseCommentID(id)
	if err != nil {
		return 0, postil.InvalidField("parent_id", "“parent_id” is the id of a comment on this page, such as “17”, or is left out.")
	}
	return p, nil
}

// post finds out which post is meant. What a visitor says of its title and
// address is taken as plain text, and an address only on the site's own hosts.
func (in *Intake) post(ctx context.Context, site postil.Site, s postil.Submission) (ref postil.PostRef, err error) {
	rules := Rules(site)
	if ref.ID, err = in.sites.Resolve(ctx, s.Site, s.Post); err != nil {
		return ref, err
	}
	ref.Title = postil.CleanTitle(s.Title)
	if s.URL != "" && !rules.Owns(s.URL) {
		return ref, postil.InvalidField("url", "The address of the page is not on this site. The site's addresses are set with “postil site set %s origins=…”.", site.ID)
	}
	if !postil.IsPreviewAddress(s.URL) {
		ref.URL = s.URL
	}
	return ref, nil
}

// mark adds what recognises a request that was sent before and what the form
// told about who filled it in.
func (in *Intake) mark(ctx context.Context, n *postil.NewComment, s postil.Submission) {
	hand := n.Origin.Device
	if hand == "" { // people behind one address are told apart as far as can be: the twin's edit key goes to them
		hand = s.Actor + "\n" + n.Origin.UserAgent
	}
	whose := n.Origin.Device
	if whose == "" { // not the actor: he is another after midnight, and the key holds for a day
		whose = s.Network
	}
	if s.As != nil {
		hand, whose = s.As.By.Actor, s.As.By.Actor
	}
	if s.IdempotencyKey != "" {
		n.Replay.Key, n.Replay.Body = in.keys.ReplayHash(string(s.Site), whose, s.IdempotencyKey), s.BodyHash
	}
	n.Replay.Twin = in.keys.TwinHash(string(s.Site), hand, string(n.Post.ID), n.Parent.String(), n.Text)
	if s.As != nil {
		return
	}
	n.Form.Token, n.Form.Filled, n.FormKey = in.keys.ReadForm(s.Token, string(s.Site), string(n.Post.ID), in.now(ctx))
	n.Form.Trap, n.Form.Proxy = s.Trap != "", s.Proxy
	if n.Form.Token == token.FormOK {
		n.Form.Work = in.keys.CheckWork(s.Token, s.Bucket, s.Solution)
	}
}

// Accept renders and stores what Check returned. When it returns without an
// error the comment is on disk, together with the event that brings it to a
// moderator.
func (in *Intake) Accept(ctx context.Context, n postil.NewComment) (postil.Receipt, error) {
	n.HTML = markup.Render(n.Text)
	n.TextHash = markup.FingerprintHTML(n.HTML)
	n.Nonce = token.NewNonce()
	var then postil.Rule
	if n.Trusted {
		then = in.door.AtOnce(n.By)
	}
	stored, err := in.shelf.AddComment(ctx, n, then)
	if err != nil {
		return postil.Receipt{}, err
	}
	return in.receipt(stored), nil
}

// Again returns the receipt of a comment that was sent before, found: false for
// a new one. It stores nothing, so that whoever limits new comments can answer a
// double click as kindly as the first.
func (in *Intake) Again(ctx context.Context, n postil.NewComment) (r postil.Receipt, found bool, err error) {
	stored, found, err := in.shelf.SentBefore(ctx, n)
	if err != nil || !found {
		return r, false, err
	}
	return in.receipt(stored), true, nil
}

func (in *Intake) receipt(stored postil.Stored) postil.Receipt {
	c := stored.Comment
	return postil.Receipt{Comment: c, EditKey: in.keys.EditKey(c.ID, c.Nonce), Bookmark: stored.Version,
		Replayed: stored.Replayed, EditableUntil: c.EditableUntil(in.bounds.EditWindow(c.Site))}
}

// Reply posts an approved answer as the blog's author, and approves the
// comment that is answered when it is pending.
func (in *Intake) Reply(ctx context.Context, id postil.CommentID, text string, by postil.By) (postil.Receipt, error) {
	clean, err := postil.CleanText(text)
	if err != nil {
		return postil.Receipt{}, err
	}
	c, err := in.shelf.Comment(ctx, id)
	if err != nil {
		return postil.Receipt{}, err
	}
	if err := answerable(c); err != nil {
		return postil.Receipt{}, err
	}
	if c.Status == postil.Pending {
		out, err := in.door.Decide(ctx, postil.DecisionRequest{Comment: id, Verb: postil.Approve, By: by, Reason: "answered", Expect: postil.Pending})
		if err != nil && out.Status != postil.Approved { // a colleague who was faster is no trouble
			return postil.Receipt{}, err
		}
	}
	name, err := postil.CleanName(by.Name)
	if err != nil {
		name = "Author"
	}
	return in.Accept(ctx, postil.NewComment{Site: c.Site, Post: postil.PostRef{ID: c.Post}, Parent: id, Text: clean, Trusted: true, By: by,
		Author: postil.Author{Name: name, Badge: postil.AuthorBadge},
		Replay: postil.Replay{Twin: in.keys.TwinHash(string(c.Site), by.Actor, string(c.Post), id.String(), clean)}})
}

// answerable refuses an answer before the approval, which would stand alone.
func answerable(c postil.Comment) error {
	switch {
	case c.Status != postil.Pending && c.Status != postil.Approved:
		return &postil.Error{Kind: postil.Conflict, Sentence: "The comment is " + string(c.Status) + ", so nobody would see what is answered. Approve it first."}
	case c.Depth >= postil.MaxDepth:
		return postil.InvalidField("parent_id", "This conversation is as deep as it can get. Answer a comment further up instead.")
	}
	return nil
}
