package markup

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// holds says whether a text would be found by a query, as an index does it.
func holds(text, query string) bool {
	words, form := SearchWords(text), SearchForm(text)
	for _, p := range SearchPhrases(query) {
		found := len(p.Words) == 0
		for i := 0; i+len(p.Words) <= len(words); i++ {
			found = found || slices.Equal(words[i:i+len(p.Words)], p.Words)
		}
		if !found || !strings.Contains(form, p.Literal) {
			return false
		}
	}
	return true
}

func TestASearchFindsWhatAPersonMeans(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, query string
		want        bool
	}{
		{"今天天气很好", "天气", true}, {"今天天气很好", "气天", false}, {"全文検索のテスト", "検索", true}, {"댓글 검색 기능", "검색", true}, {"東京タワー", "タワー", true},
		{"สวัสดีครับ", "ครับ", true}, {"München leuchtet", "munchen", true}, {"MÜNCHEN", "münchen", true}, {"Die Straße", "strasse", true}, {"GRÜSSE", "grüße", true},
		{"ﬁne ＦＵＬＬ", "fine full", true}, {"It’s “done”", "it's", true}, {"don't", "don’t", true}, {"dont", "don't", false},
		{"a multi-agent world", "multi-agent", true}, {"multi agent", "multi-agent", false}, {"grammar::fa", "grammar::fa", true}, {"38.101 of 40", "38.101", true},
		{"50% off", "50%", true}, {"50 apples", "50%", false}, {"500", "50%", false}, {"foo_bar", "foo_bar", true}, {"fooXbar", "foo_bar", false}, {"foo bar", "foo_bar", false},
		{"AND NOT x", "NOT x", true}, {"buy now or later", `"buy now"`, true}, {"now buy", `"buy now"`, false}, {"now buy", `buy now`, true}, {"half", `"half`, true},
		{"nice 👍🏽 one", "👍", true}, {"nice", "👍", false}, {"a * b", "*", true}, {"ab", "*", false}, {"wait...", "...", true}, {"hello, world", "(hello)", true},
		{"C++ and C", "c++", true}, {"C", "c++", false}, {"anything", " \x00 ", true},
		{"¦ \u07a6A", "\u07a6A", true}, // a mark that follows a picture and a space belongs to the letter after it
	} {
		if got := holds(c.text, c.query); got != c.want {
			t.Errorf("%q in %q: %v", c.query, c.text, got)
		}
	}
}

func TestAnyTextFindsItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 80, -1).Draw(t, "text")
		if !holds(text, text) {
			t.Fatalf("%q does not find itself: %q in %q", text, SearchPhrases(text), SearchWords(text))
		}
		for _, word := range SearchWords(text) {
			if strings.ContainsAny(word, " \"'*():^-+{}\x00") {
				t.Fatalf("%q has the word %q", text, word)
			}
		}
	})
}

func TestALongQueryIsBounded(t *testing.T) {
	t.Parallel()
	if n := len(SearchPhrases(strings.Repeat("ab c", 5000))); n > maxSearchPhrases {
		t.Error(n, "phrases")
	}
	p := SearchPhrases(strings.Repeat("东", 10000))
	if len(p) != 1 || len(p[0].Words) != maxPhraseWords {
		t.Error(len(p), "phrases of a long sentence")
	}
	if w := SearchWords(strings.Repeat("x", 10000)); len(w) != 1 || len(w[0]) != maxSearchWord {
		t.Error("a long word is kept whole")
	}
}

func TestTheHostsOfLinksAreListed(t *testing.T) {
	t.Parallel()
	got := LinkHosts(Render("see [x](https://Evil.example/a?b) and http://evil.example:8080 and https://bücher.example and mailto:a@b.example"))
	if want := []string{"evil.example", "xn--bcher-kva.example"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestTheShortWayForASCIIGivesTheSameForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom(nil, &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0, Hi: 0x7F, Stride: 1}}}), 0, 60, -1).Draw(t, "text")
		short, ok := plainForm(text)
		long := SearchForm(text + "é")
		if !ok || strings.TrimSpace(strings.TrimSuffix(long, "e")) != short {
			t.Fatalf("%q: %q, %q", text, short, long)
		}
	})
}
