package markup

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf8"
)

// Bounds on what is read as Markdown. The parser needs quadratic time for some runs of punctuation; a text beyond
// these bounds is shown as plain paragraphs, which is linear. Texts that people write stay far below them.
const (
	maxRunes    = 20_000 // characters
	maxEmphasis = 1_500  // runs of * _ or ~, which are matched with each other
	maxMarks    = 4_000  // brackets, angles and runs of backticks
)

// Render gives the safe HTML of a comment's Markdown source. The result is a fixed point of Sanitize and holds only the
// elements listed in policy.go. It never fails: what is not Markdown is shown as it was typed. Raw HTML is shown
// literally, except that a script or style element is left out with its content.
func Render(source string) string {
	source = normalise(source)
	if !formattable(source) {
		return Sanitize(paragraphs(source))
	}
	doc := parse(source)
	out := Sanitize(doc.html())
	if doc.discarded == nil && !visible(out) {
		return Sanitize(paragraphs(source))
	}
	return out
}

// normalise gives valid UTF-8 with "\n" line ends and without control characters that no reader can see.
func normalise(source string) string {
	source = strings.ToValidUTF8(source, "\uFFFD")
	source = strings.ReplaceAll(source, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r == '\n' || r == '\t':
			return r
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			return -1
		}
		return r
	}, source)
}

// formattable reports whether source is within the bounds for Markdown.
func formattable(source string) bool {
	if utf8.RuneCountInString(source) > maxRunes {
		return false
	}
	emphasis, marks := 0, 0
	for i := range len(source) {
		run := i > 0 && source[i-1] == source[i]
		switch source[i] {
		case '*', '_', '~':
			if !run {
				emphasis++
			}
		case '`':
			if !run {
				marks++
			}
		case '[', ']', '<':
			marks++
		}
	}
	return emphasis <= maxEmphasis && marks <= maxMarks
}

// paragraphs gives source as escaped paragraphs with its line breaks and no formatting.
func paragraphs(source string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(source, "\n\n") {
		part = strings.Trim(part, "\n")
		if strings.TrimSpace(part) == "" {
			continue
		}
		b.WriteString("<p>")
		b.WriteString(strings.ReplaceAll(html.EscapeString(part), "\n", "<br>\n"))
		b.WriteString("</p>\n")
	}
	return b.String()
}

// html renders the document. The result is not yet safe to show.
func (d *document) html() string {
	var b bytes.Buffer
	// Writing to a bytes.Buffer cannot fail, and the node renderers return no errors of their own.
	_ = engine.Renderer().Render(&b, d.source, d.root)
	return b.String()
}

// visible reports whether safe HTML shows anything: a comment must not become an empty box because it consists of,
// say, a lone "#" or a reference definition.
func visible(safe string) bool {
	return strings.Contains(safe, "<hr") || strings.TrimFunc(readable(safe, withoutTargets), invisible) != ""
}
