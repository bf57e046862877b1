package postil

import (
	"strconv"
	"time"
)

// Role says what somebody may do: a moderator decides, replies and reads, an
// admin may do everything.
type Role string

// The roles.
const (
	ModeratorRole Role = "moderator"
	AdminRole     Role = "admin"
)

// ParseRole reads a role.
func ParseRole(s string) (Role, error) {
	switch r := Role(s); r {
	case ModeratorRole, AdminRole:
		return r, nil
	}
	return "", InvalidField("role", "A role is admin or moderator.")
}

// AuthorScope lets a key post as a named author.
const AuthorScope = "author"

// APIKey is what is known of a key for the REST API; the key itself is shown
// once and never kept.
type APIKey struct {
	ID       int64
	Name     string
	Role     Role
	Scope    string // AuthorScope or ""
	Site     SiteID // "": every site
	Created  time.Time
	LastUsed time.Time // zero: never
	Revoked  time.Time // zero: in force

	Pen Pen // of a key with AuthorScope
}

// Pen is how a key with the scope author writes.
type Pen struct {
	Author    string // the name its comments stand under; "": each says its own
	Badge     string // beside the name; "": AuthorBadge
	Checked   bool   // its comments go through the checks as a reader's do
	PerMinute int    // how many it may write; 0: as readers may
	PerHour   int
}

// Limited reports whether the key has limits of its own.
func (p Pen) Limited() bool { return p.PerMinute > 0 || p.PerHour > 0 }

// Byline is somebody who writes with a key.
type Byline struct {
	By   By
	Site SiteID // "": every site
	Pen  Pen
}

// Label returns the id as the API writes it.
func (k APIKey) Label() string { return strconv.FormatInt(k.ID, 10) }

// By returns the key as somebody who decides.
func (k APIKey) By() By { return By{Channel: ByREST, Actor: "key:" + k.Label(), Name: k.Name} }

// Moderator is a person who may decide from Telegram.
type Moderator struct {
	ID           int64
	Name         string
	Role         Role
	Site         SiteID // "": every site
	TelegramUser int64  // 0: not linked yet
	Created      time.Time
	Revoked      time.Time // zero: in force
}

// Actor returns the stable id under which the moderator decides.
func (m Moderator) Actor() string { return "moderator:" + strconv.FormatInt(m.ID, 10) }

// Card is the Telegram message that asks for a decision, one for each comment
// and chat.
type Card struct {
	ID       int64
	Comment  CommentID
	Chat     int64
	Message  int64  // 0: not sent yet
	Shows    string // what the message says now, to tell whether it is stale: "status:revision:decision:hash"
	Attempts int    // failures since the last success
	Problem  string // why the last attempt failed, in words
	Final    bool   // the message can no longer be edited
	Sent     time.Time
	Sending  bool  // a message was on its way when this was last written
	After    int64 // with Sending: the highest message id that was known in the chat before
	StoodIn  int64 // the group that Message was sent to before it became Chat; 0: Chat itself
	Grouped  bool  // it stands or stood on a board
}

// Board is one Telegram message that stands for many comments of a burst.
type Board struct {
	ID       int64
	Chat     int64
	Message  int64  // 0: not sent yet
	Shows    string // what the message says now, to tell whether it is stale
	Batch    string // of the last bulk decision taken from it
	Undone   bool   // that batch was taken back
	Walking  bool   // its comments are shown one by one
	Attempts int
	Created  time.Time
	Grown    time.Time // when the last comment joined
}

// BoardItem is a comment on a board.
type BoardItem struct {
	Comment Comment
	Card    int64
	Apart   bool // it has a card of its own since
	Open    bool // a person is to decide
}

// Chat is what is known of a Telegram chat.
type Chat struct {
	ID         int64
	MovedTo    int64 // the supergroup that a group became, 0: none
	Problem    string
	Failures   int
	RetryAt    time.Time // zero: no trouble
	Language   string    // of the person behind a private chat, as Telegram calls it; "": unknown
	MutedUntil time.Time // no new cards before; zero: not muted
}
