package fakebot

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const reserved = "_*[]()~`>#+-=|{}.!"

// marker is one opening sign; sign and closing sign are the same except for links.
type marker struct {
	sign   string
	name   string // in Telegram's error texts
	entity string
}

// markers are tried in this order: the longer sign wins.
var markers = []marker{
	{"```", "Pre", "pre"}, {"`", "Code", "code"}, {"__", "Underline", "underline"}, {"_", "Italic", "italic"},
	{"*", "Bold", "bold"}, {"~", "Strikethrough", "strikethrough"}, {"||", "Spoiler", "spoiler"},
	{"![", "CustomEmoji", "custom_emoji"}, {"[", "TextUrl", "text_link"},
}

type openMarker struct {
	marker
	start    int // UTF-16 unit
	from     int // byte
	language string
}

type markdownParser struct {
	builder
	src   string
	pos   int
	open  []openMarker
	quote int // UTF-16 unit where the block quotation starts, -1 outside
}

// parseMarkdown reads MarkdownV2: a reserved character that is no markup must be escaped.
func parseMarkdown(src string) (formatted, error) {
	p := &markdownParser{src: src, quote: -1}
	for p.pos < len(p.src) {
		if err := p.next(); err != nil {
			return formatted{}, err
		}
	}
	if n := len(p.open); n > 0 {
		m := p.open[n-1]
		return formatted{}, fmt.Errorf("Can't find end of %s entity at byte offset %d", m.name, m.from)
	}
	p.endQuote("blockquote")
	return p.formatted(), nil
}

func (p *markdownParser) rest() string { return p.src[p.pos:] }

func (p *markdownParser) top() openMarker {
	if len(p.open) == 0 {
		return openMarker{}
	}
	return p.open[len(p.open)-1]
}

func (p *markdownParser) next() error {
	c := p.src[p.pos]
	if c == '\\' && p.pos+1 < len(p.src) && p.src[p.pos+1] > 0 && p.src[p.pos+1] < 127 {
		p.add(rune(p.src[p.pos+1]))
		p.pos += 2
		return nil
	}
	top := p.top()
	if top.sign == "`" || top.sign == "```" {
		if strings.HasPrefix(p.rest(), top.sign) {
			return p.close(top)
		}
		return p.literal()
	}
	if p.lineStart() && p.quoteSign() {
		return nil
	}
	if strings.IndexByte(reserved, c) < 0 {
		return p.literal()
	}
	return p.sign(top)
}

func (p *markdownParser) literal() error {
	r, size := utf8.DecodeRuneInString(p.rest())
	p.add(r)
	p.pos += size
	if r == '\n' && p.quote >= 0 && len(p.open) == 0 && !strings.HasPrefix(strings.TrimLeft(p.rest(), "\r"), ">") {
		p.endQuote("blockquote")
	}
	return nil
}

// sign handles a reserved character: the end of what is open, the start of something, or a mistake.
func (p *markdownParser) sign(top openMarker) error {
	if p.src[p.pos] == ']' && (top.sign == "[" || top.sign == "![") {
		return p.closeLink(top)
	}
	for _, m := range markers {
		if !strings.HasPrefix(p.rest(), m.sign) {
			continue
		}
		if m.sign == top.sign && m.sign != "[" && m.sign != "![" {
			return p.close(top)
		}
		if m.sign == "||" && p.quoteEnds() {
			return nil
		}
		p.start(m)
		return nil
	}
	return fmt.Errorf("Character '%c' is reserved and must be escaped with the preceding '\\'", p.src[p.pos])
}

func (p *markdownParser) start(m marker) {
	o := openMarker{marker: m, start: p.at, from: p.pos}
	p.pos += len(m.sign)
	if m.sign == "```" {
		line, _, more := strings.Cut(p.rest(), "\n")
		if more && line != "" && !strings.ContainsAny(line, " \t`") {
			o.language = line
			p.pos += len(line)
		}
		if strings.HasPrefix(p.rest(), "\n") {
			p.pos++
		}
	}
	p.open = append(p.open, o)
}

func (p *markdownParser) close(o openMarker) error {
	p.pos += len(o.sign)
	p.open = p.open[:len(p.open)-1]
	p.mark(Entity{Type: o.entity, Language: o.language}, o.start)
	return nil
}

// closeLink reads the address that follows the words; without one the words are the address.
func (p *markdownParser) closeLink(o openMarker) error {
	p.pos++
	var address strings.Builder
	if strings.HasPrefix(p.rest(), "(") {
		from := p.pos
		for p.pos++; ; p.pos++ {
			if p.pos >= len(p.src) {
				return fmt.Errorf("Can't find end of a URL at byte offset %d", from)
			}
			if p.src[p.pos] == ')' {
				p.pos++
				break
			}
			if p.src[p.pos] == '\\' && p.pos+1 < len(p.src) && p.src[p.pos+1] < 127 {
				p.pos++
			}
			address.WriteByte(p.src[p.pos])
		}
	}
	p.open = p.open[:len(p.open)-1]
	e := Entity{Type: o.entity, URL: address.String()}
	if o.sign == "![" {
		_, e.EmojiID, _ = strings.Cut(e.URL, "id=")
		e.URL = ""
	}
	p.mark(e, o.start)
	return nil
}

func (p *markdownParser) lineStart() bool {
	before := strings.TrimRight(p.src[:p.pos], "\r")
	return before == "" || strings.HasSuffix(before, "\n")
}

// quoteSign starts or continues a block quotation; **> starts a new one right after another.
func (p *markdownParser) quoteSign() bool {
	switch {
	case strings.HasPrefix(p.rest(), "**>"):
		p.endQuote("blockquote")
		p.pos += len("**>")
	case strings.HasPrefix(p.rest(), ">"):
		p.pos++
	default:
		return false
	}
	if p.quote < 0 {
		p.quote = p.at
	}
	return true
}

// quoteEnds takes || at the end of a quoted line: the quotation is folded.
func (p *markdownParser) quoteEnds() bool {
	after := strings.TrimLeft(strings.TrimPrefix(p.rest(), "||"), "\r")
	if p.quote < 0 || after != "" && after[0] != '\n' {
		return false
	}
	p.pos += len("||")
	p.endQuote("expandable_blockquote")
	return true
}

func (p *markdownParser) endQuote(kind string) {
	if p.quote >= 0 {
		p.mark(Entity{Type: kind}, p.quote)
	}
	p.quote = -1
}
