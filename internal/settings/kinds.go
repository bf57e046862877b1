package settings

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/postil/postil/internal/postil"
)

// replace is what most entries do: a site's own value counts.
type replace struct{}

func (replace) both(_, own any) any { return own }

// Bool is a switch.
type Bool struct {
	Info
	Default bool
	AnyTrue bool // a site cannot turn off what is on everywhere
}

// Get returns the value for a site.
func (e *Bool) Get(s *Snapshot, site postil.SiteID) bool { return get[bool](s, e.index, site) }

// Type, Standard, Parse, Write and Bounds are those of Entry.
func (e *Bool) Type() string                { return "bool" }
func (e *Bool) Standard() any               { return e.Default }
func (e *Bool) Write(v any) json.RawMessage { return mustWrite(v) }
func (e *Bool) Bounds() map[string]any      { return nil }
func (e *Bool) both(all, own any) any       { return own.(bool) || e.AnyTrue && all.(bool) }
func (e *Bool) Parse(raw json.RawMessage) (any, error) {
	var v bool
	if json.Unmarshal(raw, &v) != nil {
		return nil, wrong("“%s” is true or false.", e.Name)
	}
	return v, nil
}

// Int is a whole number.
type Int struct {
	Info
	replace
	Default, Min, Max int
}

// Get returns the value for a site.
func (e *Int) Get(s *Snapshot, site postil.SiteID) int { return get[int](s, e.index, site) }

// Type, Standard, Parse, Write and Bounds are those of Entry.
func (e *Int) Type() string                { return "int" }
func (e *Int) Standard() any               { return e.Default }
func (e *Int) Write(v any) json.RawMessage { return mustWrite(v) }
func (e *Int) Bounds() map[string]any      { return map[string]any{"min": e.Min, "max": e.Max} }
func (e *Int) Parse(raw json.RawMessage) (any, error) {
	var v int
	if json.Unmarshal(raw, &v) != nil || v < e.Min || v > e.Max {
		return nil, wrong("“%s” is a whole number of %s from %s to %s.", e.Name, unit(e.Unit), postil.Thousands(e.Min), postil.Thousands(e.Max))
	}
	return v, nil
}

func unit(u string) string {
	if u == "" {
		return "no unit"
	}
	return u
}

// Float is a number.
type Float struct {
	Info
	replace
	Default, Min, Max float64
}

// Get returns the value for a site.
func (e *Float) Get(s *Snapshot, site postil.SiteID) float64 { return get[float64](s, e.index, site) }

// Type, Standard, Parse, Write and Bounds are those of Entry.
func (e *Float) Type() string                { return "float" }
func (e *Float) Standard() any               { return e.Default }
func (e *Float) Write(v any) json.RawMessage { return mustWrite(v) }
func (e *Float) Bounds() map[string]any      { return map[string]any{"min": e.Min, "max": e.Max} }
func (e *Float) Parse(raw json.RawMessage) (any, error) {
	var v float64
	if json.Unmarshal(raw, &v) != nil || math.IsNaN(v) || v < e.Min || v > e.Max {
		return nil, wrong("“%s” is a number from %v to %v.", e.Name, e.Min, e.Max)
	}
	return v, nil
}

// Duration is a length of time, written as "15m", "36h" or "30d".
type Duration struct {
	Info
	replace
	Default, Min, Max time.Duration
}

// Get returns the value for a site.
func (e *Duration) Get(s *Snapshot, site postil.SiteID) time.Duration {
	return get[time.Duration](s, e.index, site)
}

// Type, Standard, Parse, Write and Bounds are those of Entry.
func (e *Duration) Type() string                { return "duration" }
func (e *Duration) Standard() any               { return e.Default }
func (e *Duration) Write(v any) json.RawMessage { return mustWrite(writeSpan(v.(time.Duration))) }
func (e *Duration) Bounds() map[string]any {
	return map[string]any{"min": writeSpan(e.Min), "max": writeSpan(e.Max)}
}
func (e *Duration) Parse(raw json.RawMessage) (any, error) {
	var text string
	v, ok := time.Duration(0), json.Unmarshal(raw, &text) == nil
	if ok {
		v, ok = readSpan(text)
	}
	if !ok || v < e.Min || v > e.Max {
		return nil, wrong("“%s” is a time from %s to %s, written as “15m”, “36h” or “30d”.", e.Name, writeSpan(e.Min), writeSpan(e.Max))
	}
	return v, nil
}

// Text is one text.
type Text struct {
	Info
	replace
	Default string
	Max     int                // characters
	Check   func(string) error // more rules; nil: none
}

// Get returns the value for a site.
func (e *Text) Get(s *Snapshot, site postil.SiteID) string { return get[string](s, e.index, site) }

