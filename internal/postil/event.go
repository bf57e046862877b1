package postil

import "time"

// EventID numbers the events of one store in the order of their transactions.
type EventID int64

// EventKind says what happened.
type EventKind string

// The kinds of events. Each is written to the outbox in the transaction that
// makes it true.
const (
	CommentSubmitted EventKind = "comment.submitted" // stored or edited; the checks are due
	ReviewRequested  EventKind = "review.requested"  // a person must decide
	CommentDecided   EventKind = "comment.decided"   // a decision changed a status
	CommentUpdated   EventKind = "comment.updated"   // a public comment changed its text, name or place
	CommentReacted   EventKind = "comment.reacted"   // readers see other numbers beside a comment
	CommentReported  EventKind = "comment.reported"  // a reader says that a public comment should not be
	ThreadUpdated    EventKind = "thread.updated"    // the post changed: closed, renamed
	SiteUpdated      EventKind = "site.updated"      // the settings of a site changed
	NoticeRaised     EventKind = "notice.raised"     // moderators should know, nothing to decide
	ConfigChanged    EventKind = "config.changed"    // an entry of the configuration has another value
	FlagChanged      EventKind = "flag.changed"      // a feature flag has
	AlertRaised      EventKind = "alert.raised"      // something is said of trouble of the service's own
)

// NoticeKind says what moderators should know.
type NoticeKind string

// The notices.
const (
	Reminder   NoticeKind = "reminder"   // comments of the site wait for long
	Escalation NoticeKind = "escalation" // nobody decided about the comment; the next chat is asked

	DailySummary  NoticeKind = "summary.daily"  // how the site is doing
	WeeklySummary NoticeKind = "summary.weekly" // the same, with the stops that are most in doubt
)

// Event is something that happened, announced through the outbox. It carries
// ids and no content: whoever acts on it reads the store, which is the truth.
type Event struct {
	ID       EventID    `json:"id"`
	Kind     EventKind  `json:"kind"`
	Site     SiteID     `json:"site"`
	Post     PostID     `json:"post"`
	Comment  CommentID  `json:"comment,omitempty"`
	Decision DecisionID `json:"decision,omitempty"`
	From     Status     `json:"from,omitempty"`     // CommentDecided: status before
	To       Status     `json:"to,omitempty"`       // CommentDecided: status after
	Version  int64      `json:"version,omitempty"`  // version of the thread after the change; 0 when readers see no change
	Notice   NoticeKind `json:"notice,omitempty"`   // NoticeRaised: what moderators should know
	Setting  string     `json:"setting,omitempty"`  // ConfigChanged, FlagChanged: its name
	Incident int64      `json:"incident,omitempty"` // AlertRaised: which
	Phase    Phase      `json:"phase,omitempty"`    // AlertRaised: whether it begins, goes on or ends
	Moved    bool       `json:"moved,omitempty"`    // ThreadUpdated: the key leads elsewhere now; whoever listens must listen anew
	At       time.Time  `json:"at"`
}

// PublicChange returns what readers are told of e: "comment.approved",
// "comment.updated", "comment.removed" or "thread.updated"; "" when the event
// changes nothing that they can see.
func (e Event) PublicChange() string {
	switch {
	case e.Version == 0:
		return ""
	case e.Kind == CommentDecided && e.To == Approved:
		return "comment.approved"
	case e.Kind == CommentDecided && e.From == Approved:
		return "comment.removed"
	case e.Kind == CommentUpdated, e.Kind == CommentReacted:
		return "comment.updated"
	case e.Kind == ThreadUpdated, e.Kind == CommentDecided: // a tombstone came or went, with what is below it
		return "thread.updated"
	}
	return ""
}
