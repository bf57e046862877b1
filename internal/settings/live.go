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
	// Now tells the time of flags' schedules; default: the system's clock.
	Now func(context.Context) time.Time
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
	if opt.Now == nil {
		opt.Now = func(context.Context) time.Time { return time.Now() }
	}
	l := &Live{lg: lg, shelf: shelf, opt: opt, state: map[postil.SettingKey]postil.Setting{}}
	l.now.Store(l.compose(nil))
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
	l.now.Store(l.compose(state))
	l.opt.Changed(changed)
}

func (l *Live) compose(state map[postil.SettingKey]postil.Setting) *Snapshot {
	return compose(l.lg, l.opt.Start, state, l.opt.Now(context.Background()))
}

// Set checks a change, stores it and makes it count: here when Set returns, on
// the other nodes a moment later. Errors are Invalid with field and reason,
// NotFound for an unknown entry or site, or those of the store.
func (l *Live) Set(ctx context.Context, ch postil.SettingChange) (postil.SettingRevision, error) {
	ch, err := l.checked(ch)
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

// Suppose returns the snapshot that a change would lead to, and changes nothing.
// Errors are those of Set.
func (l *Live) Suppose(ch postil.SettingChange) (*Snapshot, error) {
	ch, err := l.checked(ch)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	next := maps.Clone(l.state)
	l.mu.Unlock()
	next[ch.SettingKey] = postil.Setting{SettingKey: ch.SettingKey, Value: ch.Value}
	return l.compose(next), nil
}

// maxReason is how many characters a reason has at most.
const maxReason = 500

// Checked returns a change as it is stored, or why it cannot be.
func Checked(ch postil.SettingChange) (postil.SettingChange, error) {
	if n := len([]rune(ch.Reason)); n > maxReason {
		return ch, postil.TooLong("reason", n, maxReason)
	}
	if ch.Kind == postil.FlagSetting {
		return checkedFlag(ch)
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

func checkedFlag(ch postil.SettingChange) (postil.SettingChange, error) {
	if ch.Site != "" {
		return ch, postil.InvalidField("site", "A flag is the same on all sites; its rules may name “sites”. Leave “site” out.")
	}
	if isNull(ch.Value) {
		ch.Value = json.RawMessage("null")
		return ch, nil
	}
	_, in, err := readFlag(ch.Name, ch.Value, time.Time{})
	if err != nil {
		return ch, err
	}
	ch.Value = mustWrite(in)
	return ch, nil
}

// checked also looks at how a flag fits with the others.
func (l *Live) checked(ch postil.SettingChange) (postil.SettingChange, error) {
	ch, err := Checked(ch)
	if err != nil || ch.Kind != postil.FlagSetting {
		return ch, err
	}
	l.mu.Lock()
	next := maps.Clone(l.state)
	l.mu.Unlock()
	next[ch.SettingKey] = postil.Setting{SettingKey: ch.SettingKey, Value: ch.Value}
	var s Snapshot
	if err := s.addFlags(l.lg, next, time.Time{}); err != nil {
		return ch, err
	}
	if len(s.flags) > maxFlags {
		return ch, postil.InvalidField("name", "There are %s flags already. Remove one that nobody asks for.", postil.Thousands(maxFlags))
	}
	return ch, nil
}

// checkEvery is how often the store is asked whether something was missed: the
// wake-up is what makes a change fast, this is what makes it certain.
const checkEvery = 10 * time.Second

// scheduleEvery is how late a step of a flag's schedule may come.
const scheduleEvery = time.Second

// Run keeps the snapshot up to date with the store and the clock until ctx ends.
func (l *Live) Run(ctx context.Context) error {
	check, steps := time.NewTicker(checkEvery), time.NewTicker(scheduleEvery)
	defer check.Stop()
	defer steps.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-steps.C:
			l.step(ctx)
			continue
		case <-check.C:
		}
		if err := l.catchUp(ctx); err != nil && ctx.Err() == nil {
			l.lg.Warn("settings cannot be read; the last known values count", "err", err)
		}
	}
}

// step makes the snapshot anew when a step of a schedule is due.
func (l *Live) step(ctx context.Context) {
	if next := l.Now().next; next.IsZero() || l.opt.Now(ctx).Before(next) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now.Store(l.compose(l.state))
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
