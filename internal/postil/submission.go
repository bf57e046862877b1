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
	Solution string // of the challenge of Form, a decimal number

	IdempotencyKey string // as sent, "" without one
	BodyHash       string // hex SHA-256 of the request body
	Actor          string // daily keyed hash of the address
	Network        string // keyed hash of the network
	Bucket         string // keyed hash of the client that is not stored; challenges are bound to it
	UserAgent      string // as sent
	Proxy          string // what a trusted proxy has against the sender, in words

	As *Byline // a key with the right to post as the blog's author; nil for readers
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
	Work     *Work  // what must be worked out before the form is sent; nil for nothing
	Limits   Limits

	Reactions []string // emoji that comments of the site take, in order
}

// FormRequest asks for the form under a post.
type FormRequest struct {
	Site    SiteID
	Post    string // key or address
	Actor   string // hashes of who asks, see Submission
	Network string
	Bucket  string
}

// Work is a proof of work: the sender looks for a decimal number of at most 20
// digits for which the SHA-256 of Challenge, a colon and the number begins with
// Bits zero bits, and sends it as Solution. It takes about 2 to the power of
// Bits tries. Whoever sends none waits for a person, and nothing worse.
type Work struct {
	Challenge string
	Bits      int
}

// Traces are what somebody and his neighbourhood left behind within a day.
type Traces struct {
	Spam    int // comments of this actor that were marked as spam
	Traps   int // comments of this actor with the trap field filled in
	Burst   int // comments of this actor within the last ten minutes
	Nearby  int // comments of the whole network that were marked as spam
	Crowded int // comments of the whole network within the last ten minutes
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
