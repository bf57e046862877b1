package markup

import (
	"strings"
	"unicode"
)

// Letters of one script that look like letters of the other, in common typefaces.
const (
	cyrillicLikeLatin = "аеорсухіјѕԁԛԝһӏүґАВЕЅІЈКМНОРСТУХԌԚԜҮ"
	greekLikeLatin    = "ονρυικαγωΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"
	latinLikeCyrillic = "aeopcyxijshABESIJKMHOPCTYXkmtbg"
	latinLikeGreek    = "ovpuiwaABEZHIKMNOPTYXk"
)

// MixedScript reports whether a word is built to be taken for another: it mixes Latin with Cyrillic or Greek letters,
// and all its letters of one of the two scripts look like letters of the other. "pаypal" with a Cyrillic а is mixed;
// "QR-код" is not (two words), nor are "VIPовский" or "Δt", which deceive nobody.
func MixedScript(word string) bool {
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return !wordRune(r) && !ignorable(r) }) {
		if disguised(part, unicode.Cyrillic, cyrillicLikeLatin, latinLikeCyrillic) ||
			disguised(part, unicode.Greek, greekLikeLatin, latinLikeGreek) {
			return true
		}
	}
	return false
}

// disguised reports whether word has letters of Latin and of other, and one side consists of look-alikes only.
func disguised(word string, other *unicode.RangeTable, otherLikeLatin, latinLikeOther string) bool {
	latin, foreign := 0, 0
	latinAlike, foreignAlike := true, true
	for _, r := range word {
		switch {
		case unicode.Is(unicode.Latin, r):
			latin++
			latinAlike = latinAlike && strings.ContainsRune(latinLikeOther, r)
		case unicode.Is(other, r) && unicode.IsLetter(r):
			foreign++
			foreignAlike = foreignAlike && strings.ContainsRune(otherLikeLatin, r)
		}
	}
	return latin > 0 && foreign > 0 && (latinAlike || foreignAlike)
}

// HasBidiControl reports embeddings, overrides and isolates (U+202A to U+202E, U+2066 to U+2069), which can make text
// read in another order than it is stored. The plain direction marks, which Hebrew and Arabic prose needs, are none.
func HasBidiControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
	})
}
