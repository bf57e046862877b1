package settings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Bounds of a flag.
const (
	maxRules  = 100
	maxValues = 200
	maxDeep   = 5 // flags that require flags that require flags
	maxFlags  = 1_000
)

var flagName = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// flagIn is a flag as it is written. What is absent takes its default.
type flagIn struct {
	Type     string          `json:"type"`               // boolean, string, number or json
	Value    json.RawMessage `json:"value"`              // for those who are in
	Off      json.RawMessage `json:"off,omitempty"`      // for the others; absent: false, "", 0, null
	Rules    []ruleIn        `json:"rules,omitempty"`    // the first that fits counts
	Rollout  *float64        `json:"rollout,omitempty"`  // percent of users who are in, where no rule fits; absent: all
	Enabled  *bool           `json:"enabled,omitempty"`  // false: everybody gets off, whatever else stands here
	Requires []string        `json:"requires,omitempty"` // boolean flags that must be true
	Schedule []stepIn        `json:"schedule,omitempty"` // what changes at which time
}

// ruleIn gives a value to those who fit all of its conditions.
type ruleIn struct {
	Sites   []postil.SiteID `json:"sites,omitempty"`
	If      []conditionIn   `json:"if,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"` // absent: the flag's
	Rollout *float64        `json:"rollout,omitempty"`
}

// conditionIn looks at an attribute; "user" is the user's id.
type conditionIn struct {
	Attribute string   `json:"attribute"`
	In        []string `json:"in,omitempty"`
	NotIn     []string `json:"not_in,omitempty"`
}

// stepIn is a planned change.
type stepIn struct {
	At      time.Time       `json:"at"`
	Enabled *bool           `json:"enabled,omitempty"`
	Rollout *float64        `json:"rollout,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"`
}

// flag is one that can be evaluated.
type flag struct {
	name, kind string
	on, off    json.RawMessage
	rules      []rule
	share      uint32 // of 10,000
	split      bool   // share was said
	enabled    bool
	requires   []*flag
	needs      []string
	seed       uint64
	next       time.Time // when a step is due; zero: never
}

type rule struct {
	sites   []postil.SiteID
	ifs     []condition
	value   json.RawMessage
	share   uint32
	split   bool
	variant string
}

type condition struct {
	attribute string
	few       []string            // the values, unless there are many
	set       map[string]struct{} // the values, if there are
	not       bool
}

// wrongFlag says which member of a flag is refused.
func wrongFlag(field, format string, args ...any) error {
	return postil.InvalidField(field, format, args...)
}

// readFlag checks a flag and makes one that can be evaluated at now.
func readFlag(name string, raw json.RawMessage, now time.Time) (*flag, flagIn, error) {
	var in flagIn
	if !flagName.MatchString(name) || len(name) > 100 {
		return nil, in, wrongFlag("name", "A flag is named with at most 100 of a–z, A–Z, 0–9, “-”, “_” and single “.”, for example “new-editor”.")
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, in, wrongFlag("value", "A flag is an object such as {\"type\":\"boolean\",\"value\":true,\"rollout\":10}.")
	}
	f := &flag{name: name, kind: in.Type, enabled: in.Enabled == nil || *in.Enabled, needs: in.Requires, seed: hash(offset, name)}
	off := map[string]string{"boolean": "false", "string": `""`, "number": "0", "json": "null"}[in.Type]
	if off == "" {
		return nil, in, wrongFlag("type", "The type of a flag is boolean, string, number or json.")
	}
	if in.Off == nil {
		in.Off = json.RawMessage(off)
	}
	var err error
	if f.on, err = typed("value", in.Type, in.Value); err != nil {
		return nil, in, err
	}
	if f.off, err = typed("off", in.Type, in.Off); err != nil {
		return nil, in, err
	}
	if f.share, f.split, err = percent("rollout", in.Rollout); err != nil {
		return nil, in, err
	}
	if err := f.readRules(in); err != nil {
		return nil, in, err
	}
	return f, in, f.readSchedule(in, now)
}

