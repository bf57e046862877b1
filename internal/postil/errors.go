package postil

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies an error by what the caller can do about it.
type Kind int

// The kinds. The zero value is Internal: an error that nobody classified is
// ours, and its text is never shown.
const (
	Internal    Kind = iota // our fault; say nothing but sorry
	Invalid                 // change the request
	NotFound                // it is not there, or not for you
	Conflict                // somebody was faster; look again
	Forbidden               // not with this right
	KeyRequired             // say who you are first
	Throttled               // later, see RetryAfter
	Unavailable             // later; nothing was stored
	TooLarge                // make it smaller
	BadMethod               // this address takes other methods
	NotJSON                 // say Content-Type: application/json
)

// Error is an error with a sentence that may be shown to a person. Cause is
// for the log alone.
type Error struct {
	Kind       Kind
	Slug       string        // end of the problem type, such as "post-closed"; "" takes the kind's own
	Sentence   string        // one sentence a person can act on
	Field      string        // the member of the request that is wrong, such as "author.website"
	Limit      int           // the limit that was passed, when there is one
	RetryAfter time.Duration // when trying again makes sense
	Cause      error
}

// Error returns the sentence and, for the log, the cause.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Sentence + " (" + e.Cause.Error() + ")"
	}
	return e.Sentence
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// KindOf returns the kind of err, Internal when it has none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// InvalidField says that a member of the request is wrong and how to mend it.
func InvalidField(field, format string, args ...any) *Error {
	return &Error{Kind: Invalid, Field: field, Sentence: fmt.Sprintf(format, args...)}
}

// TooLong says by how much a member of the request is over its limit.
func TooLong(field string, have, limit int) *Error {
	return &Error{Kind: Invalid, Field: field, Limit: limit,
		Sentence: fmt.Sprintf("That is %s characters; %s fit. Shorten it a little and send again.", Thousands(have), Thousands(limit))}
}

// Missing is the one answer for what does not exist and for what is not
// public, so that nobody can tell the two apart.
func Missing() *Error {
	return &Error{Kind: NotFound, Sentence: "There is nothing at this address. It may have been removed."}
}

// Refuse says that the caller lacks the right, with the slug that programs read.
func Refuse(slug, format string, args ...any) *Error {
	return &Error{Kind: Forbidden, Slug: slug, Sentence: fmt.Sprintf(format, args...)}
}

// Busy says that nothing was stored and when to try again.
func Busy(slug, sentence string, after time.Duration, cause error) *Error {
	return &Error{Kind: Unavailable, Slug: slug, Sentence: sentence, RetryAfter: after, Cause: cause}
}

// Thousands writes n with a comma between groups of three digits.
func Thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
