package postil

// Status is where a comment stands. Only Approved is public.
type Status string

// The closed set of statuses.
const (
	Pending  Status = "pending"
	Approved Status = "approved"
	Rejected Status = "rejected"
	Spam     Status = "spam"
	Deleted  Status = "deleted"
)

// Statuses returns the closed set in the order a comment usually meets it.
func Statuses() []Status { return []Status{Pending, Approved, Rejected, Spam, Deleted} }

// Valid reports whether s is one of the closed set.
func (s Status) Valid() bool {
	switch s {
	case Pending, Approved, Rejected, Spam, Deleted:
		return true
	}
	return false
}

// Verb is what a decision does to a comment.
type Verb string

// The closed set of verbs. UndoneVerb is only ever
// made by undoing a decision, EditedVerb by correcting a comment.
const (
	Approve    Verb = "approve"
	Reject     Verb = "reject"
	MarkSpam   Verb = "spam"
	Delete     Verb = "delete"
	Restore    Verb = "restore"
	UndoneVerb Verb = "undo"
	EditedVerb Verb = "edit" // a moderator corrected text or name
)

// ParseVerb returns the verb that a person may ask for, or an Invalid error.
func ParseVerb(s string) (Verb, error) {
	switch v := Verb(s); v {
	case Approve, Reject, MarkSpam, Delete, Restore:
		return v, nil
	}
	return "", InvalidField("decision", "A decision is one of approve, reject, spam, delete and restore.")
}

// After says where a comment in status s stands after v. before is the status
// that it had before it was deleted; it matters to Restore alone. From every
// status each verb is allowed; when the comment is there already, changed is
// false and nothing is wrong: people tap twice and queues deliver again.
// Restore of a comment that is not deleted changes nothing.
func (s Status) After(v Verb, before Status) (next Status, changed bool) {
	switch v {
	case Approve:
		next = Approved
	case Reject:
		next = Rejected
	case MarkSpam:
		next = Spam
	case Delete:
		next = Deleted
	default:
		next = s
		if s == Deleted && before.Valid() {
			next = before
		}
	}
	return next, next != s
}

// Visibility is what readers see of a comment; it follows from its status, its
// ancestors and its descendants, and is kept beside it so that a page is read
// by index alone.
type Visibility int

// The closed set of visibilities.
const (
	Hidden    Visibility = 0 // in no public answer
	Shown     Visibility = 1 // listed and counted
	Tombstone Visibility = 2 // deleted, but with shown replies: listed without content, not counted
)
