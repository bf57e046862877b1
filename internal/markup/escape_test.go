package markup

import (
	"html"
	"strings"
	"testing"
)

func TestWhatIsEscapedIsReadAsItIs(t *testing.T) {
	t.Parallel()
	for _, plain := range []string{"Ann", "*Ann* _B_", "[x](https://evil.example)", "https://evil.example/a_b", "<https://evil.example>", "![p](https://evil.example/p.png)",
		"`code` ~~gone~~", `back\slash \* \`, "a&amp;b &lt;", "O'Neil, Jr. (3rd)", "# no heading", "Https://evil.example", "::// ://"} {
		rendered := Render("Dear " + Escape(plain) + ", thanks.")
		inner := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(rendered), `<p dir="auto">`), "</p>")
		if got := html.UnescapeString(inner); got != "Dear "+plain+", thanks." {
			t.Errorf("%q is read as %q", plain, rendered)
		}
	}
}
