package settings

import (
	"context"
	"encoding/json"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/postil/postil/internal/postil"
)

func TestEveryEntryIsDeclaredWell(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range All() {
		about := e.About()
		if !regexp.MustCompile(`^[a-z]+(\.[a-z_]+)+$`).MatchString(about.Name) || seen[about.Name] {
			t.Errorf("the name %q is malformed or taken", about.Name)
		}
		seen[about.Name] = true
		if !strings.HasSuffix(about.Doc, ".") || strings.Contains(about.Doc, "\n") {
			t.Errorf("%s: the doc %q is no one-line sentence", about.Name, about.Doc)
		}
		if d := cmp.Diff(e.Standard(), mustParse(t, e, string(e.Write(e.Standard())))); d != "" {
			t.Errorf("%s: the default does not survive being written: %s", about.Name, d)
		}
		if found, err := Find(about.Name); err != nil || found != e {
			t.Errorf("%s is not found: %v", about.Name, err)
		}
	}
	if _, err := Find("policy.nonsense"); postil.KindOf(err) != postil.NotFound {
		t.Errorf("an unknown entry: %v", err)
	}
}

func mustParse(t *testing.T, e Entry, raw string) any {
	t.Helper()
	v, err := e.Parse(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("%s: %v", e.About().Name, err)
	}
	return v
}

