package settings

import (
	"encoding/json"
	"fmt"

	"github.com/postil/postil/internal/postil"
)

// Info is what every entry has.
type Info struct {
	Name    string // family.name, a–z, 0–9, "_" and "."
	Doc     string // one line for an operator
	Unit    string // of a number: "characters", "days"; "" for none
	PerSite bool   // a site may have its own value
	Shown   bool   // readers see the difference: cached answers are dropped when it changes

	index int // in the catalog and in every snapshot
}

// About returns the part that all entries share.
func (i *Info) About() *Info { return i }

// Entry is a declared setting of any type.
type Entry interface {
	About() *Info
	Type() string  // "bool", "int", "float", "duration", "string", "enum", "list", "texts", "rates"
	Standard() any // the default
	// Parse checks a JSON value. Its error is Invalid, names the field "value"
	// and says what would be right.
	Parse(raw json.RawMessage) (any, error)
	// Write returns a checked value as JSON, in one way only.
	Write(value any) json.RawMessage
	// Bounds returns what else is said about values: "min", "max", "options".
	Bounds() map[string]any
	// both returns what counts for a site that has a value of its own.
	both(everywhere, own any) any
}

// catalog holds all entries, in the order of their declaration.
var catalog []Entry

// declare adds an entry to the catalog. It is called while variables are
// initialised and nowhere else.
func declare[T Entry](e T) T {
	e.About().index = len(catalog)
	catalog = append(catalog, e)
	return e
}

// All returns the catalog in the order of its declaration.
func All() []Entry { return catalog }

var byName = func() map[string]Entry {
	m := make(map[string]Entry, len(catalog))
	for _, e := range catalog {
		m[e.About().Name] = e
	}
	return m
}

// names is made on first use: the catalog is complete only when all variables
// are initialised.
var names map[string]Entry

func init() { names = byName() }

// Find returns the entry of a name, NotFound when none is declared.
func Find(name string) (Entry, error) {
	if e, ok := names[name]; ok {
		return e, nil
	}
	return nil, postil.Missing()
}

// wrong says why a value is refused.
func wrong(format string, args ...any) error {
	return postil.InvalidField("value", format, args...)
}

// mustWrite encodes a checked value; all of them can be encoded.
func mustWrite(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding a setting: %v", err))
	}
	return b
}