func (f *flag) readRules(in flagIn) error {
	if len(in.Rules) > maxRules {
		return wrongFlag("rules", "A flag has at most %d rules.", maxRules)
	}
	for i, r := range in.Rules {
		place := "rules[" + strconv.Itoa(i) + "]"
		out := rule{sites: r.Sites, value: f.on, variant: "rule-" + strconv.Itoa(i+1)}
		var err error
		if r.Value != nil {
			if out.value, err = typed(place+".value", in.Type, r.Value); err != nil {
				return err
			}
		}
		if out.share, out.split, err = percent(place+".rollout", r.Rollout); err != nil {
			return err
		}
		for _, c := range r.If {
			values, not := c.In, false
			if c.NotIn != nil {
				values, not = c.NotIn, true
			}
			if c.Attribute == "" || (c.In == nil) == (c.NotIn == nil) || len(values) > maxValues {
				return wrongFlag(place+".if", "A condition names an attribute and either “in” or “not_in” with at most %d texts, such as {\"attribute\":\"plan\",\"in\":[\"pro\"]}.", maxValues)
			}
			out.ifs = append(out.ifs, newCondition(c.Attribute, values, not))
		}
		if len(out.ifs) == 0 && len(out.sites) == 0 {
			return wrongFlag(place, "A rule says for whom it is: “sites” or “if”.")
		}
		f.rules = append(f.rules, out)
	}
	return nil
}

// fewValues is how many texts are compared one after the other.
const fewValues = 8

func newCondition(attribute string, values []string, not bool) condition {
	c := condition{attribute: attribute, few: values, not: not}
	if len(values) > fewValues {
		c.set = make(map[string]struct{}, len(values))
		for _, v := range values {
			c.set[v] = struct{}{}
		}
	}
	return c
}

// readSchedule applies the steps whose time has come.
func (f *flag) readSchedule(in flagIn, now time.Time) error {
	steps := slices.Clone(in.Schedule)
	if len(steps) > maxRules {
		return wrongFlag("schedule", "A schedule has at most %d steps.", maxRules)
	}
	slices.SortStableFunc(steps, func(a, b stepIn) int { return a.At.Compare(b.At) })
	for _, s := range steps {
		share, split, err := percent("schedule", s.Rollout)
		if err != nil {
			return err
		}
		value := f.on
		if s.Value != nil {
			if value, err = typed("schedule", in.Type, s.Value); err != nil {
				return err
			}
		}
		switch {
		case s.At.IsZero():
			return wrongFlag("schedule", "A step of a schedule has a time, such as {\"at\":\"2026-12-24T18:00:00Z\",\"enabled\":true}.")
		case s.At.After(now):
			if f.next.IsZero() {
				f.next = s.At
			}
			continue
		}
		f.on = value
		if split {
			f.share, f.split = share, true
		}
		if s.Enabled != nil {
			f.enabled = *s.Enabled
		}
	}
	return nil
}

// typed checks a value and returns it in one spelling.
func typed(field, kind string, raw json.RawMessage) (json.RawMessage, error) {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return nil, wrongFlag(field, "The %s of this flag is missing.", cmp.Or(field, "value"))
	}
	ok := kind == "json"
	switch v.(type) {
	case bool:
		ok = ok || kind == "boolean"
	case string:
		ok = ok || kind == "string"
	case float64:
		ok = ok || kind == "number"
	}
	if !ok {
		return nil, wrongFlag(field, "“%s” must be of the type %s, like the flag.", field, kind)
	}
	var b bytes.Buffer
	err := json.Compact(&b, raw)
	return b.Bytes(), err
}

func percent(field string, p *float64) (share uint32, split bool, err error) {
	if p == nil {
		return 10_000, false, nil
	}
	if !(*p >= 0 && *p <= 100) {
		return 0, false, wrongFlag(field, "A rollout is a number of percent from 0 to 100.")
	}
	return uint32(*p*100 + 0.5), true, nil
}

// link connects flags with those that they require, or says which one is
// missing, of another type, or requires itself in the end.
func link(flags map[string]*flag) error {
	for _, f := range flags {
		f.requires = nil
		for _, name := range f.needs {
			need := flags[name]
			if need == nil || need.kind != "boolean" {
				return wrongFlag("requires", "“%s” requires “%s”, which is no boolean flag. Make that one first.", f.name, name)
			}
			f.requires = append(f.requires, need)
		}
	}
	for _, f := range flags {
		if f.deep(0) > maxDeep {
			return wrongFlag("requires", "“%s” requires itself in the end, or too many flags one after another.", f.name)
		}
	}
	return nil
}

func (f *flag) deep(above int) int {
	if above > maxDeep {
		return above
	}
	most := above
	for _, need := range f.requires {
		most = max(most, need.deep(above+1))
	}
	return most
}
