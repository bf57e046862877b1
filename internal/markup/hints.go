package markup

import (
	"fmt"
	"slices"
	"strings"
)

const (
	maxHints  = 5  // more would hide the comment they are about
	maxQuoted = 60 // characters of the author's text that a hint repeats
)

// Hints gives sentences for the author about what Render shows differently from what they may have meant, such as a
// link placeholder that was never filled in. They are plain text, at most five, each at most once, and nil for a text
// without surprises.
func Hints(source string) []string {
	source = normalise(source)
	if !formattable(source) {
		return []string{"This text is too long, or has too many special characters, for formatting. It is shown as plain text."}
	}
	doc := parse(source)
	var hints []string
	add := func(hint string) {
		if len(hints) < maxHints && !slices.Contains(hints, hint) {
			hints = append(hints, hint)
		}
	}
	for _, r := range doc.refused {
		add(r.hint())
	}
	for _, name := range doc.discarded {
		add(fmt.Sprintf("Everything from <%s> to </%s> is left out. To show code, put it between backticks.", name, name))
	}
	for _, label := range doc.images {
		add(imageHint(label))
	}
	if len(doc.tags) > 0 {
		add(fmt.Sprintf("HTML has no effect here: “%s” is shown as you typed it.", quote(doc.tags[0])))
	}
	return hints
}

func (r refusal) hint() string {
	switch {
	case strings.TrimSpace(r.address) == "":
		return fmt.Sprintf("The link “%s” has no address; a link needs to begin with https://.", quote(r.label))
	case len(r.address) > maxTarget:
		return fmt.Sprintf("The address “%s” is too long for a link.", quote(r.address))
	case strings.Contains(r.address, ":"):
		return fmt.Sprintf("“%s” cannot be a link here; a link needs to begin with https://.", quote(r.address))
	}
	return fmt.Sprintf("“%s” is not a full address; a link needs to begin with https://.", quote(r.address))
}

func imageHint(label string) string {
	if label = quote(label); label != "" {
		return fmt.Sprintf("Images are not shown; readers see the text “%s” instead.", label)
	}
	return "Images are not shown; readers see the address instead."
}

func quote(s string) string {
	return clip(strings.Join(strings.Fields(s), " "), maxQuoted)
}