// Type, Standard, Parse, Write and Bounds are those of Entry.
func (e *Text) Type() string                { return "string" }
func (e *Text) Standard() any               { return e.Default }
func (e *Text) Write(v any) json.RawMessage { return mustWrite(v) }
func (e *Text) Bounds() map[string]any      { return map[string]any{"max": e.Max} }
func (e *Text) Parse(raw json.RawMessage) (any, error) {
	var v string
	if json.Unmarshal(raw, &v) != nil || utf8.RuneCountInString(v) > e.Max {
		return nil, wrong("“%s” is a text of at most %s characters.", e.Name, postil.Thousands(e.Max))
	}
	v = strings.TrimSpace(norm.NFC.String(v))
	if e.Check != nil && v != "" {
		if err := e.Check(v); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Enum is one of a few words.
type Enum struct {
	Info
	replace
	Default string
	Options []string
}

// Get returns the value for a site.
func (e *Enum) Get(s *Snapshot, site postil.SiteID) string { return get[string](s, e.index, site) }

// Type, Standard, Parse, Write and Bounds are those of Entry.
func (e *Enum) Type() string                { return "enum" }
func (e *Enum) Standard() any               { return e.Default }
func (e *Enum) Write(v any) json.RawMessage { return mustWrite(v) }
func (e *Enum) Bounds() map[string]any      { return map[string]any{"options": e.Options} }
func (e *Enum) Parse(raw json.RawMessage) (any, error) {
	var v string
	if json.Unmarshal(raw, &v) != nil || !slices.Contains(e.Options, v) {
		return nil, wrong("“%s” is one of: %s.", e.Name, strings.Join(e.Options, ", "))
	}
	return v, nil
}

// List is a list of texts without repetitions. What a site has is added to
// what counts everywhere.
type List struct {
	Info
	Default []string
	Item    func(string) (string, error) // checks and tidies one; nil: any text of at most maxItem characters
}

const (
	maxItems = 1_000
	maxItem  = 200
	maxList  = 400 << 10 // bytes: a list must fit into one message to the other nodes
)

// Get returns the value for a site. It is shared: do not change it.
func (e *List) Get(s *Snapshot, site postil.SiteID) []string { return get[[]string](s, e.index, site) }

// Type, Standard, Parse, Write and Bounds are those of Entry.
func (e *List) Type() string { return "list" }
func (e *List) Standard() any {
	if e.Default == nil {
		return []string{}
	}
	return e.Default
}
func (e *List) Write(v any) json.RawMessage { return mustWrite(v) }
func (e *List) Bounds() map[string]any      { return map[string]any{"max": maxItems} }
func (e *List) Parse(raw json.RawMessage) (any, error) {
	var in []string
	if json.Unmarshal(raw, &in) != nil || in == nil {
		return nil, wrong("“%s” is a list of texts.", e.Name)
	}
	out := []string{}
	for _, item := range in {
		item = strings.TrimSpace(norm.NFC.String(item))
		if item == "" || slices.Contains(out, item) {
			continue
		}
		if n := utf8.RuneCountInString(item); n > maxItem {
			return nil, postil.TooLong("value", n, maxItem)
		}
		if e.Item != nil {
			var err error
			if item, err = e.Item(item); err != nil {
				return nil, err
			}
		}
		out = append(out, item)
	}
	if len(out) > maxItems || len(mustWrite(out)) > maxList {
		return nil, wrong("“%s” has at most %s entries, and %d KiB altogether.", e.Name, postil.Thousands(maxItems), maxList>>10)
	}
	return out, nil
}

func (e *List) both(all, own any) any {
	out := slices.Clone(all.([]string))
	for _, item := range own.([]string) {
		if !slices.Contains(out, item) {
			out = append(out, item)
		}
	}
	return out
}

// Languages is a text in several languages, by BCP 47 tag.
type Languages map[string]string

// In returns the text in a language, in the language without its region, in
// English, or in any; "" when there is none.
func (l Languages) In(tag string) string {
	base, _, _ := strings.Cut(tag, "-")
	for _, t := range []string{tag, base, "en"} {
		if text, ok := l[t]; ok {
			return text
		}
	}
	for _, t := range slices.Sorted(keys(l)) {
		return l[t]
	}
	return ""
}

func keys(l Languages) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range l {
			if !yield(k) {
				return
			}
		}
	}
}

// Texts is one text per language.
type Texts struct {
	Info
	replace
	Default Languages
	Max     int // characters of each
}

const maxLanguages = 60

// Get returns the value for a site. It is shared: do not change it.
func (e *Texts) Get(s *Snapshot, site postil.SiteID) Languages {
	return get[Languages](s, e.index, site)
}

// Type, Standard, Parse, Write and Bounds are those of Entry.
func (e *Texts) Type() string                { return "texts" }
func (e *Texts) Standard() any               { return e.Default }
func (e *Texts) Write(v any) json.RawMessage { return mustWrite(v) }
func (e *Texts) Bounds() map[string]any      { return map[string]any{"max": e.Max} }
func (e *Texts) Parse(raw json.RawMessage) (any, error) {
	var in map[string]string
	if json.Unmarshal(raw, &in) != nil || in == nil || len(in) > maxLanguages {
		return nil, wrong("“%s” is an object with one text per language, such as {\"en\":\"…\",\"de\":\"…\"}.", e.Name)
	}
	out := Languages{}
	for tag, text := range in {
		t, err := language.Parse(tag)
		if err != nil {
			return nil, wrong("“%s” is no language; use a tag such as “en” or “pt-BR”.", postil.CleanTitle(tag))
		}
		if n := utf8.RuneCountInString(text); n > e.Max {
			return nil, postil.TooLong("value", n, e.Max)
		}
		if text = strings.TrimSpace(norm.NFC.String(text)); text != "" {
			out[t.String()] = text
		}
	}
	return out, nil
}

// isNull reports whether a JSON value asks for the default.
func isNull(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}
