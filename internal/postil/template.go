package postil

import (
	"strconv"
	"strings"
	"time"
)

// ReplyTemplate is an answer that moderators keep for what comes again.
type ReplyTemplate struct {
	ID      int64
	Site    SiteID // "": for every site
	Name    string
	Text    string // with the variables of Blanks
	Created time.Time
	Updated time.Time
}

// Label returns the id as the API writes it.
func (t ReplyTemplate) Label() string { return strconv.FormatInt(t.ID, 10) }

// Blanks are what the variables of a reply template stand for.
type Blanks struct {
	Name string // {name}: who is answered
	Post string // {post}: what the post is called
	URL  string // {url}: where it stands
	Site string // {site}: what the site is called
	Me   string // {me}: who answers
}

// BlankNames are the variables, as they are written.
func BlankNames() []string { return []string{"{name}", "{post}", "{url}", "{site}", "{me}"} }

// Fill puts values in the place of variables. What a value holds is never a
// variable, and what is none stays as it is.
func (t ReplyTemplate) Fill(b Blanks) string {
	return strings.NewReplacer("{name}", b.Name, "{post}", b.Post, "{url}", b.URL, "{site}", b.Site, "{me}", b.Me).Replace(t.Text)
}
