package settings

import (
	"context"
	"encoding/json"

	"github.com/postil/postil/internal/postil"
)

// Archive is the history of settings.
type Archive interface {
	// SettingLog returns the changes of a setting before a revision (0: all),
	// the latest first; without a name those of all of its kind.
	SettingLog(ctx context.Context, kind postil.SettingKind, name string, before int64, limit int) ([]postil.SettingRevision, error)
}

// Desk is what an admin's tools ask: the catalog, the values and the history.
type Desk struct {
	*Live
	archive Archive
}

// NewDesk returns the desk of live settings.
func NewDesk(l *Live, archive Archive) Desk { return Desk{l, archive} }

// Catalog describes every entry of the configuration.
func (d Desk) Catalog() []postil.SettingEntry {
	start := compose(d.lg, d.opt.Start, nil, d.opt.Now(context.Background()))
	var out []postil.SettingEntry
	for _, e := range All() {
		a := e.About()
		out = append(out, postil.SettingEntry{Name: a.Name, Doc: a.Doc, Type: e.Type(), Unit: a.Unit, PerSite: a.PerSite,
			Bounds: e.Bounds(), Default: e.Write(start.Value(e, ""))})
	}
	return out
}

// Effective returns what an entry is for a site ("": everywhere) at the moment.
func (d Desk) Effective(name string, site postil.SiteID) (json.RawMessage, error) {
	e, err := Find(name)
	if err != nil {
		return nil, err
	}
	return e.Write(d.Now().Value(e, site)), nil
}

// Values returns the values of a kind that are not the default, and of one name
// unless it is "".
func (d Desk) Values(kind postil.SettingKind, name string) (out []postil.Setting) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for k, v := range d.state {
		if k.Kind == kind && (name == "" || k.Name == name) && !v.IsDefault() {
			out = append(out, v)
		}
	}
	return out
}

// History returns changes, the latest first.
func (d Desk) History(ctx context.Context, kind postil.SettingKind, name string, before int64, limit int) ([]postil.SettingRevision, error) {
	return d.archive.SettingLog(ctx, kind, name, before, limit)
}

// rollbackLooks is how far back the last change of one site is looked for.
const rollbackLooks = 1_000

// Rollback makes a setting what it was before its last change. Taking that back
// is another rollback. NotFound when it never changed.
func (d Desk) Rollback(ctx context.Context, k postil.SettingKey, by postil.By, reason string) (postil.SettingRevision, error) {
	log, err := d.archive.SettingLog(ctx, k.Kind, k.Name, 0, rollbackLooks)
	if err != nil {
		return postil.SettingRevision{}, err
	}
	for _, rev := range log {
		if rev.Site == k.Site {
			return d.Set(ctx, postil.SettingChange{SettingKey: k, Value: rev.Before, By: by, Reason: reason, Undoes: rev.Revision})
		}
	}
	return postil.SettingRevision{}, postil.Missing()
}

// Evaluate says what a flag is for somebody.
func (d Desk) Evaluate(name string, who postil.FlagSubject) (postil.FlagResult, bool) {
	return d.Now().Evaluate(name, who)
}

// EvaluateAll does so for every flag.
func (d Desk) EvaluateAll(who postil.FlagSubject) []postil.FlagResult {
	return d.Now().EvaluateAll(who)
}
