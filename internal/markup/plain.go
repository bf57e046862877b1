package markup

import (
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Plain gives the readable text of a comment: what Render shows, without markup. Line breaks are kept, paragraphs are
// set apart by an empty line, quotes begin with "> ", list items with "- " or their number, and an address follows its
// link in parentheses where the text is not the address itself. The text is not escaped for anything.
func Plain(source string) string { return PlainHTML(Render(source)) }

// PlainHTML is Plain for who has the safe HTML that Render gave.
func PlainHTML(safe string) string { return readable(safe, withTargets) }

// Excerpt gives the beginning of a comment in one line of at most max characters (runes), "…" included. It cuts
// between characters as people see them: never inside an emoji or between a letter and its accent.
func Excerpt(source string, max int) string {
	return ExcerptHTML(Render(source), max)
}

// ExcerptHTML is Excerpt for who has only the safe HTML that Render gave.
func ExcerptHTML(safe string, max int) string {
	return clip(strings.Join(strings.Fields(readable(safe, withoutTargets)), " "), max)
}

// clip shortens s to at most max runes at a grapheme boundary.
func clip(s string, max int) string {
	if max <= 0 {
		return ""
	}
	cut, runes := 0, 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		runes += len(g.Runes())
		if runes > max {
			return strings.TrimRight(s[:cut], " ") + "…"
		}
		if _, end := g.Positions(); runes < max {
			cut = end // leaves room for the ellipsis
		}
	}
	return s
}

// Links lists the addresses that the rendered comment links to: canonical http, https and mailto addresses, in order,
// repeated as often as they stand there.
func Links(source string) []string { return LinksHTML(Render(source)) }

// LinksHTML is Links for who has the safe HTML that Render gave.
func LinksHTML(safe string) []string {
	root, err := parseHTML(safe)
	if err != nil {
		return nil
	}
	var links []string
	for n := range root.Descendants() {
		if n.DataAtom == atom.A {
			links = append(links, attribute(n, "href"))
		}
	}
	return links
}

type targets bool

const (
	withTargets    targets = true
	withoutTargets targets = false
)

// readable gives the text of safe HTML.
func readable(safe string, show targets) string {
	root, err := parseHTML(safe)
	if err != nil {
		return ""
	}
	return strings.Trim(strings.Join(show.blocks(root), "\n"), "\n")
}

// blocks gives the lines of an element that may hold blocks as well as running text.
func (t targets) blocks(n *html.Node) []string {
	var lines []string
	var running strings.Builder
	end := func() {
		if s := running.String(); strings.Trim(s, " \t\n") != "" {
			lines = append(lines, trimLines(s)...)
		}
		running.Reset()
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		block := t.block(c)
		if block == nil {
			t.inline(&running, c)
			continue
		}
		end()
		if len(lines) > 0 && !(n.DataAtom == atom.Li && list(c)) {
			lines = append(lines, "")
		}
		lines = append(lines, block...)
	}
	end()
	return lines
}

// block gives the lines of a block element, or nil for anything else.
func (t targets) block(n *html.Node) []string {
	switch n.DataAtom {
	case atom.P:
		var b strings.Builder
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			t.inline(&b, c)
		}
		return trimLines(b.String())
	case atom.Pre:
		return strings.Split(strings.Trim(content(n), "\n"), "\n")
	case atom.Hr:
		return []string{"---"}
	case atom.Blockquote:
		return indent(t.blocks(n), "> ", "> ")
	case atom.Ul, atom.Ol:
		return t.items(n)
	case atom.Li: // outside a list
		return t.blocks(n)
	}
	return nil
}

func list(n *html.Node) bool { return n.DataAtom == atom.Ul || n.DataAtom == atom.Ol }

// items gives the lines of a list, each item behind its marker.
func (t targets) items(l *html.Node) []string {
	number, err := strconv.Atoi(attribute(l, "start"))
	if err != nil {
		number = 1
	}
	lines := []string{} // not nil: an empty list is a block all the same
	for c := l.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Li {
			continue
		}
		marker := "- "
		if l.DataAtom == atom.Ol {
			marker = strconv.Itoa(number) + ". "
			number++
		}
		lines = append(lines, indent(t.blocks(c), marker, strings.Repeat(" ", len(marker)))...)
	}
	return lines
}

func indent(lines []string, first, rest string) []string {
	if len(lines) == 0 {
		lines = []string{""}
	}
	for i, line := range lines {
		if i == 0 {
			lines[i] = first + line
		} else {
			lines[i] = strings.TrimRight(rest+line, " ")
		}
	}
	return lines
}

func (t targets) inline(b *strings.Builder, n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		b.WriteString(strings.ReplaceAll(n.Data, "\n", " "))
	case n.DataAtom == atom.Br:
		b.WriteByte('\n')
	case n.DataAtom == atom.A && bool(t):
		label := content(n)
		b.WriteString(label)
		if href := attribute(n, "href"); !sameAddress(label, href) {
			b.WriteString(" (" + href + ")")
		}
	default:
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			t.inline(b, c)
		}
	}
}

// sameAddress reports whether a link's text already shows where it leads.
func sameAddress(label, href string) bool {
	canonical, ok := target(label)
	return ok && canonical == href || label == href || "mailto:"+label == href
}

// content gives all text below n as it stands there.
func content(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.DataAtom == atom.Br:
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func trimLines(s string) []string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.Trim(line, " \t")
	}
	return lines
}
