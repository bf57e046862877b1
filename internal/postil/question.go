package postil

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Limits of questions.
const (
	MaxQuestion = 1000 // characters
	MaxTags     = 20   // of one question
	MaxTag      = 40   // characters
)

// Question is what a reader left in the question log. Nothing in it says who
// that was beyond the day.
type Question struct {
	ID    string // begins with the day, such as 2026-11-30-…
	Site  SiteID
	Text  string
	Actor string   // keyed hash of the day; shown to moderators, never exported
	Tags  []string // sorted
	Asked time.Time
}

// QuestionFilter selects questions; the zero value all of them.
type QuestionFilter struct {
	Site   SiteID    // "": every site
	Query  string    // a part of the text
	Tag    string    // "": any and none
	From   time.Time // included
	To     time.Time // not included
	Limit  int
	Cursor string
}

// QuestionPage is a part of a list, the newest first. Next is "" at its end.
type QuestionPage struct {
	Questions []Question
	Next      string
}

// CleanQuestion returns a question as it is kept: trimmed, without control
// characters but tab and line feed, and with U+FFFD for what is no UTF-8. One
// of which nothing can be seen is as good as none.
func CleanQuestion(s string) (string, error) {
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' && r != '\n' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	text = strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
	if n := utf8.RuneCountInString(text); n > MaxQuestion || !hasInk(text) {
		e := InvalidField("question", "A question has 1 to %s characters.", Thousands(MaxQuestion))
		e.Slug, e.Limit = "question_must_be_1_to_1000_chars", MaxQuestion
		return "", e
	}
	return text, nil
}

// CleanTags returns tags in NFC and lower case, sorted, each once.
func CleanTags(tags []string) ([]string, error) {
	out := []string{}
	for _, t := range tags {
		tag := norm.NFC.String(strings.ToLower(trimBlank(oneLine(t))))
		if n := utf8.RuneCountInString(tag); n > MaxTag || !hasInk(tag) {
			return nil, InvalidField("tags", "A tag has 1 to %d characters, for example “billing”.", MaxTag)
		}
		out = append(out, tag)
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) > MaxTags {
		return nil, InvalidField("tags", "A question has at most %d tags.", MaxTags)
	}
	return out, nil
}
