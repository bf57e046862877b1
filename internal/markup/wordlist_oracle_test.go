package markup

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// slowMatch is what Match must say, by looking for one entry after the other.
func slowMatch(entries []string, text string) (string, bool) {
	folded := spaced(FoldWords(text))
	words := wordsOf(folded)
	for _, original := range entries {
		form, in := spaced(FoldWords(original)), folded
		if wordRune(firstRune(form)) && wordRune(lastRune(form)) {
			form, in = wordsOf(form), words
		}
		if form != "" && stands(form, in) {
			return original, true
		}
	}
	return "", false
}

func TestUNI_08_AListFindsWhatLookingForEachEntryFinds(t *testing.T) {
	t.Parallel()
	pieces := []string{"a", "ab", "b", " ", "  ", "-", "漢", "字", "ไทย", "С", "спам", "é", "e\u0301", "\u200b", "++", "👍", "c++", "\n", "か", "ﬁ", "Ａ"}
	text := func(t *rapid.T, label string, most int) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, most).Draw(t, label), "")
	}
	rapid.Check(t, func(t *rapid.T) {
		var entries []string
		for range rapid.IntRange(0, 6).Draw(t, "entries") {
			entries = append(entries, text(t, "entry", 4))
		}
		in := text(t, "text", 24)
		want, wanted := slowMatch(entries, in)
		if got, ok := NewWordList(entries).Match(in); got != want || ok != wanted {
			t.Fatalf("%q in %q: %q %t, want %q %t", entries, in, got, ok, want, wanted)
		}
	})
}
