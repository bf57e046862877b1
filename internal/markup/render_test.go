package markup

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMarkdownIsRenderedAsTheGoldenFilesSay(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("testdata/*.md")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, path := range sources {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		t.Run(name, func(t *testing.T) {
			source := read(t, path)
			html := Render(source)
			mustBeSafe(t, source, html)
			golden(t, strings.TrimSuffix(path, ".md")+".html", html)
			golden(t, strings.TrimSuffix(path, ".md")+".txt", Plain(source)+"\n")
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, path), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestMD_01_EntitiesAreShownAsTheyWereTyped(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"use &lt;b&gt; here": "use <b> here",
		"&amp;lt;":           "&lt;",
		"a\t\tb  ":           "a\t\tb",
		"🐘 &amp; 👩‍👩‍👧":      "🐘 & 👩‍👩‍👧",
		"`&lt;`":             "&lt;",
		"<!-- note -->":      "<!-- note -->",
	} {
		html := Render(source)
		mustBeSafe(t, source, html)
		if got := Plain(source); got != want {
			t.Errorf("%q reads %q, want %q", source, got, want)
		}
		if again := Render(source); again != html {
			t.Errorf("%q is rendered to %q and then to %q", source, html, again)
		}
	}
}

func TestMD_02_CodeInAngleBracketsStays(t *testing.T) {
	t.Parallel()
	if got, want := Render("`vec<int>`"), "<p dir=\"auto\"><code>vec&lt;int&gt;</code></p>\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Plain("a Vec<String> without backticks"); got != "a Vec<String> without backticks" {
		t.Errorf("got %q", got)
	}
}

func TestMD_05_LeadingSpacesMakeNoCode(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"    a\n    b", "\ta", "a\n\n        b", "- a\n\n      b\n\n          c", ">     a", "　　a", "1.      a"} {
		if html := Render(source); strings.Contains(html, "<code") || strings.Contains(html, "<pre") {
			t.Errorf("%q gives %q", source, html)
		}
	}
	if html := Render("```\n    a\n```"); !strings.Contains(html, "<pre dir=\"auto\"><code>    a\n</code></pre>") {
		t.Errorf("fenced code gives %q", html)
	}
}

func TestMD_07_ASingleNewlineIsABreak(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"one\ntwo", "one\r\ntwo", "one\rtwo", "one  \ntwo"} {
		if html := Render(source); html != "<p dir=\"auto\">one<br/>\ntwo</p>\n" {
			t.Errorf("%q gives %q", source, html)
		}
		if plain := Plain(source); plain != "one\ntwo" {
			t.Errorf("%q reads %q", source, plain)
		}
	}
}

func TestMD_08_DoubleSlashesAreNoLinks(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"choose read//write or // nothing", "//", "http://", "https:// x", "a//b.example/c", "//b.example", "://b.example"} {
		if found := Links(source); len(found) > 0 {
			t.Errorf("%q links to %q", source, found)
		}
	}
}

func TestNoCommentBecomesAnEmptyBox(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"#", ">", "-", "1.", "```", "[r]: https://a.example", "[](x)", "<b>", "<!-- -->", "[](https://a.example)", "***"} {
		if html := Render(source); !visible(html) {
			t.Errorf("%q shows nothing: %q", source, html)
		}
	}
	for _, source := range []string{"", " \n\t", "<script>1</script>"} {
		if got := Plain(source); got != "" {
			t.Errorf("%q reads %q", source, got)
		}
	}
}

func TestUNI_04_FourByteCharactersSurvive(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"ok 🐘 after", "朵朵🌸", "🇩🇪 flag", "👩‍👩‍👧‍👦 family", "🏴󠁧󠁢󠁷󠁬󠁳󠁿 Wales", "𠮷野家"} {
		if html := Render(source); html != "<p dir=\"auto\">"+source+"</p>\n" {
			t.Errorf("%q gives %q", source, html)
		}
		if plain := Plain(source); plain != source {
			t.Errorf("%q reads %q", source, plain)
		}
		if excerpt := Excerpt(source, 80); excerpt != source {
			t.Errorf("%q begins %q", source, excerpt)
		}
		if code := Render("`" + source + "`"); !strings.Contains(code, source) {
			t.Errorf("code %q gives %q", source, code)
		}
	}
}
