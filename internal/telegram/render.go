package telegram

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// Shares of a message, in UTF-16 units. What is left belongs to the text.
const (
	titleUnits  = 200
	nameUnits   = 130
	hostUnits   = 80
	parentUnits = 160
	whyUnits    = 400
	longText    = 600  // above this a quote folds
	plainUnits  = 1500 // of a text in the card that is sent when nothing else gets through
	cutReserve  = 400  // for the line below a cut text
)

// view is what a card says about a comment as it is stored now.
type view struct {
	HTML  string
	Plain string // the same in short and without markup, when Telegram refuses HTML
	Note  string // one line of HTML, when the card itself cannot be edited
	Keys  [][]button
	Shows string // tells whether a message is out of date; see postil.Card
	Asks  bool   // a person is to decide
}

// see makes the view of a comment. pageOf returns the moderators' address of a
// whole comment, "" for none.
func see(d postil.Detail, site postil.Site, pageOf func(postil.CommentID) string) view {
	v := view{
		Note: note(d),
		Keys: keyboard(d),
		Asks: d.Comment.Status == postil.Pending || d.Review.Open,
	}
	whole := pageOf(d.Comment.ID)
	if whole == "" {
		whole = permalink(d)
	}
	v.HTML, v.Plain = card(d, site, whole), plainCard(d, site, whole)
	keys, _ := json.Marshal(v.Keys)
	sum := sha256.Sum256([]byte(v.HTML + "\x00" + string(keys)))
	last := postil.DecisionID(0)
	for _, h := range d.History {
		last = max(last, h.ID)
	}
	v.Shows = fmt.Sprintf("%s:%d:%d:%s", d.Comment.Status, d.Comment.Revision, last, base64.RawURLEncoding.EncodeToString(sum[:9]))
	return v
}

// card puts the parts together: what stands above and below is measured first,
// and the text gets the room between.
func card(d postil.Detail, site postil.Site, whole string) string {
	var top, bottom page
	heading(&top, d, site)
	ending(&bottom, d)
	room := maxMessage - top.used - bottom.used
	var middle page
	if draft := d.Comment.Draft; draft == nil {
		quote(&middle, clean(d.Comment.Text), room, whole)
	} else {
		middle.text("Readers see:\n")
		old := clean(d.Comment.Text)
		quote(&middle, old, max((room-60)/2, room-60-units(clean(draft.Text))-cutReserve), whole)
		middle.text("\nThe author's new text:\n")
		quote(&middle, clean(draft.Text), room-middle.used, whole)
	}
	return top.out.String() + middle.out.String() + bottom.out.String()
}

func heading(p *page, d postil.Detail, site postil.Site) {
	c := d.Comment
	p.text(line(siteName(site, c), titleUnits) + " · ")
	p.link(line(title(d), titleUnits), permalink(d))
	p.text("\n")
	p.in("b", line(c.Author.Name, nameUnits))
	p.text(" · " + history(c, d.Record))
	if host := websiteHost(c.Author.Website); host != "" {
		p.text(" · " + host)
	}
	p.text("\n")
	if d.Parent != nil {
		p.in("blockquote", line("↪ "+d.Parent.Author.Name+": "+markup.Excerpt(d.Parent.Text, parentUnits), parentUnits+nameUnits))
		p.text("\n")
	}
}

func ending(p *page, d postil.Detail) {
	c := d.Comment
	if why := postil.Why(c.Verdict, c.Findings); why != "" && (c.Status == postil.Pending || c.Draft != nil) {
		p.text("\n")
		p.in("i", line(why, whyUnits))
	}
	if s := standing(d); s != "" {
		p.text("\n" + s)
	}
	if c.Draft != nil && c.Status == postil.Approved {
		p.text("\n✏️ The old text stays public until somebody decides.")
	}
}

// quote adds a text in at most room units, with a line that leads to the rest
// when it had to be cut.
func quote(p *page, text string, room int, whole string) {
	tag := "blockquote"
	if units(text) > longText {
		tag = "blockquote expandable"
	}
	if units(text) <= room {
		p.in(tag, text)
		return
	}
	p.in(tag, clip(text, room-cutReserve))
	p.text("\n… whole text: ")
	if address := clip(whole, cutReserve-60); linkable(whole) {
		p.link("open it", whole)
	} else {
		p.text(address)
	}
}

func plainCard(d postil.Detail, site postil.Site, whole string) string {
	c := d.Comment
	parts := []string{
		line(siteName(site, c), titleUnits) + " · " + line(title(d), titleUnits),
		line(c.Author.Name, nameUnits) + " · " + history(c, d.Record),
		clip(clean(c.Text), plainUnits),
	}
	if c.Draft != nil {
		parts = append(parts, "The author's new text:", clip(clean(c.Draft.Text), plainUnits))
	}
	if s := standing(d); s != "" {
		parts = append(parts, s)
	}
	return strings.Join(append(parts, clip(whole, hostUnits*4)), "\n")
}

// note says in one line how a comment stands.
func note(d postil.Detail) string {
	var p page
	s := standing(d)
	if s == "" {
		s = "This comment waits again"
	}
	p.text(s + " — ")
	p.in("b", line(d.Comment.Author.Name, nameUnits))
	p.text(" on ")
	p.link(line(title(d), titleUnits), permalink(d))
	return p.out.String()
}

func siteName(site postil.Site, c postil.Comment) string {
	if site.Name != "" {
		return site.Name
	}
	return string(c.Site)
}

func title(d postil.Detail) string {
	if t := line(d.Post.Title, titleUnits); t != "" {
		return t
	}
	return string(d.Comment.Post)
}

// permalink is where the comment stands, or will stand, on the blog; "" when
// nobody said where the post is.
func permalink(d postil.Detail) string {
	if !webAddress(d.Post.URL) {
		return ""
	}
	address, _, _ := strings.Cut(d.Post.URL, "#")
	return address + "#postil-" + d.Comment.ID.String()
}

func webAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// linkable reports whether Telegram makes a link of an address: it takes no
// host without a dot and drops such a link without a word.
func linkable(s string) bool {
	u, err := url.Parse(s)
	return err == nil && webAddress(s) && strings.Contains(strings.Trim(u.Hostname(), "."), ".")
}

func websiteHost(website string) string {
	host, _, _ := strings.Cut(postil.OriginHost(postil.ShowWebsite(website)), "/")
	host, _, _ = strings.Cut(host, "?")
	host, _, _ = strings.Cut(host, "#")
	return line(host, hostUnits)
}

// history says in a few words what the site remembers of an author.
func history(c postil.Comment, r postil.AuthorRecord) string {
	if c.Origin.Device == "" && c.UserID == "" {
		return "unknown device"
	}
	if r.FirstSeen.IsZero() {
		return "first comment"
	}
	var parts []string
	for _, n := range []struct {
		count int
		word  string
	}{{r.Approved, "approved"}, {r.Rejected, "rejected"}, {r.Spam, "spam"}} {
		if n.count > 0 {
			parts = append(parts, postil.Thousands(n.count)+" "+n.word)
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing decided yet")
	}
	return strings.Join(append(parts, "first seen "+r.FirstSeen.UTC().Format(time.DateOnly)), ", ")
}
