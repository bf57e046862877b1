package settings

import (
	"log/slog"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Snapshot is every value at one moment. It never changes, so whoever reads
// several values from one sees them as they were together.
type Snapshot struct {
	values []any                   // by index of the entry, everywhere
	sites  map[postil.SiteID][]any // the same for sites with values of their own; nil: that of everywhere

	flags     map[string]*flag
	flagNames []string
	next      time.Time // when a step of a flag's schedule is due; zero: never
}

// get reads a value without a lock and without allocating.
func get[T any](s *Snapshot, index int, site postil.SiteID) T {
	if own, ok := s.sites[site]; ok && own[index] != nil {
		return own[index].(T)
	}
	return s.values[index].(T)
}

// Value returns what counts for a site, for whoever handles entries of every
// type.
func (s *Snapshot) Value(e Entry, site postil.SiteID) any { return get[any](s, e.About().index, site) }

// Defaults returns the snapshot of a service in which nobody decided anything.
func Defaults() *Snapshot { return compose(slog.New(slog.DiscardHandler), nil, nil, time.Time{}) }

// compose makes a snapshot of what is stored. What cannot be read, because
// another version wrote it, is left out with a warning, and the default counts.
func compose(lg *slog.Logger, start map[string]any, state map[postil.SettingKey]postil.Setting, now time.Time) *Snapshot {
	s := &Snapshot{values: make([]any, len(catalog)), sites: map[postil.SiteID][]any{}}
	for i, e := range catalog {
		s.values[i] = e.Standard()
		if v, ok := start[e.About().Name]; ok {
			s.values[i] = v
		}
	}
	for _, everywhere := range []bool{true, false} { // the values of sites are combined with those of everywhere
		for key, v := range state {
			if key.Kind != postil.ConfigSetting || (key.Site == "") != everywhere || v.IsDefault() {
				continue
			}
			e, err := Find(key.Name)
			if err != nil {
				continue // of another version
			}
			value, err := e.Parse(v.Value)
			if err != nil {
				lg.Warn("a stored setting cannot be used by this version; its default counts", "name", key.Name, "site", key.Site, "err", err)
				continue
			}
			s.put(e, key.Site, value)
		}
	}
	if err := s.addFlags(lg, state, now); err != nil {
		lg.Warn("flags that require others that are not there are off", "err", err)
	}
	return s
}

// addFlags adds those that are there at now. A flag whose requirement is not
// there is left out, with the error that link has for it.
func (s *Snapshot) addFlags(lg *slog.Logger, state map[postil.SettingKey]postil.Setting, now time.Time) (lost error) {
	s.flags = map[string]*flag{}
	for key, v := range state {
		if key.Kind != postil.FlagSetting || v.IsDefault() {
			continue
		}
		f, _, err := readFlag(key.Name, v.Value, now)
		if err != nil {
			lg.Warn("a stored flag cannot be used by this version; it is left out", "name", key.Name, "err", err)
			continue
		}
		s.flags[key.Name] = f
		if !f.next.IsZero() && (s.next.IsZero() || f.next.Before(s.next)) {
			s.next = f.next
		}
	}
	if lost = link(s.flags); lost != nil {
		for _, f := range s.flags {
			if len(f.needs) > 0 {
				f.enabled, f.requires = false, nil
			}
		}
	}
	s.flagNames = sortedNames(s.flags)
	return lost
}

func (s *Snapshot) put(e Entry, site postil.SiteID, value any) {
	i := e.About().index
	if site == "" {
		s.values[i] = value
		return
	}
	if s.sites[site] == nil {
		s.sites[site] = make([]any, len(catalog))
	}
	s.sites[site][i] = e.both(s.values[i], value)
}
