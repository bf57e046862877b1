package settings

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Table is a table of small values at the broker that all nodes see.
type Table interface {
	// Put stores a value unless stay, which sees the present one, wants that to stay.
	Put(ctx context.Context, key string, value []byte, stay func(present []byte) bool) error
	// Remove deletes a value; one that is not there is no error.
	Remove(ctx context.Context, key string) error
}

// shareWithin is how long a change waits for the broker before its event has
// to do the job.
const shareWithin = 2 * time.Second

// Share makes t the table that changes are spread by. Call it before Run.
func (l *Live) Share(t Table) { l.table = t }

// share tells the other nodes at once. When that fails, the event of the change
// is on its way all the same.
func (l *Live) share(ctx context.Context, v postil.Setting) {
	if l.table == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shareWithin)
	defer cancel()
	if err := l.put(ctx, v); err != nil {
		l.lg.Debug("a change of settings was not spread at once", "name", v.Name, "err", err)
	}
}

// Handle spreads what a config.changed or flag.changed event is about: what the
// store has now, however late the event comes.
func (l *Live) Handle(ctx context.Context, ev postil.Event) error {
	key := postil.SettingKey{Kind: postil.ConfigSetting, Name: ev.Setting, Site: ev.Site}
	if ev.Kind == postil.FlagChanged {
		key.Kind = postil.FlagSetting
	}
	v, err := l.shelf.Setting(ctx, key)
	if err != nil {
		return err
	}
	l.Apply(v)
	return l.put(ctx, v)
}

func (l *Live) put(ctx context.Context, v postil.Setting) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return l.table.Put(ctx, tableKey(v.SettingKey), b, func(present []byte) bool {
		var have postil.Setting
		return json.Unmarshal(present, &have) == nil && have.Revision >= v.Revision
	})
}

// Told is called with each value that appears in the table.
func (l *Live) Told(_ string, value []byte) {
	var v postil.Setting
	if err := json.Unmarshal(value, &v); err != nil || v.Name == "" {
		return // of another version; the store is asked every few seconds
	}
	l.Apply(v)
}

// Begin is called with all that the table holds whenever a watch begins: at the
// start, and after the broker was lost or emptied. What the store has counts;
// the table is brought in line with it.
func (l *Live) Begin(ctx context.Context, table map[string][]byte) {
	if err := l.Load(ctx); err != nil {
		l.lg.Warn("settings cannot be read; the last known values count", "err", err)
		for key, value := range table {
			l.Told(key, value)
		}
		return
	}
	l.mu.Lock()
	state := l.state
	l.mu.Unlock()
	if err := l.align(ctx, state, table); err != nil && ctx.Err() == nil {
		l.lg.Warn("settings were not spread to other nodes; it is tried again when the broker is back", "err", err)
	}
}

// align puts what is missing or different, and removes what the store does not
// know: it was there before the store was set back to a backup, or belongs to a
// site that was removed.
func (l *Live) align(ctx context.Context, state map[postil.SettingKey]postil.Setting, table map[string][]byte) error {
	for _, v := range state {
		key := tableKey(v.SettingKey)
		var have postil.Setting
		err := json.Unmarshal(table[key], &have)
		delete(table, key)
		if err == nil && have.Revision == v.Revision {
			continue
		}
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		stale := have.Revision
		err = l.table.Put(ctx, key, b, func(present []byte) bool {
			var now postil.Setting
			return json.Unmarshal(present, &now) == nil && now.Revision != stale && now.Revision >= v.Revision
		})
		if err != nil {
			return err
		}
	}
	for key := range table {
		if err := l.table.Remove(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// tableKey is the name of a value at the broker; names and sites are made of
// letters that it takes.
func tableKey(k postil.SettingKey) string {
	site := string(k.Site)
	if site == "" {
		site = "_"
	}
	return strings.Join([]string{string(k.Kind), site, k.Name}, ".")
}
