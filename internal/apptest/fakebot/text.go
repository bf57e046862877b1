package fakebot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Entity is one formatted stretch of text; Offset and Length are in UTF-16 units.
type Entity struct {
	Type     string `json:"type"`
	Offset   int    `json:"offset"`
	Length   int    `json:"length"`
	URL      string `json:"url,omitempty"`
	Language string `json:"language,omitempty"`
	EmojiID  string `json:"custom_emoji_id,omitempty"`
}

// formatted is text as it is shown, with what the markup said about it.
type formatted struct {
	text     string
	entities []Entity
}

// parseText applies parse_mode, or takes the entities that came with the text.
func parseText(r *request) (formatted, *Fault) {
	source := r.params["text"]
	switch strings.ToLower(r.params["parse_mode"]) {
	case "", "none":
		return explicit(r, source)
	case "html":
		return parsed(parseHTML(source))
	case "markdownv2":
		return parsed(parseMarkdown(source))
	default:
		return formatted{}, badRequest("unsupported parse_mode")
	}
}

func parsed(f formatted, err error) (formatted, *Fault) {
	if err != nil {
		return formatted{}, badRequest("can't parse entities: " + err.Error())
	}
	return f, nil
}

func explicit(r *request, text string) (formatted, *Fault) {
	var entities []Entity
	if fault := r.object("entities", &entities); fault != nil {
		return formatted{}, fault
	}
	for _, e := range entities {
		if e.Offset < 0 || e.Length <= 0 || e.Offset+e.Length > units(text) {
			return formatted{}, badRequest("ENTITY_BOUNDS_INVALID")
		}
		if e.Type == "text_link" && !linkable(e.URL) {
			return formatted{}, badRequest(fmt.Sprintf("entity URL '%s' is invalid: Wrong HTTP URL", e.URL))
		}
	}
	return formatted{text, ordered(entities)}, nil
}

func ordered(entities []Entity) []Entity {
	slices.SortStableFunc(entities, func(a, b Entity) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(b.Length, a.Length))
	})
	return entities
}

func units(text string) int {
	n := 0
	for _, r := range text {
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

// tidy does what the server does to every text: carriage returns go, control characters become spaces, and
// space at both ends is cut; entities move along.
func tidy(f formatted) formatted {
	var out strings.Builder
	moved := make([]int, 0, units(f.text)+1) // old unit -> new unit
	at := 0
	for _, r := range f.text {
		skip := r == '\r' || out.Len() == 0 && unicode.IsSpace(r)
		if r < ' ' && r != '\n' {
			r = ' '
		}
		for range unitsOf(r) {
			moved = append(moved, at)
		}
		if !skip {
			out.WriteRune(r)
			at += unitsOf(r)
		}
	}
	moved = append(moved, at)
	text := strings.TrimRightFunc(out.String(), unicode.IsSpace)
	end := units(text)
	var entities []Entity
	for _, e := range f.entities {
		from, to := min(moved[e.Offset], end), min(moved[e.Offset+e.Length], end)
		if from < to {
			e.Offset, e.Length = from, to-from
			entities = append(entities, e)
		}
	}
	return formatted{text, entities}
}

// blank tells whether nothing visible is left: invisible characters alone make no message.
func blank(text string) bool {
	return strings.TrimFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || r >= 0xFE00 && r <= 0xFE0F
	}) == ""
}

// builder collects shown text and knows how many UTF-16 units it has.
type builder struct {
	out      strings.Builder
	at       int
	entities []Entity
}

func (b *builder) add(r rune) {
	b.out.WriteRune(r)
	b.at += unitsOf(r)
}

// mark notes an entity from the unit start to here; the empty ones and dead links vanish without a word.
func (b *builder) mark(e Entity, start int) {
	e.Offset, e.Length = start, b.at-start
	if e.Type == "text_link" && e.URL == "" {
		e.URL = tail(b.out.String(), start)
	}
	if e.Length > 0 && (e.Type != "text_link" || linkable(e.URL)) {
		b.entities = append(b.entities, e)
	}
}

// tail is the text from the UTF-16 unit start on.
func tail(text string, start int) string {
	at := 0
	for i, r := range text {
		if at >= start {
			return text[i:]
		}
		at += unitsOf(r)
	}
	return ""
}

func (b *builder) formatted() formatted {
	return formatted{b.out.String(), ordered(b.entities)}
}
