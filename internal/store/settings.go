package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/postil/postil/internal/postil"
)

const settingColumns = "t.kind, t.name, coalesce(t.site_id, ''), t.value, t.revision, t.changed_at"

func scanSetting(r scanner) (v postil.Setting, err error) {
	var value string
	var at sql.NullInt64
	if err = r.Scan(&v.Kind, &v.Name, &v.Site, &value, &v.Revision, &at); err != nil {
		return v, err
	}
	v.Value, v.At = json.RawMessage(value), when(at)
	return v, nil
}

// Settings returns every value that was ever set, and the latest revision that
// is certainly in it.
func (s *Store) Settings(ctx context.Context) (all []postil.Setting, asOf int64, err error) {
	// The revision first: what is written between the two reads is in the list
	// all the same, and the caller only knows it for less certain.
	if asOf, err = s.SettingsRevision(ctx); err != nil {
		return nil, 0, err
	}
	all, err = list(ctx, s, scanSetting, "SELECT "+settingColumns+" FROM settings t")
	return all, asOf, err
}

// SettingsRevision returns the latest revision, 0 before the first.
func (s *Store) SettingsRevision(ctx context.Context) (int64, error) {
	v, _, err := one(ctx, s, column[sql.NullInt64], "SELECT max(revision) FROM settings_log")
	return v.Int64, err
}

// Setting returns one value; that of a setting which was never set is null.
func (s *Store) Setting(ctx context.Context, k postil.SettingKey) (postil.Setting, error) {
	return settingOf(ctx, s, k)
}

func settingOf(ctx context.Context, q queryer, k postil.SettingKey) (postil.Setting, error) {
	v, ok, err := one(ctx, q, scanSetting, "SELECT "+settingColumns+" FROM settings t WHERE t.kind = ? AND t.name = ? AND coalesce(t.site_id, '') = ?", k.Kind, k.Name, k.Site)
	if !ok {
		v.SettingKey, v.Value = k, json.RawMessage("null")
	}
	return v, err
}

// SetSetting changes a value, together with its line in the history, the audit
// and the event config.changed or flag.changed. NotFound when the site does
// not exist. A value that is so already changes nothing.
func (s *Store) SetSetting(ctx context.Context, ch postil.SettingChange) (rev postil.SettingRevision, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		if ch.Site != "" {
			if _, err := tx.site(ch.Site); err != nil {
				return err
			}
		}
		rev, err = tx.setSetting(ch)
		return err
	})
	return rev, err
}

