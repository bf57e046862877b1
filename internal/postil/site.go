package postil

import (
	"regexp"
	"time"
)

// Policy says what happens to a comment against which nothing speaks.
type Policy string

// The policies of this version, see Conclude in the moderation room.
const (
	HoldAll      Policy = "hold-all"
	FirstComment Policy = "first-comment"
	ByScore      Policy = "score"
	Open         Policy = "open"
)

// ParsePolicy returns the policy named s, or an Invalid error.
func ParsePolicy(s string) (Policy, error) {
	switch p := Policy(s); p {
	case HoldAll, FirstComment, ByScore, Open:
		return p, nil
	}
	return "", InvalidField("policy", "A policy is hold-all, first-comment, score or open.")
}

// Site is one blog.
type Site struct {
	ID       SiteID
	Name     string
	Policy   Policy
	Origins  []string // scheme://host[:port], canonical; the first is the blog's own address
	Blocked  []string // words and phrases that hold a comment on this site
	MaxLinks int      // links a comment may have before it is held
	Lockdown bool     // hold everything, accept nothing new from readers
	Created  time.Time

	Reactions      []string // emoji that comments take, in order; nil of a new site: DefaultReactions
	HeldEverywhere []string // words and phrases that hold a comment on every site
}

var siteIDPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// ParseSiteID checks the key of a new site.
func ParseSiteID(s string) (SiteID, error) {
	if !siteIDPattern.MatchString(s) {
		return "", InvalidField("key", "A site's key has 1 to 64 of a–z, 0–9, “-” and “_” and begins with a letter or digit, for example “blog”.")
	}
	return SiteID(s), nil
}

// Post is one page of a site.
type Post struct {
	Site     SiteID
	ID       PostID
	Title    string
	URL      string
	TitledBy string // "visitor" or "admin": whose word the title and URL are
	Closed   bool
	Version  int64 // grows with every change that readers can see
	Count    int   // shown comments
	Roots    int   // listed roots
	Created  time.Time
}

// ForReaders hides what a visitor said of a post for as long as none of its
// comments is shown: nobody stands for it any more.
func (p Post) ForReaders() Post {
	if p.TitledBy == "visitor" && p.Count == 0 {
		p.Title, p.URL = "", ""
	}
	return p
}

// Beside is the post for moderators who look at one of its comments: with what
// the comment's sender said of it where no admin and no public comment has.
func (p Post) Beside(c Comment) Post {
	p = p.ForReaders()
	if p.Title == "" {
		p.Title = c.Page.Title
	}
	if p.URL == "" {
		p.URL = c.Page.URL
	}
	return p
}

// PostChange is what a moderator sets on a post; nil leaves a member alone.
type PostChange struct {
	Title, URL *string
	Closed     *bool
}