func TestValuesAreCheckedAndTidied(t *testing.T) {
	for _, c := range []struct {
		entry    Entry
		raw      string
		want     string // as it is written; "" when it is refused
		sentence string // part of the refusal
	}{
		{Lockdown, `true`, `true`, ""},
		{Lockdown, `"yes"`, "", "true or false"},
		{Lockdown, `1`, "", "true or false"},
		{MaxLinks, `0`, `0`, ""},
		{MaxLinks, `100`, `100`, ""},
		{MaxLinks, `101`, "", "from 0 to 100"},
		{MaxLinks, `-1`, "", "from 0 to 100"},
		{MaxLinks, `1.5`, "", "whole number"},
		{TextLimit, `8001`, "", "from 1 to 8,000"},
		{Stop, `0.9`, `0.9`, ""},
		{Stop, `1.1`, "", "from 0.5 to 1"},
		{Stop, `"high"`, "", "number"},
		{EditWindow, `"1h30m"`, `"1h30m"`, ""},
		{EditWindow, `"90m"`, `"1h30m"`, ""},
		{EditWindow, `"1d12h"`, `"36h"`, ""},
		{EditWindow, `"48h"`, `"2d"`, ""},
		{EditWindow, `"0s"`, `"0s"`, ""},
		{EditWindow, `"31d"`, "", "from 0s to 30d"},
		{EditWindow, `"-5m"`, "", "from 0s to 30d"},
		{EditWindow, `900`, "", "15m"},
		{EditWindow, `"d"`, "", "15m"},
		{Policy, `"score"`, `"score"`, ""},
		{Policy, `"anything"`, "", "hold-all, first-comment, score, open"},
		{HoldWords, `[" casino ","casino","",null]`, `["casino"]`, ""},
		{HoldWords, `null`, "", "list"},
		{HoldWords, `"casino"`, "", "list"},
		{HoldWords, `["` + strings.Repeat("x", 201) + `"]`, "", "201"},
		{HoldHosts, `["*.Example.COM.","bücher.example"]`, `["example.com","xn--bcher-kva.example"]`, ""},
		{HoldHosts, `["https://example.com/"]`, "", "no host"},
		{HoldNetworks, `["203.0.113.7/24","2001:db8::1","net_0123456789"]`, `["203.0.113.0/24","2001:db8::1","net_0123456789"]`, ""},
		{HoldNetworks, `["nonsense!"]`, "", "no network"},
		{CommentRates, `["3 in 10s","30 in 1h"]`, `["3 in 10s","30 in 1h"]`, ""},
		{CommentRates, `["5 in 60s"]`, `["5 in 1m"]`, ""},
		{CommentRates, `[]`, "", "one or two rates"},
		{CommentRates, `["1 in 1h","1 in 10s"]`, "", "shorter time comes first"},
		{CommentRates, `["0 in 10s"]`, "", "no rate"},
		{CommentRates, `["3 per 10s"]`, "", "no rate"},
		{LockdownText, `{"EN":" Closed. ","pt-br":"Fechado."}`, `{"en":"Closed.","pt-BR":"Fechado."}`, ""},
		{LockdownText, `{"klingonish?":"x"}`, "", "no language"},
		{LockdownText, `"Closed."`, "", "one text per language"},
	} {
		v, err := c.entry.Parse(json.RawMessage(c.raw))
		if c.want == "" {
			var e *postil.Error
			if postil.KindOf(err) != postil.Invalid || !strings.Contains(err.Error(), c.sentence) {
				t.Errorf("%s = %s: %v, want a sentence with %q", c.entry.About().Name, c.raw, err, c.sentence)
			} else if e, _ = err.(*postil.Error); e.Field != "value" {
				t.Errorf("%s = %s: the refusal names the field %q", c.entry.About().Name, c.raw, e.Field)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s = %s: %v", c.entry.About().Name, c.raw, err)
		} else if got := string(c.entry.Write(v)); got != c.want {
			t.Errorf("%s = %s is kept as %s, want %s", c.entry.About().Name, c.raw, got, c.want)
		}
	}
}

func state(rows ...postil.Setting) map[postil.SettingKey]postil.Setting {
	m := map[postil.SettingKey]postil.Setting{}
	for _, v := range rows {
		m[v.SettingKey] = v
	}
	return m
}

func config(name string, site postil.SiteID, value string) postil.Setting {
	return postil.Setting{SettingKey: postil.SettingKey{Kind: postil.ConfigSetting, Name: name, Site: site}, Value: json.RawMessage(value), Revision: 1}
}

var quiet = slog.New(slog.DiscardHandler)

func TestASiteHasItsOwnValueOrThatOfEverywhere(t *testing.T) {
	s := compose(quiet, map[string]any{"limits.edit_window": time.Hour}, state(
		config("policy.max_links", "", "5"), config("policy.max_links", "blog", "0"),
		config("policy.lockdown", "", "true"), config("policy.lockdown", "blog", "false"),
		config("lists.hold_words", "", `["a","b"]`), config("lists.hold_words", "blog", `["b","c"]`),
		config("policy.mode", "blog", `null`), config("policy.mode", "other", `"never heard of"`),
		config("of.another.version", "", "1"),
	), time.Time{})
	for _, c := range []struct {
		site  postil.SiteID
		links int
		words []string
	}{{"", 5, []string{"a", "b"}}, {"blog", 0, []string{"a", "b", "c"}}, {"other", 5, []string{"a", "b"}}} {
		if got := MaxLinks.Get(s, c.site); got != c.links {
			t.Errorf("%q: %d links", c.site, got)
		}
		if d := cmp.Diff(c.words, HoldWords.Get(s, c.site)); d != "" {
			t.Errorf("%q: %s", c.site, d)
		}
		if !Lockdown.Get(s, c.site) {
			t.Errorf("%q: what is locked everywhere is locked", c.site)
		}
		if EditWindow.Get(s, c.site) != time.Hour || Policy.Get(s, c.site) != "first-comment" {
			t.Errorf("%q: defaults do not count", c.site)
		}
	}
	if got := LockdownText.Get(s, "blog").In("de-AT"); !strings.HasPrefix(got, "The author") {
		t.Errorf("without a translation: %q", got)
	}
	if (Languages{"fr": "f", "de": "d"}).In("it") != "d" || (Languages{"de": "d"}).In("de-CH") != "d" || (Languages{}).In("en") != "" {
		t.Error("languages are not found")
	}
}

func TestReadingAValueAllocatesNothing(t *testing.T) {
	l := New(quiet, nil, Options{})
	l.Apply(config("lists.hold_words", "blog", `["a"]`))
	n := testing.AllocsPerRun(1000, func() {
		now := l.Now()
		if Lockdown.Get(now, "blog") || MaxLinks.Get(now, "") != 2 || len(HoldWords.Get(now, "blog")) != 1 || EditWindow.Get(now, "x") == 0 || Stop.Get(now, "x") == 0 || len(CommentRates.Get(now, "")) != 2 {
			t.Fatal("other values")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRead(b *testing.B) {
	l := New(quiet, nil, Options{})
	l.Apply(config("policy.max_links", "blog", "7"))
	b.ReportAllocs()
	for b.Loop() {
		if MaxLinks.Get(l.Now(), "blog") != 7 {
			b.Fatal("another value")
		}
	}
}

// shelf is one in memory of which the test says what it holds.
type shelf struct {
	Shelf
	all  []postil.Setting
	asOf int64
	fail error
}

func (s *shelf) Settings(context.Context) ([]postil.Setting, int64, error) {
	return s.all, s.asOf, s.fail
}
func (s *shelf) SettingsRevision(context.Context) (int64, error) { return s.asOf, s.fail }

func TestTheLatestRevisionCountsHoweverItCame(t *testing.T) {
	links := func(revision int64, value string) postil.Setting {
		v := config("policy.max_links", "", value)
		v.Revision = revision
		return v
	}
	sh := &shelf{all: []postil.Setting{links(3, "3")}, asOf: 3}
	var told int
	l := New(quiet, sh, Options{Changed: func([]postil.SettingKey) { told++ }})
	is := func(want int) {
		t.Helper()
		if got := MaxLinks.Get(l.Now(), ""); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
	is(2)
	if err := l.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	is(3)
	l.Apply(links(2, "1"))
	is(3)
	l.Apply(links(5, "5"))
	is(5)
	if err := l.Load(t.Context()); err != nil { // the list was read before
		t.Fatal(err)
	}
	is(5)
	sh.all, sh.asOf = nil, 6 // removed since
	if err := l.catchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	is(2)
	sh.fail = context.DeadlineExceeded
	if err := l.Load(t.Context()); err == nil {
		t.Error("the trouble of the store was not told")
	}
	is(2)
	if told != 3 {
		t.Errorf("changes were told %d times, want 3", told)
	}
}
