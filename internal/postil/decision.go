package postil

import (
	"strings"
	"time"
)

// Channel is the way a decision came in.
type Channel string

// The channels.
const (
	ByCheck    Channel = "check"
	ByTelegram Channel = "telegram"
	ByREST     Channel = "rest"
	ByConsole  Channel = "console"
	ByPage     Channel = "page"   // the admin page
	ByAuthor   Channel = "author" // the commenter, with the edit key
)

// By is who decided and how.
type By struct {
	Channel Channel
	Actor   string // a stable id: "telegram:42", "key:7", "check"
	Name    string // what other moderators read
}

// Person reports whether a human being decided (a REST key counts as one).
func (b By) Person() bool { return b.Channel != ByCheck }

// DecisionID numbers the decision log.
type DecisionID int64

// Decision is one line of the append-only decision log.
type Decision struct {
	ID       DecisionID
	Batch    string // shared by the decisions of one bulk request, else ""
	Comment  CommentID
	Site     SiteID
	Verb     Verb
	From     Status
	To       Status
	By       By
	Reason   string
	At       time.Time
	Undoes   DecisionID // the decision that this one took back, else 0
	UndoneBy DecisionID // the decision that took this one back, else 0

	TextBefore, TextAfter string    // set when the decision changed the text, or dropped the edit TextBefore
	EditedBefore          time.Time // of a decision that changed the text: when TextBefore was written, zero for an unedited one
	NameBefore, NameAfter string    // set when the decision changed the name
	Moved                 bool      // the decision put the comment elsewhere in its thread
	ParentBefore          CommentID // of one that Moved; 0: a root
	ParentAfter           CommentID
	ReviewWasOpen         bool // a person was being asked when it was taken
}

// Outcome is what a caller learns of a decision it asked for.
type Outcome struct {
	Comment  CommentID
	Status   Status
	Changed  bool
	Decision Decision // the one that made the status what it is; zero when nobody ever decided
}

// Verdict is what the pipeline of checks concludes.
type Verdict string

// The verdicts. The zero value means that the checks have not finished.
const (
	VerdictApprove Verdict = "approve"
	VerdictHold    Verdict = "hold"
	VerdictSpam    Verdict = "spam"
)

// Finding is what one check says against (or, with a negative weight, for) a
// comment.
type Finding struct {
	Check  string  `json:"check"`
	Weight float64 `json:"weight"`
	Reason string  `json:"reason"`      // words that complete "held: …"
	P      float64 `json:"p,omitempty"` // how likely it is spam, 0 to 1, where the check can say so
}

// Why puts findings into the one sentence that card, desk and API show; "" for
// none.
func Why(verdict Verdict, findings []Finding) string {
	reasons := make([]string, 0, len(findings))
	for _, f := range findings {
		reasons = append(reasons, f.Reason)
	}
	if len(reasons) == 0 {
		return ""
	}
	word := map[Verdict]string{VerdictHold: "held: ", VerdictSpam: "spam: ", VerdictApprove: "approved: "}[verdict]
	return word + strings.Join(reasons, ", ")
}

// Review is the task that asks a person about a comment.
type Review struct {
	Comment   CommentID
	Open      bool
	Opened    time.Time
	Announced time.Time // zero: no moderator has been told yet
}

// Task is an open review task as the workflow sees it.
type Task struct {
	Comment   CommentID
	Site      SiteID
	Post      PostID
	Status    Status
	Opened    time.Time
	Reminded  time.Time // zero: no reminder has counted it
	Escalated time.Time // zero: the next chat was not asked
}

// Step is what the workflow does about a task.
type Step struct {
	Task    Task      // with what was done noted
	Notices []Event   // to be emitted
	Expire  bool      // its time is over
	Next    time.Time // when to look at it again; zero: never
}

// Suspicion adds up what speaks against a comment; what speaks for it counts
// against that.
func Suspicion(findings []Finding) (sum float64) {
	for _, f := range findings {
		sum += f.Weight
	}
	return sum
}

// LooksLikeSpam reports whether a comment that waits will hardly be wanted: two
// objections, or one of a learned classifier.
func LooksLikeSpam(c Comment) bool {
	for _, f := range c.Findings {
		if f.Check == "learned" && f.Weight >= 1 {
			return true
		}
	}
	return Suspicion(c.Findings) >= 2
}
