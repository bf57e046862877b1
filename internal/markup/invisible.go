package markup

import (
	"unicode"

	"github.com/rivo/uniseg"
)

const (
	zwnj      = 0x200C
	zwj       = 0x200D
	blackFlag = 0x1F3F4 // waving black flag, the base of the flags of regions
)

// joining are the scripts in which joiners and non-joiners are part of spelling.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi,
	unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala,
	unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese, unicode.Javanese,
}

// Invisible counts the default-ignorable characters of s that have no business there. Not counted are joiners inside an
// emoji, variation selectors after an emoji or symbol or a Han letter, the tags of a region's flag, and joiners after a
// letter of a script that spells with them.
func Invisible(s string) int {
	n := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		cluster := g.Runes()
		for i, r := range cluster {
			if ignorable(r) && !needed(cluster, i) {
				n++
			}
		}
	}
	return n
}

// needed reports whether the ignorable character at i does visible work in its grapheme cluster.
func needed(cluster []rune, i int) bool {
	if i == 0 {
		return false
	}
	r, before := cluster[i], cluster[i-1]
	switch {
	case r == zwj && i+1 < len(cluster) && !ignorable(cluster[i+1]) && unicode.In(cluster[i+1], unicode.So, unicode.Sm):
		return true // the cluster goes on after it only inside an emoji sequence
	case r == zwj || r == zwnj:
		return unicode.In(before, unicode.L, unicode.M) && spellsWithJoiners(before)
	case r >= 0xE0020 && r <= 0xE007F:
		return cluster[0] == blackFlag
	case r >= 0x180B && r <= 0x180F:
		return unicode.Is(unicode.Mongolian, before)
	case r == 0xFE0E || r == 0xFE0F:
		return unicode.In(before, unicode.S, unicode.Nd, unicode.Po)
	case unicode.Is(unicode.Variation_Selector, r):
		return unicode.Is(unicode.Han, before)
	}
	return false
}

// spellsWithJoiners also takes marks of no script, such as the vowel points on Arabic letters.
func spellsWithJoiners(r rune) bool {
	return unicode.In(r, joining...) || unicode.Is(unicode.Inherited, r) && unicode.Is(unicode.Mn, r) && r >= 0x064B && r <= 0x0670
}

// ignorable reports the characters that Unicode calls Default_Ignorable_Code_Point: they show nothing by themselves.
func ignorable(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return true
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case r >= 0xFFF9 && r <= 0xFFFB, r >= 0x13430 && r <= 0x1345F: // interlinear notes and hieroglyph joiners are seen
		return false
	}
	return unicode.Is(unicode.Cf, r)
}

// invisible reports what leaves no ink at all: white space, ignorable characters and the empty Braille cell.
func invisible(r rune) bool {
	return unicode.IsSpace(r) || ignorable(r) || r == 0x2800
}
