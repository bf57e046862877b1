package postil

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// ReportThreshold is how many different readers must report a public comment
// until a person is asked about it, where a site has not chosen another number.
const ReportThreshold = 3

// MaxReportNote is how many characters a reader may add to a report.
const MaxReportNote = 500

// ReportReasons returns what a reader may give as reason, beside none.
func ReportReasons() []string {
	return []string{"spam", "abuse", "personal", "illegal", "off-topic", "other"}
}

// Report is a reader's word that a public comment should not be public.
type Report struct {
	ID      int64
	Site    SiteID
	Post    PostID
	Comment CommentID
	Person  Person // never told to anybody
	Reason  string // one of ReportReasons, or ""
	Note    string // in the reader's own words, plain text
	At      time.Time
	Settled time.Time // when a person decided about the comment; zero: not since the report
}

// CleanReport checks what a reader gives as reason. Errors are Invalid.
func CleanReport(reason, note string) (string, string, error) {
	if reason != "" && !slices.Contains(ReportReasons(), reason) {
		return "", "", InvalidField("reason", "A reason is one of %s, or is left out.", strings.Join(ReportReasons(), ", "))
	}
	note = strings.TrimSpace(strings.ToValidUTF8(note, "\uFFFD"))
	if n := utf8.RuneCountInString(note); n > MaxReportNote {
		return "", "", TooLong("text", n, MaxReportNote)
	}
	return reason, strings.ReplaceAll(note, "\x00", "\uFFFD"), nil
}

// ReportFilter selects reports.
type ReportFilter struct {
	Site    SiteID    // "": all
	Comment CommentID // 0: all
	Open    bool      // only those that nobody has decided about
	Limit   int       // 1 to 200
	Cursor  string
}

// ReportPage is a page of reports, newest first.
type ReportPage struct {
	Reports []Report
	Next    string
}

// WrongEditKey is the one answer for an edit key that does not fit and for a
// comment that does not exist, so that nobody can find out with a key which
// comments there are.
func WrongEditKey() *Error {
	return Refuse("forbidden", "This edit key does not belong to this comment. A comment can be changed only on the device it was written on.")
}
