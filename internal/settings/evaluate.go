package settings

import (
	"maps"
	"slices"

	"github.com/postil/postil/internal/postil"
)

// Evaluate says what a flag is for somebody; ok is false when there is no such
// flag. It reads memory and allocates nothing.
func (s *Snapshot) Evaluate(name string, who postil.FlagSubject) (r postil.FlagResult, ok bool) {
	f := s.flags[name]
	if f == nil {
		return r, false
	}
	return f.evaluate(who), true
}

// EvaluateAll does so for every flag, in the order of their names.
func (s *Snapshot) EvaluateAll(who postil.FlagSubject) []postil.FlagResult {
	out := make([]postil.FlagResult, 0, len(s.flags))
	for _, name := range s.flagNames {
		out = append(out, s.flags[name].evaluate(who))
	}
	return out
}

func sortedNames(flags map[string]*flag) []string { return slices.Sorted(maps.Keys(flags)) }

func (f *flag) evaluate(who postil.FlagSubject) postil.FlagResult {
	if !f.enabled {
		return f.result(f.off, "DISABLED", "off")
	}
	for _, need := range f.requires {
		if r := need.evaluate(who); string(r.Value) != "true" {
			return f.result(f.off, "TARGETING_MATCH", "off")
		}
	}
	for i := range f.rules {
		r := &f.rules[i]
		switch {
		case !r.fits(who):
		case !r.split:
			return f.result(r.value, "TARGETING_MATCH", r.variant)
		case f.within(r.share, who):
			return f.result(r.value, "SPLIT", r.variant)
		default:
			return f.result(f.off, "SPLIT", "off")
		}
	}
	switch {
	case !f.split:
		return f.result(f.on, "STATIC", "on")
	case f.within(f.share, who):
		return f.result(f.on, "SPLIT", "on")
	}
	return f.result(f.off, "SPLIT", "off")
}

func (f *flag) result(value []byte, reason, variant string) postil.FlagResult {
	return postil.FlagResult{Name: f.name, Type: f.kind, Value: value, Reason: reason, Variant: variant}
}

func (r *rule) fits(who postil.FlagSubject) bool {
	if len(r.sites) > 0 && !slices.Contains(r.sites, who.Site) {
		return false
	}
	for i := range r.ifs {
		c := &r.ifs[i]
		have := who.User
		if c.attribute != "user" {
			have = who.Attributes[c.attribute]
		}
		if c.has(have) == c.not {
			return false
		}
	}
	return true
}

// has looks a value up: a few texts are compared faster than they are hashed.
func (c *condition) has(value string) bool {
	if c.set == nil {
		return slices.Contains(c.few, value)
	}
	_, in := c.set[value]
	return in
}

// within reports whether somebody is among the share of all. The place of a
// user is fixed by name and flag, so whoever is in stays in as the share grows.
// Nobody in particular is in only when everybody is.
func (f *flag) within(share uint32, who postil.FlagSubject) bool {
	if who.User == "" {
		return share == 10_000
	}
	return mix(hash(f.seed, who.User))%10_000 < uint64(share)
}

// hash is FNV-1a, which is the same on every node and in every version.
const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

func hash(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * prime
	}
	return (h ^ 0xff) * prime // so that “a”+“bc” is not “ab”+“c”
}

// mix spreads a hash over all bits; that of short texts is uneven.
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
