package postil

import "time"

// AuditEntry is one line of the append-only log of what people changed: by key,
// page, chat or command line. It never holds the text of a comment; for that
// there is the decision log.
type AuditEntry struct {
	ID      int64
	At      time.Time
	By      By
	Action  string // such as "site.set" or "comment.approve"
	Subject string // such as "site:blog" or "comment:17"
	Site    SiteID // "" when it is of all sites
	Detail  string
	Batch   string         // shared by what one request did, else ""
	Before  map[string]any // what differs: settings and states, never texts
	After   map[string]any
}

// AuditFilter selects lines of the audit log, the newest first.
type AuditFilter struct {
	Sites    []SiteID // empty: all, those of no site included
	Query    string   // words in action, subject, name, detail or values
	Actor    string   // the stable id or the name
	Action   string   // or its beginning, such as "site."
	Subject  string
	Channel  Channel
	From, To time.Time
	Limit    int // 1 to 1000
	Cursor   string
}

// AuditPage is a page of the log. It may end early, with Next, when many lines
// were looked at to fill it.
type AuditPage struct {
	Entries []AuditEntry
	Next    string
}
