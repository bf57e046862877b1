package postil

import "time"

// SignalKind says what happened, in the record that is kept for operators.
type SignalKind string

// The kinds of signals. Those of comments are written in the transaction in
// which a state changes; the others by whoever noticed.
const (
	SignalReceived  SignalKind = "comment.received"
	SignalHeld      SignalKind = "comment.held"      // a person must decide; Detail names the checks
	SignalDecided   SignalKind = "comment.decided"   // Outcome is the status after it, After how long it took
	SignalPublished SignalKind = "comment.published" // readers see it from now on

	SignalDelivery     SignalKind = "delivery.failed" // a card or a webhook
	SignalLimit        SignalKind = "limit.hit"       // N requests of a rule were refused
	SignalBackup       SignalKind = "backup.made"
	SignalNoBackup     SignalKind = "backup.failed"
	SignalSlow         SignalKind = "operation.slow" // N of a route were, the slowest took After
	SignalOverload     SignalKind = "overload.begun" // readers or writers are turned away
	SignalOverloadEnd  SignalKind = "overload.ended"
	SignalAlertBegan   SignalKind = "alert.begun"
	SignalAlertUpdated SignalKind = "alert.updated"
	SignalAlertEnded   SignalKind = "alert.ended"
)

// SignalKinds returns all kinds.
func SignalKinds() []SignalKind {
	return []SignalKind{SignalReceived, SignalHeld, SignalDecided, SignalPublished, SignalDelivery, SignalLimit, SignalBackup, SignalNoBackup,
		SignalSlow, SignalOverload, SignalOverloadEnd, SignalAlertBegan, SignalAlertUpdated, SignalAlertEnded}
}

// Signal is one thing that happened. It holds ids and no words of readers.
type Signal struct {
	ID      int64         `json:"id"`
	At      time.Time     `json:"at"`
	Kind    SignalKind    `json:"kind"`
	Site    SiteID        `json:"site,omitempty"`
	Comment CommentID     `json:"comment,omitempty"`
	Outcome string        `json:"outcome,omitempty"`
	Channel Channel       `json:"channel,omitempty"`
	By      string        `json:"by,omitempty"` // the name of who decided
	Detail  string        `json:"detail,omitempty"`
	After   time.Duration `json:"after,omitempty"`
	N       int           `json:"n"`
}

// SignalFilter selects signals of a span of time.
type SignalFilter struct {
	From, To time.Time // To is not included
	Kinds    []SignalKind
	Sites    []SiteID // those of these sites alone; empty: all
	After    int64    // id of the last one of the page before, 0 for the first page
	Limit    int
}

// SignalCount is how often something happened in a part of a span of time.
type SignalCount struct {
	At      time.Time // begin of the part
	Kind    SignalKind
	Outcome string
	Channel Channel
	N       int
}

// Figures are the numbers of one minute.
type Figures struct {
	Minute     time.Time
	Requests   int64
	Hits       int64 // reads answered from memory
	Loads      int64 // reads that asked the database
	TurnedAway int64 // reads that were refused, because too many loads waited
	Wrong      int64 // answers 4xx but 429
	Limited    int64 // answers 429
	Busy       int64 // answers 503
	Failed     int64 // answers 5xx but 503
	Posts      int64
	Decisions  int64
	Views      int64

	Queue       int           // comments that wait for a person
	QueueAge    time.Duration // that the oldest has waited
	Backlog     int           // events that the broker does not have yet
	Undelivered int           // cards
	Streams     int
}

// Incident is trouble of the service's own that somebody is told of.
type Incident struct {
	ID    int64
	Alert string
	Began time.Time
	Told  time.Time // when it was spoken of last
	Ended time.Time // zero: it lasts
	Value float64   // as it was spoken of last
	Worst float64
	// Detail says in a sentence what is wrong and what to do.
	Detail string
}

// Phase is what is said of an incident.
type Phase string

// The phases.
const (
	IncidentBegins  Phase = "begun"
	IncidentUpdates Phase = "updated"
	IncidentEnds    Phase = "ended"
)
