package telegram

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/words"
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
	Site  postil.SiteID
}

// see makes the view of a comment. pageOf returns the moderators' address of a
// whole comment, "" for none; more adds what concerns the author.
func see(d postil.Detail, site postil.Site, pageOf func(postil.CommentID) string, say words.Speech, more bool) view {
	v := view{
		Note: note(d, say),
		Keys: keyboard(d, say, more),
		Asks: d.Comment.Status == postil.Pending || d.Review.Open,
	}
	whole := pageOf(d.Comment.ID)
	if whole == "" {
		whole = permalink(d)
	}
	v.HTML, v.Plain = card(d, site, whole, say), plainCard(d, site, whole, say)
	keys, _ := json.Marshal(v.Keys)
	sum := sha256.Sum256([]byte(v.HTML + "\x00" + string(keys)))
	last := postil.DecisionID(0)
	for _, h := range d.History {
		last = max(last, h.ID)
	}
	v.Shows = fmt.Sprintf("%s:%d:%d:%s:%s", d.Comment.Status, d.Comment.Revision, last, base64.RawURLEncoding.EncodeToString(sum[:9]), sumOf(visible(v.HTML)))
	return v
}

// sumOf tells what Telegram shows of one message from what it shows of another.
func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// card puts the parts together: what stands above and below is measured first,
// and the text gets the room between.
func card(d postil.Detail, site postil.Site, whole string, say words.Speech) string {
	var top, bottom page
	heading(&top, d, site, say)
	ending(&bottom, d, say)
	room := maxMessage - top.used - bottom.used
	var middle page
	if draft := d.Comment.Draft; draft == nil {
		quote(&middle, clean(d.Comment.Text), room, whole, say)
	} else {
		readers, fresh := say.Say("card.readers")+"\n", "\n"+say.Say("card.new")+"\n"
		room -= units(readers) + units(fresh)
		middle.text(readers)
		before := middle.used
		quote(&middle, clean(d.Comment.Text), max(room/2, room-units(clean(draft.Text))-cutReserve), whole, say)
		room -= middle.used - before
		middle.text(fresh)
		quote(&middle, clean(draft.Text), room, whole, say)
	}
	return top.out.String() + middle.out.String() + bottom.out.String()
}

func heading(p *page, d postil.Detail, site postil.Site, say words.Speech) {
	c := d.Comment
	p.text(line(siteName(site, c), titleUnits) + " · ")
	p.link(line(title(d), titleUnits), permalink(d))
	p.text("\n")
	p.in("b", line(c.Author.Name, nameUnits))
	p.text(" · " + say.History(c, d.Record))
	if host := websiteHost(c.Author.Website); host != "" {
		p.text(" · " + host)
	}
	p.text("\n")
	if d.Parent != nil {
		p.in("blockquote", line("↪ "+d.Parent.Author.Name+": "+firstLine(d.Parent.Text), parentUnits+nameUnits))
		p.text("\n")
	}
}

func ending(p *page, d postil.Detail, say words.Speech) {
	c := d.Comment
	if why := say.Why(c.Verdict, c.Findings); why != "" && (c.Status == postil.Pending || c.Draft != nil || c.Reports > 0) {
		p.text("\n")
		p.in("i", line(why, whyUnits))
	}
	if s := standing(d, say); s != "" {
		p.text("\n" + s)
	}
	if c.Draft != nil && c.Status == postil.Approved {
		p.text("\n✏️ " + say.Say("card.edit"))
	}
}

// quote adds a text in at most room units, with a line that leads to the rest
// when it had to be cut.
func quote(p *page, text string, room int, whole string, say words.Speech) {
	tag := "blockquote"
	if units(text) > longText {
		tag = "blockquote expandable"
	}
	if units(text) <= room {
		p.in(tag, text)
		return
	}
	p.in(tag, clip(text, room-cutReserve))
	p.text("\n… " + say.Say("card.rest") + " ")
	if address := clip(whole, cutReserve-60); linkable(whole) {
		p.link(say.Say("card.open"), whole)
	} else {
		p.text(address)
	}
}

func plainCard(d postil.Detail, site postil.Site, whole string, say words.Speech) string {
	c := d.Comment
	parts := []string{
		line(siteName(site, c), titleUnits) + " · " + line(title(d), titleUnits),
		line(c.Author.Name, nameUnits) + " · " + say.History(c, d.Record),
		clip(clean(c.Text), plainUnits),
	}
	if c.Draft != nil {
		parts = append(parts, say.Say("card.new"), clip(clean(c.Draft.Text), plainUnits))
	}
	if s := standing(d, say); s != "" {
		parts = append(parts, s)
	}
	return strings.Join(append(parts, clip(whole, hostUnits*4)), "\n")
}

// note says in one line how a comment stands.
func note(d postil.Detail, say words.Speech) string {
	s := standing(d, say)
	if s == "" {
		s = say.Say("card.waits")
	}
	var p page
	p.sentence(say.Say("card.note"), map[string]func(*page){
		"standing": func(p *page) { p.text(s) },
		"name":     func(p *page) { p.in("b", line(d.Comment.Author.Name, nameUnits)) },
		"post":     func(p *page) { p.link(line(title(d), titleUnits), permalink(d)) },
	})
	return p.out.String()
}

// firstLine returns the first line of a text in which there is something.
func firstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(clean(text)), "\n")
	return markup.Excerpt(first, parentUnits)
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
