package postil

import "time"

// Session is one browser that is signed in to the admin page. Name, Role,
// Scope and Site are those of its owner at the moment it was read.
type Session struct {
	ID        int64
	Moderator int64  // the owner, 0 when it is a key
	Key       int64  // the owner, 0 when it is a moderator
	Mark      string // set when the owner is the admin key given as a setting
	Name      string
	Role      Role
	Scope     string
	Site      SiteID // "": every site
	Agent     string // what the browser calls itself
	Created   time.Time
	Seen      time.Time // to the minute
	Ends      time.Time // whatever happens
}

// Owner returns the stable id under which the owner decides; the same one as
// by any other way in.
func (s Session) Owner() string {
	switch {
	case s.Moderator != 0:
		return Moderator{ID: s.Moderator}.Actor()
	case s.Key != 0:
		return APIKey{ID: s.Key}.By().Actor
	}
	return "key:bootstrap"
}
