package markup

import (
	"slices"
	"strings"
	"testing"
)

func TestMD_04_AnUnfilledLinkIsTextAndTheAuthorHearsIt(t *testing.T) {
	t.Parallel()
	html := Render("[my text](url)")
	if html != "<p dir=\"auto\">my text</p>\n" {
		t.Errorf("got %q", html)
	}
	for source, want := range map[string]string{
		"[my text](url)":               "“url” is not a full address; a link needs to begin with https://.",
		"[a](/about)":                  "“/about” is not a full address; a link needs to begin with https://.",
		"[a](//host.example)":          "“//host.example” is not a full address; a link needs to begin with https://.",
		"[a]()":                        "The link “a” has no address; a link needs to begin with https://.",
		"[a](javascript:0)":            "“javascript:0” cannot be a link here; a link needs to begin with https://.",
		"![cat](https://a.example/c)":  "Images are not shown; readers see the text “cat” instead.",
		"a <b>c</b>":                   "HTML has no effect here: “<b>” is shown as you typed it.",
		"a <script>b</script>":         "Everything from <script> to </script> is left out. To show code, put it between backticks.",
		strings.Repeat("a ", maxRunes): "This text is too long, or has too many special characters, for formatting. It is shown as plain text.",
	} {
		if got := Hints(source); !slices.Equal(got, []string{want}) {
			t.Errorf("%.40q gives %q, want %q", source, got, want)
		}
	}
}

func TestHintsAreFewShortAndNotRepeated(t *testing.T) {
	t.Parallel()
	if got := Hints("[a](url) [b](url)"); len(got) != 1 {
		t.Errorf("got %q", got)
	}
	var source strings.Builder
	for i := range 40 {
		source.WriteString("[a](" + strings.Repeat("x", i+50) + ") ")
	}
	got := Hints(source.String())
	if len(got) != maxHints {
		t.Errorf("%d hints", len(got))
	}
	for _, h := range got {
		if len([]rune(h)) > 150 {
			t.Errorf("too long: %q", h)
		}
	}
	for _, fine := range []string{"", "plain", "[a](https://a.example)", "<https://a.example>", "`<b>`", "[ ] todo", "a[0](x"} {
		if got := Hints(fine); got != nil {
			t.Errorf("%q gives %q", fine, got)
		}
	}
}

func TestPlainReadsLikeTheComment(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"**a** *b* ~~c~~ `d`":                        "a b c d",
		"[a](https://a.example/x)":                   "a (https://a.example/x)",
		"<https://a.example/x> https://b.example":    "https://a.example/x https://b.example",
		"<ann@a.example>":                            "ann@a.example",
		"- a\n- b\n  - c":                            "- a\n- b\n  - c",
		"9. a\n9. b":                                 "9. a\n10. b",
		"> a\n> b\n\nc":                              "> a\n> b\n\nc",
		"a\n\n***\n\nb":                              "a\n\n---\n\nb",
		"```\n  a\n\n  b\n```":                       "  a\n\n  b",
		"a\nb\n\nc":                                  "a\nb\n\nc",
		"[`x`](https://a.example)":                   "x (https://a.example)",
		"[https://good.example](https://a.example/)": "https://good.example (https://a.example/)",
	} {
		if got := Plain(source); got != want {
			t.Errorf("%q reads %q, want %q", source, got, want)
		}
	}
}

func TestExcerptIsOneLineCutBetweenGraphemes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source string
		max    int
		want   string
	}{
		{"a\nb\n\nc", 80, "a b c"},
		{"[link](https://a.example) and **more**", 80, "link and more"},
		{"hello world", 11, "hello world"},
		{"hello world", 10, "hello wor…"},
		{"hello world", 7, "hello…"},
		{"hello", 1, "…"},
		{"hello", 0, ""},
		{"hello", -1, ""},
		{"ab👩‍👩‍👧‍👦cd", 5, "ab…"},
		{"ab👩‍👩‍👧‍👦cd", 10, "ab👩‍👩‍👧‍👦…"},
		{"abe\u0301e\u0301x", 5, "abe\u0301…"},
		{"🇩🇪🇫🇷", 3, "🇩🇪…"},
		{"", 5, ""},
	} {
		if got := Excerpt(c.source, c.max); got != c.want {
			t.Errorf("Excerpt(%q, %d) = %q, want %q", c.source, c.max, got, c.want)
		}
	}
}

func TestLinksListsWhatTheRenderedCommentLinksTo(t *testing.T) {
	t.Parallel()
	source := "[a](https://A.example/x?a=1&b=2) https://b.example <c@d.example> ![e](http://e.example/i.png) [f](url) `https://code.example` " +
		"[g][r] https://b.example https://müller.example\n\n[r]: <https://g.example>"
	want := []string{"https://a.example/x?a=1&b=2", "https://b.example", "mailto:c@d.example", "http://e.example/i.png",
		"https://g.example", "https://b.example", "https://xn--mller-kva.example"}
	if got := Links(source); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := hrefs(t, Render(source)); !slices.Equal(got, want) {
		t.Errorf("the HTML links to %q, want %q", got, want)
	}
}

func TestAReferenceUsedAThousandTimesDoesNotBlowUpThePage(t *testing.T) {
	t.Parallel()
	source := "[a]: https://a.example/" + strings.Repeat("z", 1_900) + "\n\n" + strings.Repeat("[a] ", 1_900)
	if n := len(Render(source)); n > 3*maxTargets {
		t.Errorf("%d bytes of source give %d bytes of HTML", len(source), n)
	}
}
