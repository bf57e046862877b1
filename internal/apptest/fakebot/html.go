package fakebot

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// entityOf is the closed set of tags; everything else is an error.
var entityOf = map[string]string{
	"b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline", "ins": "underline",
	"s": "strikethrough", "strike": "strikethrough", "del": "strikethrough",
	"span": "spoiler", "tg-spoiler": "spoiler", "a": "text_link", "code": "code", "pre": "pre",
	"blockquote": "blockquote", "tg-emoji": "custom_emoji",
}

type tag struct {
	name   string
	start  int // UTF-16 unit of its content
	entity Entity
}

type htmlParser struct {
	builder
	src  string
	pos  int
	open []tag
}

// parseHTML reads Telegram's HTML: no repair, no unknown tags, and four named references.
func parseHTML(src string) (formatted, error) {
	p := &htmlParser{src: src}
	for p.pos < len(p.src) {
		if err := p.next(); err != nil {
			return formatted{}, err
		}
	}
	if n := len(p.open); n > 0 {
		return formatted{}, fmt.Errorf("Can't find end tag corresponding to start tag %q", p.open[n-1].name)
	}
	return p.formatted(), nil
}

func (p *htmlParser) next() error {
	switch {
	case strings.HasPrefix(p.src[p.pos:], "</"):
		return p.endTag()
	case p.src[p.pos] == '<':
		return p.startTag()
	case p.src[p.pos] == '&':
		r, size, err := reference(p.src, p.pos)
		if err != nil {
			return err
		}
		p.add(r)
		p.pos += size
	default:
		r, size := utf8.DecodeRuneInString(p.src[p.pos:])
		p.add(r)
		p.pos += size
	}
	return nil
}

// reference reads &lt; &gt; &amp; &quot; and numbers. Anything else would stay on the screen as it is
// written, which nobody wants, so it is an error here.
func reference(src string, at int) (rune, int, error) {
	bad := fmt.Errorf("Unescaped character '&' at byte offset %d", at)
	length := strings.IndexByte(src[at:], ';')
	if length < 0 {
		return 0, 0, bad
	}
	name := src[at+1 : at+length]
	switch name {
	case "lt", "gt", "amp", "quot":
		return []rune(html.UnescapeString("&" + name + ";"))[0], length + 1, nil
	}
	digits, numeric := strings.CutPrefix(name, "#")
	base := 10
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 21)
	if !numeric || err != nil || n == 0 || !utf8.ValidRune(rune(n)) {
		return 0, 0, bad
	}
	return rune(n), length + 1, nil
}

func (p *htmlParser) startTag() error {
	begin := p.pos
	p.pos++
	name := strings.ToLower(p.take(" \t\r\n\f>"))
	if p.pos == len(p.src) {
		return fmt.Errorf("Unclosed start tag at byte offset %d", begin)
	}
	kind, known := entityOf[name]
	if !known {
		return fmt.Errorf("Unsupported start tag %q at byte offset %d", name, begin)
	}
	t := tag{name: name, start: p.at, entity: Entity{Type: kind}}
	attrs, err := p.attributes(name, begin)
	if err != nil {
		return err
	}
	if name == "span" && attrs["class"] != "tg-spoiler" {
		return fmt.Errorf("Tag \"span\" must have class \"tg-spoiler\" at byte offset %d", begin)
	}
	p.apply(&t, attrs)
	p.open = append(p.open, t)
	return nil
}

func (p *htmlParser) apply(t *tag, attrs map[string]string) {
	switch t.name {
	case "a":
		t.entity.URL = attrs["href"]
	case "tg-emoji":
		t.entity.EmojiID = attrs["emoji-id"]
	case "blockquote":
		if _, ok := attrs["expandable"]; ok {
			t.entity.Type = "expandable_blockquote"
		}
	case "code":
		language, ok := strings.CutPrefix(attrs["class"], "language-")
		// <pre><code class="language-go"> is one block of code, not two entities.
		if n := len(p.open); ok && n > 0 && p.open[n-1].name == "pre" && p.open[n-1].start == p.at {
			p.open[n-1].entity.Language = language
			t.entity.Type = ""
		}
	}
}

// attributes reads up to and including the closing angle bracket.
func (p *htmlParser) attributes(name string, begin int) (map[string]string, error) {
	attrs := map[string]string{}
	for {
		p.skipSpace()
		if p.pos == len(p.src) {
			return nil, fmt.Errorf("Unclosed start tag at byte offset %d", begin)
		}
		if p.src[p.pos] == '>' {
			p.pos++
			return attrs, nil
		}
		at := p.pos
		key := strings.ToLower(p.take(" \t\r\n\f=>"))
		if key == "" {
			return nil, fmt.Errorf("Empty attribute name in the tag %q at byte offset %d", name, at)
		}
		p.skipSpace()
		if p.pos == len(p.src) || p.src[p.pos] != '=' {
			if name == "blockquote" && key == "expandable" {
				attrs[key] = ""
				continue
			}
			return nil, fmt.Errorf("Expected equal sign in declaration of an attribute of the tag %q at byte offset %d", name, begin)
		}
		p.pos++
		value, err := p.value(begin)
		if err != nil {
			return nil, err
		}
		attrs[key] = value
	}
}

func (p *htmlParser) value(begin int) (string, error) {
	p.skipSpace()
	if p.pos == len(p.src) {
		return "", fmt.Errorf("Unclosed start tag at byte offset %d", begin)
	}
	end := " \t\r\n\f>"
	quote := p.src[p.pos]
	quoted := quote == '"' || quote == '\''
	if quoted {
		p.pos++
		end = string(quote)
	}
	from := p.pos
	raw := p.take(end)
	if p.pos == len(p.src) {
		return "", fmt.Errorf("Unclosed start tag at byte offset %d", begin)
	}
	if quoted {
		p.pos++
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '&' {
			continue
		}
		if _, _, err := reference(p.src, from+i); err != nil {
			return "", err
		}
	}
	return html.UnescapeString(raw), nil
}

func (p *htmlParser) endTag() error {
	begin := p.pos
	p.pos += len("</")
	name := strings.ToLower(strings.TrimSpace(p.take(">")))
	if p.pos == len(p.src) {
		return fmt.Errorf("Unclosed end tag at byte offset %d", begin)
	}
	p.pos++
	n := len(p.open)
	if n == 0 {
		return fmt.Errorf("Unexpected end tag at byte offset %d", begin)
	}
	t := p.open[n-1]
	if name != t.name {
		return fmt.Errorf("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", begin, t.name, name)
	}
	p.open = p.open[:n-1]
	if t.entity.Type != "" {
		p.mark(t.entity, t.start)
	}
	return nil
}

// take reads up to one of the ends, or to the end of the text.
func (p *htmlParser) take(ends string) string {
	length := strings.IndexAny(p.src[p.pos:], ends)
	if length < 0 {
		length = len(p.src) - p.pos
	}
	p.pos += length
	return p.src[p.pos-length : p.pos]
}

func (p *htmlParser) skipSpace() {
	for p.pos < len(p.src) && strings.IndexByte(" \t\r\n\f", p.src[p.pos]) >= 0 {
		p.pos++
	}
}
