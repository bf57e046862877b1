package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// WordList finds listed words in a text. Words match whole: "ass" is not in "class". Case, compatibility forms and
// invisible characters do not matter (see FoldWords). An entry may be a phrase, whose words match whatever space or
// punctuation stands between them ("e-mail" is such a phrase); an entry that begins or ends with another character than a
// letter or digit ("c++", an emoji) matches literally. In scripts that put no spaces between words (Han, kana, Thai, Lao, Khmer, Myanmar) an entry matches
// inside a run of letters. The zero value matches nothing. A WordList is never changed and safe for concurrent use.
type WordList struct {
	entries []entry
}

type entry struct {
	original string
	form     string // folded; phrases as words with single spaces
	literal  bool
}

// NewWordList reads entries, one word or phrase each; entries without anything visible are left out.
func NewWordList(entries []string) WordList {
	var list WordList
	for _, original := range entries {
		folded := spaced(FoldWords(original))
		e := entry{original: original, form: wordsOf(folded)}
		if !wordRune(firstRune(folded)) || !wordRune(lastRune(folded)) {
			e.form, e.literal = folded, true
		}
		if e.form != "" {
			list.entries = append(list.entries, e)
		}
	}
	return list
}

// Match gives the first entry of the list, as it was written there, that stands in text.
func (l WordList) Match(text string) (entry string, ok bool) {
	if len(l.entries) == 0 {
		return "", false
	}
	folded := spaced(FoldWords(text))
	words := wordsOf(folded)
	for _, e := range l.entries {
		in := words
		if e.literal {
			in = folded
		}
		if stands(e.form, in) {
			return e.original, true
		}
	}
	return "", false
}

// stands reports whether form is in text with a word boundary at both ends.
func stands(form, text string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], form)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(form)
		if boundary(lastRune(text[:start]), firstRune(form)) && boundary(lastRune(form), firstRune(text[end:])) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		at = start + size
	}
}

// boundary reports whether a word may end between two runes.
func boundary(before, after rune) bool {
	return !wordRune(before) || !wordRune(after) || unspaced(before) || unspaced(after)
}

// firstRune and lastRune give U+FFFD, which is no letter, for an empty string: a text ends at a boundary.
func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func wordRune(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.M)
}

func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// spaced exchanges every run of white space for one space.
func spaced(s string) string {
	return strings.Join(strings.Fields(s), " ")
}

// wordsOf gives the words of s with one space between them.
func wordsOf(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !wordRune(r) }), " ")
}
