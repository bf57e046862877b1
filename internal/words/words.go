// Package words holds what Postil says to moderators, once per language, as
// data: a file of JSON for each language, found by keys.
//
// It formats no messages and knows no chats: whoever asks gets plain text and
// escapes it for where it goes.
//
// The rule a newcomer would break: no sentence is put together from words that
// another language would order differently. A text has places such as {name},
// and the whole sentence is one text.
//
// To add a text: a key in en.json with what it says, and in every other file; a
// test compares keys and places. A text that depends on a number is an object
// with the plural forms of its language ("one", "few", "many", "other").
//
// To add a language: a file such as it.json with every key of en.json.
package words

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

//go:embed *.json
var files embed.FS

// text is one entry: by plural form, "other" at least.
type text map[string]string

// UnmarshalJSON reads a plain text as one without plural forms.
func (t *text) UnmarshalJSON(raw []byte) error {
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		*t = text{"other": plain}
		return nil
	}
	forms := map[string]string{}
	if err := json.Unmarshal(raw, &forms); err != nil {
		return err
	}
	*t = forms
	return nil
}

// catalogue is every language by its code, such as "de" and "zh-Hans".
var catalogue = sync.OnceValue(func() map[string]map[string]text {
	all := map[string]map[string]text{}
	names, _ := files.ReadDir(".")
	for _, f := range names {
		raw, err := files.ReadFile(f.Name())
		entries := map[string]text{}
		if err == nil {
			err = json.Unmarshal(raw, &entries)
		}
		if err != nil {
			panic(fmt.Sprintf("words: %s: %v", f.Name(), err)) // a file of this package; a test reads them all
		}
		all[strings.TrimSuffix(f.Name(), ".json")] = entries
	}
	return all
})

// Languages returns the codes of all languages.
func Languages() []string { return slices.Sorted(maps.Keys(catalogue())) }

// matcher finds the language that comes closest to what somebody reads. The
// first of the list is the one for everybody else.
var matcher = sync.OnceValues(func() (language.Matcher, []string) {
	codes := slices.DeleteFunc(Languages(), func(c string) bool { return c == "en" })
	codes = append([]string{"en"}, codes...)
	tags := make([]language.Tag, len(codes))
	for i, c := range codes {
		tags[i] = language.MustParse(c)
	}
	return language.NewMatcher(tags), codes
})

// Speech is what Postil says in one language.
type Speech struct {
	code      string
	tag       language.Tag
	own, base map[string]text
}

// In returns the speech for a code such as "de-AT"; English for one that is
// unknown or empty.
func In(code string) Speech {
	m, codes := matcher()
	_, i, confidence := m.Match(language.Make(code))
	if code == "" || confidence == language.No {
		i = 0
	}
	return Speech{codes[i], language.MustParse(codes[i]), catalogue()[codes[i]], catalogue()["en"]}
}

// Code returns the language, such as "de".
func (s Speech) Code() string { return s.code }

// Say returns the text of a key. args are pairs of a place and what stands
// there: Say("by.name", "name", "Ann").
func (s Speech) Say(key string, args ...any) string {
	t, ok := s.own[key]
	if !ok {
		t = s.base[key]
	}
	return fill(t["other"], args)
}

var forms = map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many", plural.Other: "other"}

// Count is Say for a text that depends on a number, which stands at {n}.
func (s Speech) Count(key string, n int, args ...any) string {
	tag := s.tag
	t, ok := s.own[key]
	if !ok {
		t, tag = s.base[key], language.English
	}
	said, ok := t[forms[plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)]]
	if !ok {
		said = t["other"]
	}
	return fill(said, append([]any{"n", s.Number(n)}, args...))
}

// Number writes n with what the language puts between groups of digits.
func (s Speech) Number(n int) string {
	digits, sign := strconv.Itoa(n), ""
	if n < 0 {
		digits, sign = digits[1:], "-"
	}
	between := s.own["number.group"]["other"]
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + between + digits[i:]
	}
	return sign + digits
}

// fill puts args in their places, all at once, so that what one of them says is
// never taken for a place.
func fill(t string, args []any) string {
	if len(args) == 0 {
		return t
	}
	pairs := make([]string, len(args))
	for i, a := range args {
		pairs[i] = fmt.Sprint(a)
		if i%2 == 0 {
			pairs[i] = "{" + pairs[i] + "}"
		}
	}
	return strings.NewReplacer(pairs...).Replace(t)
}
