package postil

import "time"

// KnownBy returns by what the author of a comment can be known again: the
// account, else the device. ok is false when there is nothing but a typed name.
func (c *Comment) KnownBy() (s Subject, ok bool) {
	switch {
	case c.UserID != "":
		return Subject{Kind: OnUser, Value: c.UserID}, true
	case c.Origin.Device != "":
		return Subject{Kind: OnDevice, Value: c.Origin.Device}, true
	}
	return Subject{}, false
}

// KnownAuthor is somebody who wrote on a site, as moderators know them.
type KnownAuthor struct {
	Site   SiteID
	Known  Subject        // OnUser or OnDevice
	Last   Author         // as they called themselves last
	Names  []string       // that their latest comments bear, the newest first; of a single author alone
	Counts map[Status]int // of their comments
	First  time.Time      // when they wrote first
	Seen   time.Time      // and last
	Rules  []Ruling       // about them, those that are over included
}

// AuthorFilter selects authors of a site, whoever wrote last first.
type AuthorFilter struct {
	Site   SiteID
	Query  string // in the name they used last, or their mail address; "": all
	Limit  int    // 1 to 200
	Cursor string
}

// AuthorPage is a page of authors. It may end early, with a cursor, when many
// comments were looked at to fill it.
type AuthorPage struct {
	Authors []KnownAuthor
	Next    string
}
