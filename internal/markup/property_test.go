package markup

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

// pieces are what hostile and odd comments are made of; generated sources are joined from them.
var pieces = []string{"a", "b ", " ", "\n", "\n\n", "    ", "\t", "*", "**", "_", "~~", "`", "```\n", "> ", "- ", "1. ", "# ", "---\n", "===\n",
	"[", "]", "(", ")", "![", "](", "](url)", "](https://a.example/x)", "<", ">", "</", "<a href=\"", "<script>", "</script>", "<style ", "</style>", "<p>",
	"<!--", "-->", "https://a.example", "javascript:0", "<javascript:0>", "mailto:a@b.example", "<a@b.example>", "&lt;", "&amp;", "&#0;", "&#x6A;", "\\", "\"", "'",
	"[r]", "\n[r]: https://r.example\n", "\x00", "\u200B", "\u202E", "🐘", "👩‍👧", "é", "İ", "\u212A", "\xff", "onerror=1", "\r\n", "//", "www.a.example", "@", ":", "\u2028"}

func sources() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "pieces"), "")
	})
}

func TestXSS_AnySourceIsSafeStableAndDeterministic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		source := sources().Draw(t, "source")
		checkRender(t, source)
		mustBeSafe(t, source, Sanitize(source))
	})
}

// checkRender holds for every source whatever.
func checkRender(t interface {
	Helper()
	Errorf(string, ...any)
}, source string) {
	t.Helper()
	html := Render(source)
	mustBeSafe(t, source, html)
	if Render(source) != html {
		t.Errorf("%q is rendered in two ways", source)
	}
	if !utf8.ValidString(html) || strings.ContainsRune(html, 0) {
		t.Errorf("%q gives bytes that are no text: %q", source, html)
	}
	excerpt := Excerpt(source, 20)
	if utf8.RuneCountInString(excerpt) > 20 || strings.ContainsAny(excerpt, "\n\t") {
		t.Errorf("%q has the excerpt %q", source, excerpt)
	}
	for _, href := range Links(source) {
		if canonical, ok := target(href); !ok || canonical != href {
			t.Errorf("%q links to %q", source, href)
		}
	}
	if len(Hints(source)) > maxHints {
		t.Errorf("%q gives too many hints", source)
	}
}

func TestMD_01_PlainWordsAreShownAsTheyAre(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"&amp;lt;", "🐘", "👩‍👩‍👧", "use", "ünï", "&lt;b&gt;", "東京", "שלום", "&"}), 1, 12).Draw(t, "words")
		source := strings.Join(words, " ")
		want := strings.NewReplacer("&amp;lt;", "&lt;", "&lt;b&gt;", "<b>").Replace(source)
		for _, source := range []string{source, source + "  ", "\t" + source, "    " + source, source + "\r\n"} {
			if got := Plain(source); got != want {
				t.Fatalf("%q reads %q, want %q", source, got, want)
			}
		}
	})
}

func TestExcerptsEndBetweenGraphemes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "🐘", "👩‍👩‍👧", "é", "e\u0301", "🇩🇪", "한", " "}), 0, 20).Draw(t, "parts")
		s := strings.Join(strings.Fields(strings.Join(parts, "")), " ")
		max := rapid.IntRange(0, 40).Draw(t, "max")
		got := clip(s, max)
		if utf8.RuneCountInString(got) > max {
			t.Fatalf("%q is longer than %d", got, max)
		}
		kept, cut := strings.CutSuffix(got, "…")
		if !strings.HasPrefix(s, kept) || !cut && got != s && max > 0 {
			t.Fatalf("clip(%q, %d) = %q", s, max, got)
		}
		if uniseg.GraphemeClusterCount(kept)+uniseg.GraphemeClusterCount(s[len(kept):]) != uniseg.GraphemeClusterCount(s) {
			t.Fatalf("clip(%q, %d) = %q cuts a character", s, max, got)
		}
	})
}
