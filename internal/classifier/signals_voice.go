package classifier

import (
	"strings"
	"unicode"
)

// voiceSignals look at how somebody writes who has read the article and wants
// something from it: exactly, in the short forms of speech, about what failed.
// Posting tools can do so as well, and then the words they repeat tell.
var voiceSignals = []Signal{
	{"technical", "speaks of things by their technical names", -1, is(func(v *view) bool { return technical(v) >= 1 })},
	{"technical-3", "", -1, is(func(v *view) bool { return technical(v) >= 3 })},
	{"contraction", "writes as people speak", -1, is(func(v *view) bool { return contracted(v.text) })},
	{"trouble", "tells of something that does not work", -1, is(func(v *view) bool { return v.phrases.trouble > 0 })},
}

// technical counts the words that a program, a product or a file may be called
// and a sentence has no reason for: capitals inside, points, underscores or
// digits between letters, brackets of a call. Addresses do not count.
func technical(v *view) (n int) {
	for w := range strings.FieldsSeq(v.text) {
		if strings.Contains(w, "/") || strings.Contains(w, "@") || len(w) > 60 {
			continue
		}
		w = strings.Trim(w, `.,;:!?"'`)
		if identifier(w) && nextAddress(strings.ToLower(w)+" ") < 0 {
			n++
		}
	}
	return n
}

func identifier(w string) bool {
	if strings.HasSuffix(w, "()") && len(w) > 3 {
		return true
	}
	letters, inner, joint := 0, false, false
	last := rune(0)
	for _, r := range w {
		switch {
		case unicode.IsUpper(r):
			inner = inner || unicode.IsLower(last)
			letters++
		case unicode.IsLetter(r):
			joint = joint || (last == '_' || last == '.') && letters > 1
			letters++
		case unicode.IsDigit(r):
			joint = joint || unicode.IsLetter(last) && letters > 1
		}
		last = r
	}
	return letters >= 2 && (inner || joint)
}

// contracted finds an apostrophe between letters, other than the possessive of
// a name, which every posting tool can form.
func contracted(s string) bool {
	for i := 0; i < len(s); {
		at := strings.IndexAny(s[i:], "'’")
		if at < 0 {
			return false
		}
		i += at
		after := strings.TrimPrefix(strings.TrimPrefix(s[i:], "'"), "’")
		i = len(s) - len(after)
		if hasAny(after[:min(len(after), 3)], "m ", "t ", "re ", "ve ", "ll ", "d ") {
			return true
		}
	}
	return false
}
