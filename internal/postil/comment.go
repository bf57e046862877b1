package postil

import (
	"strconv"
	"time"
)

// SiteID is the key of a site, chosen by its operator: a–z, 0–9, "-" and "_".
type SiteID string

// PostID is the key of a post within its site, see PostRules.
type PostID string

// CommentID numbers comments over all sites; at the API it is a string.
type CommentID int64

// String returns the id as the API writes it.
func (id CommentID) String() string { return strconv.FormatInt(int64(id), 10) }

// ParseCommentID reads an id as the API writes it. Anything else is an id that
// does not exist.
func ParseCommentID(s string) (CommentID, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != s {
		return 0, Missing()
	}
	return CommentID(n), nil
}

// AuthorBadge marks what the blog's own author wrote.
const AuthorBadge = "author"

// Author is who wrote a comment, as typed and checked. Email is never public.
type Author struct {
	Name    string
	Email   string // "" when not given
	Website string // canonical, "" when not given; see CleanWebsite
	Badge   string // "author" for the blog's author, else ""
}

// Origin is where a comment came from, in hashes that cannot be turned back
// into addresses, and what the request said of itself.
type Origin struct {
	Actor     string // daily keyed hash of the address (IPv6: its /64)
	Network   string // keyed hash of the /24 or /48
	Device    string // keyed hash of the device key, "" without one
	UserAgent string // as sent, at most 400 bytes, control characters removed
}

// Comment is one comment with everything the service knows of it.
type Comment struct {
	ID        CommentID
	Site      SiteID
	Post      PostID
	Parent    CommentID // 0: a root
	Root      CommentID // the root it hangs under; itself for a root
	Depth     int       // 0 for a root
	Author    Author
	UserID    string // "" for an anonymous author
	Origin    Origin
	Text      string // source, byte for byte as typed
	HTML      string // safe, rendered from Text
	Status    Status
	Before    Status // the status before the last deletion, "" when never deleted
	Created   time.Time
	Edited    time.Time      // zero: never
	Checked   time.Time      // zero: the checks have not finished
	Nonce     string         // makes the edit key
	Revision  int            // grows with each new text, waiting or public
	Draft     *Draft         // an edit that waits for clearance while Text stays public
	Verdict   Verdict        // what the checks concluded
	Findings  []Finding      // what the checks said
	Replies   int            // listed replies
	Score     int            // distinct people who reacted
	Reactions map[string]int // how often each, by EmojiKey
	Reports   int            // by readers, that nobody has decided about
	Page      PostRef        // what its sender said of the page; not public before the comment is
	Visible   Visibility     // what readers see of it
	UserGone  bool           // the account that wrote it was erased
	FormState FormState      // what the form token and the trap field told
}

// Draft is a new text for an approved comment, not public before it is cleared.
type Draft struct {
	Text, HTML string
	At         time.Time
}

// FormState is what the embedded form told about who filled it. It never
// refuses anybody; it is material for checks.
type FormState struct {
	Token  string        // "ok", "missing", "expired", "reused" or "foreign"
	Filled time.Duration // from the token to the post; 0 without a token
	Trap   bool          // the hidden field was filled
	Work   string        `json:",omitempty"` // of a proof of work that was asked for: "ok", "missing" or "wrong"; else ""
	Proxy  string        `json:",omitempty"` // what a trusted proxy has against the sender, in words; "" for nothing
}

// NewComment is a comment that is about to be stored.
type NewComment struct {
	Site     SiteID
	Post     PostRef
	Parent   CommentID
	Author   Author
	Origin   Origin
	Text     string
	HTML     string
	Form     FormState
	FormKey  string // hash of the form token, to be used once; "" without one
	Nonce    string // makes the edit key
	TextHash string // of the folded text, to find repetition
	Trusted  bool   // posts as the blog's author: approved at once
	Client   string // keyed hash of the client's address for limits; never stored
	Replay   Replay
	By       By // who posts when Trusted
}

// PostRef names a post and what a visitor says of it.
type PostRef struct {
	ID    PostID
	Title string
	URL   string
}

// Replay recognises a request that was sent before.
type Replay struct {
	Key  string // hash of actor and Idempotency-Key, "" without one
	Body string // hash of the request body
	Twin string // hash of device or actor, post, parent and text
}

// EditableUntil returns when the author's right to edit ends.
func (c *Comment) EditableUntil(window time.Duration) time.Time { return c.Created.Add(window) }
