package postil

import "time"

// Change is what a rule wants done to a comment. The store applies it in one
// transaction together with the decision log, the version of the thread and
// the events; it knows no rule of its own.
type Change struct {
	Verb     Verb   // "" when no decision is logged (an author's edit)
	To       Status // the status afterwards
	By       By
	Reason   string
	Batch    string
	Undoes   DecisionID
	Draft    DraftMove   // what happens to a waiting edit, before the two below
	Text     *TextChange // a new public text
	Edited   *time.Time  // when Text was written, zero for an unedited one; nil: now
	NewDraft *TextChange // a new text that waits beside the public one
	Name     string      // a moderator's correction of the name; "" keeps it
	Parent   *CommentID  // what it answers from now on, 0 for nothing; nil keeps it
	Checks   *Conclusion // set by the pipeline: stored with the change
	Review   ReviewMove  // what happens to the review task
	Resubmit bool        // run the checks again: Checked is cleared and comment.submitted emitted
}

// Correction is what a moderator changes of a comment.
type Correction struct {
	Text, Name string     // "" keeps it
	Parent     *CommentID // nil keeps it, 0 makes it a root
	Revision   int        // of the text that the moderator has read; 0: any
}

// TextChange is a text with its rendering and the hash of its folded form.
type TextChange struct {
	Text, HTML, Hash string
}

// DraftMove says what happens to a waiting edit.
type DraftMove int

// The moves of a draft.
const (
	KeepDraft  DraftMove = iota
	ApplyDraft           // it becomes the text
	DropDraft            // it is forgotten
)

// ReviewMove says what happens to the review task of a comment.
type ReviewMove int

// The moves of a review task.
const (
	KeepReview  ReviewMove = iota
	OpenReview             // open it (again) and ask for it; no second task when it is open
	CloseReview            // nothing is left to decide
)

// Conclusion is what the pipeline found.
type Conclusion struct {
	Verdict  Verdict
	Findings []Finding
	Doubt    float64 // of VerdictSpam: how likely it is wrong, 0 to 1
}

// Rule looks at a comment inside the transaction and says what is to be done:
// nil for nothing. last is the latest decision, zero when there is none.
type Rule func(c Comment, last Decision) (*Change, error)

// Detail is a comment with everything a moderator may know.
type Detail struct {
	Comment Comment
	Post    Post
	Parent  *Comment
	Review  Review // zero when there never was a task
	History []Decision
	Record  AuthorRecord
}

// AuthorRecord is what the site remembers of a comment's author, found by
// device or account, never by a typed name.
type AuthorRecord struct {
	Approved, Rejected, Spam int
	FirstSeen                time.Time
}

// Memory is what the checks may know beside the comment itself.
type Memory struct {
	Site      Site
	Record    AuthorRecord
	SameText  int       // comments of other devices or posts with the same folded text in the last day
	SpamTexts int       // comments with that text that were marked as spam in the last week
	SpamAt    time.Time // when the last of these was written
	NameSeen  bool      // somebody of this name wrote here before, which proves nothing
	Traces    Traces    // of the actor and its network before the comment
	Rulings   []Ruling  // in force about who wrote it
	RulesMark string    // changes with every rule; "" while there is none
}

// CommentFilter selects comments for a moderator.
type CommentFilter struct {
	Sites    []SiteID // empty: all
	Statuses []Status // empty: all
	Post     PostID   // "": all
	Query    string   // words and "phrases" in text, name or post, in any script
	Author   string   // device hash, actor, user id or mail address
	Network  string   // keyed hash of a network
	Host     string   // that text or author link to, or a domain above it; lower case and punycode
	From, To time.Time
	NeedsYou bool // only open review tasks, oldest first
	ByDoubt  bool // only what the checks stopped as spam, the most doubtful first
	Limit    int  // 1 to 200
	Cursor   string
}

// CommentPage is a page of a moderator's list, newest first.
type CommentPage struct {
	Comments []Comment
	Next     string
}

// Stored is the answer to adding a comment.
type Stored struct {
	Comment  Comment
	Version  int64 // of the thread, handed to the writer as bookmark
	Replayed bool  // the comment was there already
}
