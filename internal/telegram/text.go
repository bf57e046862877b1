package telegram

import (
	"html"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// maxMessage is the longest message in UTF-16 units, after its markup is read.
const maxMessage = 4096

// units measures s as Telegram does.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += unitsOf(r)
	}
	return n
}

func unitsOf(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// clip returns at most limit units of s, "…" included, cut between characters
// as people see them.
func clip(s string, limit int) string {
	if units(s) <= limit {
		return s
	}
	return strings.TrimRight(head(s, limit-1), " \n") + "…"
}

// head returns the beginning of s that fits in limit units. A heap of marks
// that is one character and does not fit is cut where it must be.
func head(s string, limit int) string {
	used, end, state := 0, 0, -1
	for rest := s; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		n := units(cluster)
		if used+n > limit {
			if end == 0 {
				return firstRunes(cluster, limit)
			}
			break
		}
		used += n
		end += len(cluster)
	}
	return s[:end]
}

func firstRunes(s string, limit int) string {
	used := 0
	for i, r := range s {
		if used += unitsOf(r); used > limit {
			return s[:i]
		}
	}
	return s
}

// clean returns s without what could turn the rest of a card around or is no
// text: direction marks, control characters, broken UTF-8. Lines stay.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Noncharacter_Code_Point, r):
			return -1
		case r == '\u2028', r == '\u2029':
			return '\n'
		}
		return r
	}, s)
}

// line returns s cleaned, on one line, in at most limit units.
func line(s string, limit int) string {
	return clip(strings.Join(strings.Fields(clean(s)), " "), limit)
}

// page is HTML in the making that knows how long it is for Telegram.
type page struct {
	out  strings.Builder
	used int
}

// text adds words; they are escaped here and nowhere else.
func (p *page) text(s string) {
	p.out.WriteString(html.EscapeString(s))
	p.used += units(s)
}

// in adds words inside a tag, such as "b" or "blockquote expandable".
func (p *page) in(tag, s string) {
	if s == "" {
		return
	}
	name, _, _ := strings.Cut(tag, " ")
	p.out.WriteString("<" + tag + ">")
	p.text(s)
	p.out.WriteString("</" + name + ">")
}

// link adds words that lead somewhere; only web addresses are followed.
func (p *page) link(s, href string) {
	if !webAddress(href) {
		p.text(s)
		return
	}
	p.out.WriteString(`<a href="` + html.EscapeString(href) + `">`)
	p.text(s)
	p.out.WriteString("</a>")
}

// sentence adds a text with places such as {name}, each filled by a function.
func (p *page) sentence(text string, places map[string]func(*page)) {
	for text != "" {
		before, rest, _ := strings.Cut(text, "{")
		p.text(before)
		name, after, found := strings.Cut(rest, "}")
		if found && places[name] != nil {
			places[name](p)
		}
		text = after
	}
}