func (tx *Tx) setSetting(ch postil.SettingChange) (postil.SettingRevision, error) {
	before, err := settingOf(context.Background(), tx, ch.SettingKey)
	if err != nil {
		return postil.SettingRevision{}, err
	}
	after := ch.Value
	if len(after) == 0 {
		after = json.RawMessage("null")
	}
	rev := postil.SettingRevision{SettingKey: ch.SettingKey, Revision: before.Revision, Before: before.Value, After: after, By: ch.By, Reason: ch.Reason, Undoes: ch.Undoes, At: tx.now}
	if bytes.Equal(before.Value, after) {
		return rev, nil
	}
	rev.Changed = true
	rev.Revision, err = tx.insert(`INSERT INTO settings_log (kind, name, site_id, before, after, channel, actor, actor_name, reason, undoes, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		ch.Kind, ch.Name, ch.Site, string(before.Value), string(after), ch.By.Channel, ch.By.Actor, ch.By.Name, ch.Reason, ch.Undoes, millis(tx.now))
	if err != nil {
		return rev, err
	}
	_, err = tx.exec(`INSERT INTO settings (kind, name, site_id, value, revision, changed_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (kind, name, coalesce(site_id, '')) DO UPDATE SET value = excluded.value, revision = excluded.revision, changed_at = excluded.changed_at`,
		ch.Kind, ch.Name, nullText(string(ch.Site)), string(after), rev.Revision, millis(tx.now))
	if err != nil {
		return rev, err
	}
	return rev, tx.tellSetting(rev)
}

// tellSetting writes who changed what, and that it changed.
func (tx *Tx) tellSetting(rev postil.SettingRevision) error {
	subject := string(rev.Kind) + ":" + rev.Name
	if rev.Site != "" {
		subject += "@" + string(rev.Site)
	}
	err := tx.record(rev.By, postil.AuditEntry{Action: string(rev.Kind) + ".set", Subject: subject, Site: rev.Site, Detail: rev.Reason,
		Before: map[string]any{"value": rev.Before}, After: map[string]any{"value": rev.After, "revision": rev.Revision}})
	if err != nil {
		return err
	}
	kind := postil.ConfigChanged
	if rev.Kind == postil.FlagSetting {
		kind = postil.FlagChanged
	}
	return tx.Emit(postil.Event{Kind: kind, Site: rev.Site, Setting: rev.Name})
}

// settingsOnSite are the settings that a site carries with it, as JSON: [name,
// whether it is the site's own, value].
const settingsOnSite = `(SELECT json_group_array(json_array(t.name, t.site_id IS NOT NULL, json(t.value))) FROM settings t
	WHERE t.kind = 'config' AND t.name IN ('policy.mode', 'policy.max_links', 'policy.lockdown', 'lists.hold_words') AND coalesce(t.site_id, '') IN ('', s.site_id))`

// carried is a row of settingsOnSite.
type carried struct {
	name  string
	own   bool
	value json.RawMessage // empty for null
}

func (c *carried) UnmarshalJSON(b []byte) error {
	var own int
	if err := json.Unmarshal(b, &[]any{&c.name, &own, &c.value}); err != nil {
		return err
	}
	c.own = own == 1
	return nil
}

// carry sets on a site what its settings say: first what counts everywhere,
// then the site's own. The list of words is the site's alone; what is held
// everywhere is held beside it.
func carry(v *postil.Site, rows []carried) error {
	fresh := postil.NewSite(v.ID)
	v.Policy, v.MaxLinks, v.Lockdown = fresh.Policy, fresh.MaxLinks, false
	for _, own := range []bool{false, true} {
		for _, c := range rows {
			if c.own != own || len(c.value) == 0 {
				continue
			}
			if err := json.Unmarshal(c.value, carriedBy(v, c)); err != nil {
				return err
			}
		}
	}
	return nil
}

// carriedBy returns where a setting goes on a site.
func carriedBy(v *postil.Site, c carried) any {
	switch c.name {
	case postil.PolicySetting:
		return &v.Policy
	case postil.LinksSetting:
		return &v.MaxLinks
	case postil.LockdownSetting:
		return &orTrue{&v.Lockdown}
	}
	if c.own {
		return &v.Blocked
	}
	return &v.HeldEverywhere
}

// orTrue keeps a switch on that is on everywhere.
type orTrue struct{ on *bool }

// UnmarshalJSON turns the switch on when b is true.
func (o *orTrue) UnmarshalJSON(b []byte) error {
	*o.on = *o.on || string(b) == "true"
	return nil
}

// setCarried writes what a site carries as settings: those that differ from was.
func (tx *Tx) setCarried(v, was postil.Site, by postil.By) error {
	for _, c := range []struct {
		name    string
		differs bool
		value   any
	}{
		{postil.PolicySetting, v.Policy != "" && v.Policy != was.Policy, v.Policy},
		{postil.LinksSetting, v.MaxLinks != was.MaxLinks, v.MaxLinks},
		{postil.LockdownSetting, v.Lockdown != was.Lockdown, v.Lockdown},
		{postil.BlockedSetting, !slices.Equal(v.Blocked, was.Blocked), append([]string{}, v.Blocked...)},
	} {
		if !c.differs {
			continue
		}
		value, err := json.Marshal(c.value)
		if err != nil {
			return err
		}
		key := postil.SettingKey{Kind: postil.ConfigSetting, Name: c.name, Site: v.ID}
		if _, err := tx.setSetting(postil.SettingChange{SettingKey: key, Value: value, By: by}); err != nil {
			return err
		}
	}
	return nil
}

func scanRevision(r scanner) (v postil.SettingRevision, err error) {
	var before, after string
	var at sql.NullInt64
	err = r.Scan(&v.Revision, &v.Kind, &v.Name, &v.Site, &before, &after, &v.By.Channel, &v.By.Actor, &v.By.Name, &v.Reason, &v.Undoes, &at)
	v.Before, v.After, v.At, v.Changed = json.RawMessage(before), json.RawMessage(after), when(at), true
	return v, err
}

// SettingLog returns the changes of a setting before a revision (0: all), the
// latest first; without a name those of all of its kind.
func (s *Store) SettingLog(ctx context.Context, kind postil.SettingKind, name string, before int64, limit int) ([]postil.SettingRevision, error) {
	w := &where{}
	w.and("l.kind = ?", kind)
	if name != "" {
		w.and("l.name = ?", name)
	}
	if before > 0 {
		w.and("l.revision < ?", before)
	}
	return list(ctx, s, scanRevision, `SELECT l.revision, l.kind, l.name, l.site_id, l.before, l.after, l.channel, l.actor, l.actor_name, l.reason, l.undoes, l.at
		FROM settings_log l`+w.String()+" ORDER BY l.revision DESC LIMIT ?", append(w.args, limit)...)
}
