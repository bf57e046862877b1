package console

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/words"
)

// speech is that of whoever reads the terminal.
var speech = words.In("en")

// excerptLength is how many characters of the comment that is answered are shown.
const excerptLength = 120

// visible returns s with everything escaped that a terminal would obey or that
// would turn the line around. Line ends are left to inLine and block.
func visible(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\uFFFD") {
		switch {
		case r == '\n':
			b.WriteByte('\n')
		case r == '\t':
			b.WriteString("    ")
		case r < 0x100 && unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029', r == '\ufeff':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// inLine returns s visible and on one line.
func inLine(s string) string { return strings.ReplaceAll(visible(s), "\n", `\n`) }

// block returns a text visible, with a mark before each of its lines: it cannot
// pretend to be a line of the console's own.
func block(s string) string {
	return "  │ " + strings.ReplaceAll(visible(s), "\n", "\n  │ ") + "\n"
}

// card is what the terminal shows of a comment.
func card(d postil.Detail) string {
	c := d.Comment
	var b strings.Builder
	title := d.Post.Title
	if title == "" {
		title = string(c.Post)
	}
	fmt.Fprintf(&b, "\n── %s · %s ──\n", inLine(string(c.Site)), inLine(title))
	fmt.Fprintf(&b, "%s · %s", inLine(c.Author.Name), speech.History(c, d.Record))
	if c.Author.Website != "" {
		b.WriteString(" · " + inLine(postil.ShowWebsite(c.Author.Website)))
	}
	b.WriteByte('\n')
	if d.Parent != nil {
		fmt.Fprintf(&b, "  ↪ %s: %s\n", inLine(d.Parent.Author.Name), inLine(markup.Excerpt(d.Parent.Text, excerptLength)))
	}
	if c.Draft != nil {
		b.WriteString("Readers see:\n" + block(c.Text) + "The author's new text (y publishes it, n keeps the old one):\n" + block(c.Draft.Text))
	} else {
		b.WriteString(block(c.Text))
	}
	if why := speech.Why(c.Verdict, c.Findings); why != "" {
		b.WriteString("  " + inLine(why) + "\n")
	}
	return b.String()
}
