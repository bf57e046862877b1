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
	original []string       // as written
	whole    map[string]int // the entry with this form, words with single spaces
	lengths  []bool         // which lengths in bytes such forms have
	literal  []entry
}

type entry struct {
	form  string // folded
	index int    // in original
}

// NewWordList reads entries, one word or phrase each; entries without anything visible are left out.
func NewWordList(entries []string) WordList {
	list := WordList{whole: map[string]int{}}
	for _, original := range entries {
		folded := spaced(FoldWords(original))
		form := wordsOf(folded)
		index := len(list.original)
		switch {
		case !wordRune(firstRune(folded)) || !wordRune(lastRune(folded)):
			if folded == "" {
				continue
			}
			list.literal = append(list.literal, entry{folded, index})
		case form == "":
			continue
		default:
			if _, twice := list.whole[form]; !twice {
				list.whole[form] = index
			}
			if more := len(form) + 1 - len(list.lengths); more > 0 {
				list.lengths = append(list.lengths, make([]bool, more)...)
			}
			list.lengths[len(form)] = true
		}
		list.original = append(list.original, original)
	}
	return list
}

// Len returns how many entries the list has.
func (l WordList) Len() int { return len(l.original) }

// Match gives the first entry of the list, as it was written there, that stands in text. A list of a hundred thousand
// words is no slower than one of ten.
func (l WordList) Match(text string) (entry string, ok bool) {
	if len(l.original) == 0 {
		return "", false
	}
	folded := spaced(FoldWords(text))
	found := l.wholeIn(wordsOf(folded))
	for _, e := range l.literal {
		if e.index < found && stands(e.form, folded) {
			found = e.index
			break
		}
	}
	if found == len(l.original) {
		return "", false
	}
	return l.original[found], true
}

// wholeIn returns the first of the entries that begins and ends at a boundary of words; the length of the list for none.
func (l WordList) wholeIn(words string) int {
	found := len(l.original)
	var starts []int // boundaries from which an entry may still reach here
	last := rune(utf8.RuneError)
	for at := 0; len(l.whole) > 0 && at <= len(words); {
		next, size := utf8.DecodeRuneInString(words[at:])
		if boundary(last, next) {
			for len(starts) > 0 && at-starts[0] >= len(l.lengths) {
				starts = starts[1:]
			}
			for _, start := range starts {
				if !l.lengths[at-start] {
					continue
				}
				if index, ok := l.whole[words[start:at]]; ok {
					found = min(found, index)
				}
			}
			starts = append(starts, at)
		}
		last, at = next, at+max(size, 1)
	}
	return found
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
