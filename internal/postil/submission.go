package postil

import "time"

// Submission is a comment as it was sent, before anything in it was checked.
type Submission struct {
	Site     SiteID
	Post     string // key or address of the post
	ParentID string // "" for a root
	Name     string
	Email    string
	Website  string
	Text     string
	Title    string // what the page calls itself
	URL      string // where the page says it stands
	Device   string // the random key of the author's device
	Notify   bool   // mail me when somebody answers

	HasForm  bool   // the form's fields were sent at all
	Token    string // from Form
	Trap     string // what stood in the trap field; a person leaves it empty
	Solution string // of a proof-of-work challenge

	IdempotencyKey string // as sent, "" without one
	BodyHash       string // hex SHA-256 of the request body
	Actor          string // daily keyed hash of the address
	Network        string // keyed hash of the network
	UserAgent      string // as sent

	As *By // a key with the right to post as the blog's author; nil for readers
}

// Receipt is what the sender of a comment gets.
type Receipt struct {
	Comment       Comment
	EditKey       string // "" when nobody may edit it with a key
	Bookmark      int64  // version of the thread: ask for one at least that new
	Replayed      bool   // it had been stored before
	EditableUntil time.Time
}

// Own is a comment as its own author sees it.
type Own struct {
	Comment       Comment
	Shown         Status // what the author is told: spam shows as pending
	EditableUntil time.Time
}

// Form is what an embedded form needs before a comment can be sent with it.
type Form struct {
	Token    string // signed, for one use within a day
	Trap     string // name of the field that people leave empty
	Closed   bool   // the post takes no comments
	Lockdown bool   // the site takes no comments
	Limits   Limits
}

// Limits are the longest inputs, in characters, and the deepest reply.
type Limits struct {
	Text    int
	Name    int
	Website int
	Title   int
	Post    int
	Depth   int
}

// DefaultLimits returns the limits that this package checks.
func DefaultLimits() Limits {
	return Limits{Text: MaxText, Name: MaxName, Website: MaxWebsite, Title: MaxTitle, Post: MaxPostKey, Depth: MaxDepth}
}
