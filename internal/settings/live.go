package settings

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Shelf keeps settings with their history; it is the truth.
type Shelf interface {
	// Settings returns every value, and a revision that is certainly in it.
	Settings(ctx context.Context) (all []postil.Setting, asOf int64, err error)
	// SettingsRevision returns the latest revision.
	SettingsRevision(ctx context.Context) (int64, error)
	Setting(ctx context.Context, k postil.SettingKey) (postil.Setting, error)
	// SetSetting stores a change with its history, audit and event, all or nothing.
	SetSetting(ctx context.Context, ch postil.SettingChange) (postil.SettingRevision, error)
}

// Options of Live; the zero value is fit for use.
type Options struct {
	// Start holds defaults that this installation was started with, by name.
	Start map[string]any
	// Changed is called after the snapshot was replaced, with the keys that
	// have another value. It must not block.
	Changed func([]postil.SettingKey)
}

// Live holds the current snapshot of this process.
type Live struct {
	lg    *slog.Logger
	shelf Shelf
	opt   Options
	now   atomic.Pointer[Snapshot]

	mu    sync.Mutex
	state map[postil.SettingKey]postil.Setting
	asOf  int64 // every revision up to this one is in state
	table Table // nil: nobody to share with
}

// New returns settings in which nobody decided anything; Load reads what was.
func New(lg *slog.Logger, shelf Shelf, opt Options) *Live {
	if opt.Changed == nil {
		opt.Changed = func([]postil.SettingKey) {}
	}
	l := &Live{lg: lg, shelf: shelf, opt: opt, state: map[postil.SettingKey]postil.Setting{}}
	l.now.Store(compose(lg, opt.Start, nil))
	return l
}

// Now returns the current snapshot: one atomic load.
func (l *Live) Now() *Snapshot { return l.now.Load() }

// Load brings the snapshot up to date with the store. On an error the last
// known values stay.
func (l *Live) Load(ctx context.Context) error {
	all, asOf, err := l.shelf.Settings(ctx)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	stored := map[postil.SettingKey]postil.Setting{}
	for _, v := range all {
		stored[v.SettingKey] = v
	}
	// What another node told since the store was read is newer than the list.
	for k, v := range l.state {
		if v.Revision > asOf && v.Revision > stored[k].Revision {
			stored[k] = v
		}
	}
	l.asOf = max(l.asOf, asOf)
	l.replace(stored)
	return nil
}

// Apply takes over a value that another node told, unless a later one is known.
func (l *Live) Apply(v postil.Setting) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old, known := l.state[v.SettingKey]; known && old.Revision >= v.Revision {
		return
	}
	next := maps.Clone(l.state)
	next[v.SettingKey] = v
	l.replace(next)
}

// replace makes state what counts and tells who wants to know. The lock is held.
func (l *Live) replace(state map[postil.SettingKey]postil.Setting) {
	var changed []postil.SettingKey
	for k, v := range state {
		if string(v.Value) != string(l.state[k].Value) {
			changed = append(changed, k)
		}
	}
	for k := range l.state {
		if _, still := state[k]; !still {
			changed = append(changed, k)
		}
	}
	l.state = state
	if len(changed) == 0 {
		return
	}
	l.now.Store(compose(l.lg, l.opt.Start, state))
	l.opt.Changed(changed)
}

// Set checks a change, stores it and makes it count: here when Set returns, on
// the other nodes a moment later. Errors are Invalid with field and reason,
// NotFound for an unknown entry or site, or those of the store.
func (l *Live) Set(ctx context.Context, ch postil.SettingChange) (postil.SettingRevision, error) {
	ch, err := Checked(ch)
	if err != nil {
		return postil.SettingRevision{}, err
	}
	rev, err := l.shelf.SetSetting(ctx, ch)
	if err != nil || !rev.Changed {
		return rev, err
	}
	v := postil.Setting{SettingKey: ch.SettingKey, Value: rev.After, Revision: rev.Revision, At: rev.At}
	l.Apply(v)
	l.share(ctx, v)
	return rev, nil
}

// maxReason is how many characters a reason has at most.
const maxReason = 500

// Checked returns a change as it is stored, or why it cannot be.
func Checked(ch postil.SettingChange) (postil.SettingChange, error) {
	if n := len([]rune(ch.Reason)); n > maxReason {
		return ch, postil.TooLong("reason", n, maxReason)
	}
	e, err := Find(ch.Name)
	if err != nil {
		return ch, err
	}
	if ch.Site != "" && !e.About().PerSite {
		return ch, postil.InvalidField("site", "“%s” is the same on all sites. Leave “site” out.", ch.Name)
	}
	if isNull(ch.Value) {
		ch.Value = json.RawMessage("null")
		return ch, nil
	}
	value, err := e.Parse(ch.Value)
	if err != nil {
		return ch, err
	}
	ch.Value = e.Write(value)
	return ch, nil
}

// checkEvery is how often the store is asked whether something was missed: the
// wake-up is what makes a change fast, this is what makes it certain.
const checkEvery = 10 * time.Second

// Run keeps the snapshot up to date with the store until ctx ends.
func (l *Live) Run(ctx context.Context) error {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := l.catchUp(ctx); err != nil && ctx.Err() == nil {
			l.lg.Warn("settings cannot be read; the last known values count", "err", err)
		}
	}
}

func (l *Live) catchUp(ctx context.Context) error {
	latest, err := l.shelf.SettingsRevision(ctx)
	if err != nil {
		return err
	}
	l.mu.Lock()
	behind := latest != l.asOf
	l.mu.Unlock()
	if !behind {
		return nil
	}
	return l.Load(ctx)
}
