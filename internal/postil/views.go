package postil

import (
	"strings"
	"time"
	"unicode/utf8"
)

// MaxViewPath is how many characters the path of a counted page has at most,
// after normalisation.
const MaxViewPath = 200

// CheckViewPath says whether raw, as a page sent it, is a path: it begins with
// exactly one slash. What browsers read as the beginning of another host is
// none. The error is Invalid with the field "path".
func CheckViewPath(raw string) error {
	second := strings.TrimPrefix(raw, "/")
	if second == raw || strings.HasPrefix(second, "/") || strings.HasPrefix(second, `\`) {
		return badViewPath()
	}
	return nil
}

// ViewPost returns the post that a path names. resolve is the rule of the site.
// Errors are Invalid with the field "path", or what resolve met in trouble.
func ViewPost(raw string, resolve func(string) (PostID, error)) (PostID, error) {
	if err := CheckViewPath(raw); err != nil {
		return "", err
	}
	id, err := resolve(raw)
	if KindOf(err) == Invalid || utf8.RuneCountInString(string(id)) > MaxViewPath {
		return "", badViewPath()
	}
	return id, err
}

func badViewPath() *Error {
	e := InvalidField("path", "A path begins with exactly one “/” and has at most %d characters, for example /posts/hello.", MaxViewPath)
	e.Slug, e.Limit = "invalid_path", MaxViewPath
	return e
}

// Visit is one opened page, before anybody decided whether it counts.
type Visit struct {
	Site  SiteID
	Post  PostID
	Actor string // keyed hash of the day; never kept
	Agent string // what the client calls itself; never kept
	Early bool   // the browser fetches what nobody has opened yet
	Owner bool   // whoever runs the site
}

// ViewRow is one number of reads as it is kept.
type ViewRow struct {
	Post PostID // "": the whole site
	Span Span
	At   time.Time // begin of the span; the Unix epoch for the total
	N    int64
}

// HourViews is how often a post was read in one hour.
type HourViews struct {
	Site SiteID
	Post PostID
	Hour time.Time // its begin, UTC
	N    int64
}

// Span is the length of what one number of a trend stands for.
type Span string

// The spans. Hours are kept for 30 days, days for good; both begin in UTC.
const (
	ByHour Span = "hour"
	ByDay  Span = "day"
)

// Length returns how long the span is.
func (s Span) Length() time.Duration {
	if s == ByHour {
		return time.Hour
	}
	return 24 * time.Hour
}

// ParseSpan reads a span; "" is a day.
func ParseSpan(s string) (Span, error) {
	switch p := Span(s); p {
	case "":
		return ByDay, nil
	case ByHour, ByDay:
		return p, nil
	}
	return "", InvalidField("by", "“by” is hour or day.")
}

// TrendQuery asks how often a post, or with Post "" the whole site, was read.
type TrendQuery struct {
	Site SiteID
	Post PostID
	By   Span
	From time.Time // included
	To   time.Time // not included
}

// TrendPoint is the number of one span; spans without reads have none.
type TrendPoint struct {
	At time.Time
	N  int64
}

// PostViews is how often a post was read.
type PostViews struct {
	Post PostID
	N    int64
}
