package postil

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// MaxUserAgent is how many bytes of a user agent are kept.
const MaxUserAgent = 400

// CleanName returns an author's name as one line of plain text in NFC. Control
// and direction characters and other marks that nobody sees are removed, but
// for those that join emoji and letters. It is text, never HTML: what looks
// like markup stays as typed. Errors are Invalid with the field "author.name".
func CleanName(s string) (string, error) {
	name := norm.NFC.String(trimBlank(oneLine(s)))
	if !hasInk(name) {
		return "", InvalidField("author.name", "Write your name first: it needs at least one character that can be seen.")
	}
	if n := utf8.RuneCountInString(name); n > MaxName {
		return "", TooLong("author.name", n, MaxName)
	}
	return name, nil
}

// NameKey returns what two names have in common that differ only in invisible
// characters, spacing, case, width or compatibility form. It is for comparing,
// never shown.
func NameKey(name string) string {
	key := norm.NFKC.String(strings.ToValidUTF8(name, "\uFFFD"))
	key = dropInvisible(cases.Fold().String(dropInvisible(key)))
	return strings.Join(strings.Fields(norm.NFKC.String(key)), " ")
}

// CleanText returns the source of a comment byte for byte as typed, less
// control characters other than tab and line ends, and with U+FFFD for what is
// no UTF-8. Errors are Invalid with the field "text".
func CleanText(s string) (string, error) { return CleanTextWithin(s, MaxText) }

// CleanTextWithin is CleanText where a comment may have limit characters.
func CleanTextWithin(s string, limit int) (string, error) {
	if n := utf8.RuneCountInString(s); n > limit {
		return "", TooLong("text", n, limit)
	}
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	text = dropLoneCR(text)
	if !hasInk(text) {
		return "", InvalidField("text", "Write a comment first.")
	}
	return text, nil
}

// dropLoneCR removes each carriage return that is not half of a line end.
func dropLoneCR(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	parts := strings.Split(s, "\r\n")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(part, "\r", "")
	}
	return strings.Join(parts, "\r\n")
}

// CleanTitle returns the title that a page gave itself as one line of plain
// text, cut to MaxTitle characters; "" when nothing of it can be seen.
func CleanTitle(s string) string {
	title := norm.NFC.String(trimBlank(oneLine(s)))
	if !hasInk(title) {
		return ""
	}
	return trimBlank(cut(title, MaxTitle))
}

// CleanUserAgent returns what a request says of its program, at most
// MaxUserAgent bytes of valid UTF-8 without control characters.
func CleanUserAgent(s string) string {
	s = oneLine(s)
	if len(s) > MaxUserAgent {
		s = strings.ToValidUTF8(s[:MaxUserAgent], "") // half a character at the cut
	}
	return strings.TrimSpace(s)
}

// oneLine puts s on one line of valid UTF-8: runs of white space become one
// space, control, direction and needless format characters are removed.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && !unicode.Is(shaping, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

// cut returns at most limit characters of s, and does not cut between a
// character and what belongs to it.
func cut(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	for end := limit; end > limit/2; end-- {
		if !clings(runes[end]) && runes[end-1] != zwj {
			return string(runes[:end])
		}
	}
	return string(runes[:limit]) // a heap of marks, no text
}

const zwj = '\u200D'

// clings reports whether r changes the character before it.
func clings(r rune) bool {
	return unicode.Is(unicode.M, r) || unicode.Is(shaping, r) || 0x1F3FB <= r && r <= 0x1F3FF
}

// shaping are the format characters that change what is seen: joiners in
// Persian words and emoji, the tags in flags, and signs of Arabic and Egyptian
// that stand around others.
var shaping = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0600, Hi: 0x0605, Stride: 1}, {Lo: 0x06DD, Hi: 0x06DD, Stride: 1}, {Lo: 0x070F, Hi: 0x070F, Stride: 1},
		{Lo: 0x0890, Hi: 0x0891, Stride: 1}, {Lo: 0x08E2, Hi: 0x08E2, Stride: 1}, {Lo: 0x200C, Hi: 0x200D, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x110BD, Hi: 0x110BD, Stride: 1}, {Lo: 0x110CD, Hi: 0x110CD, Stride: 1},
		{Lo: 0x13430, Hi: 0x1343F, Stride: 1}, {Lo: 0xE0020, Hi: 0xE007F, Stride: 1},
	},
}

// invisible reports whether r leaves no ink of its own: it is ignored by
// default, as Unicode says, or drawn as a blank that is no white space.
func invisible(r rune) bool {
	return r == '\u2800' || unicode.IsControl(r) ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
			!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

func dropInvisible(s string) string {
	return strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, s)
}

// trimBlank removes what cannot be seen at both ends, but for selectors and
// tags that belong to the emoji before them.
func trimBlank(s string) string {
	blank := func(r rune) bool { return unicode.IsSpace(r) || invisible(r) }
	s = strings.TrimLeftFunc(s, blank)
	return strings.TrimRightFunc(s, func(r rune) bool {
		return blank(r) && !unicode.Is(unicode.Variation_Selector, r) && (r < 0xE0020 || r > 0xE007F)
	})
}

// hasInk reports whether s has a character that is seen by itself.
func hasInk(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !invisible(r) && !unicode.Is(unicode.M, r)
	})
}
