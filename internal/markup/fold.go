package markup

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold gives the form of a text that search compares: compatibility forms, case, invisible characters and accents do
// not matter, so that Straße finds STRASSE and Grüße finds grusse, й finds и. It is for finding too much rather than
// too little; for block lists use FoldWords. Marks that are letters of their own in their script (vowel signs of Indic
// scripts and Thai, the voicing marks of kana) stay. Fold(Fold(s)) is Fold(s).
func Fold(s string) string {
	return settled(s, func(s string) string {
		return norm.NFKC.String(without(norm.NFKD.String(caseless(s)), accent))
	})
}

// FoldWords gives the form of a text that block lists compare: like Fold, but a letter keeps the accent that makes it
// another letter. й is not и and ü is not u: taking accents off would hold comments for words nobody listed. Marks
// that form no letter of their own with what they stand on, such as a stroke through every letter, are removed, because
// they only disguise a word. FoldWords(FoldWords(s)) is FoldWords(s).
func FoldWords(s string) string {
	return settled(s, func(s string) string {
		return norm.NFKC.String(without(norm.NFKC.String(caseless(s)), accent))
	})
}

// caseless applies NFKC and case folding and removes what nobody sees.
func caseless(s string) string {
	s = norm.NFKC.String(without(s, ignorable))
	return without(cases.Fold().String(s), ignorable)
}

// settled repeats fold until nothing changes: a composed letter may fold to one that decomposes again.
func settled(s string, fold func(string) string) string {
	for range 4 {
		next := fold(s)
		if next == s {
			break
		}
		s = next
	}
	return s
}

func without(s string, unwanted func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if unwanted(r) {
			return -1
		}
		return r
	}, s)
}

// accent reports marks that decorate a letter: those that belong to no script, and the vowel points of Hebrew, Arabic
// and Syriac, which readers write or leave out.
func accent(r rune) bool {
	if r == 0x3099 || r == 0x309A { // voicing marks: デ and テ are different letters
		return false
	}
	return unicode.Is(unicode.Mn, r) &&
		unicode.In(r, unicode.Inherited, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic, unicode.Syriac)
}
