package postil

import (
	"encoding/json"
	"time"
)

// SettingKind says what a setting is: an entry of the configuration, which the
// code declares, or a feature flag, which an admin makes.
type SettingKind string

// The kinds of settings.
const (
	ConfigSetting SettingKind = "config"
	FlagSetting   SettingKind = "flag"
)

// The names of the settings that a Site carries with it, because a transaction
// must see them as they are in that moment.
const (
	PolicySetting   = "policy.mode"
	LinksSetting    = "policy.max_links"
	LockdownSetting = "policy.lockdown"
	BlockedSetting  = "lists.hold_words"
)

// SettingKey names one value.
type SettingKey struct {
	Kind SettingKind `json:"kind"`
	Name string      `json:"name"`
	Site SiteID      `json:"site,omitempty"` // "": everywhere
}

// Setting is one value as the store keeps it.
type Setting struct {
	SettingKey
	Value    json.RawMessage `json:"value"`    // null or absent: the default counts
	Revision int64           `json:"revision"` // the line of the history that made it; later ones are larger
	At       time.Time       `json:"at"`
}

// IsDefault reports whether v says nothing of its own.
func (v Setting) IsDefault() bool { return len(v.Value) == 0 || string(v.Value) == "null" }

// SettingChange is what somebody wants a setting to be.
type SettingChange struct {
	SettingKey
	Value  json.RawMessage // null or absent: the default
	By     By
	Reason string
	Undoes int64 // the revision that is taken back, 0 for none
}

// SettingRevision is a line of the history of settings.
type SettingRevision struct {
	SettingKey
	Revision      int64
	Before, After json.RawMessage // null: the default
	By            By
	Reason        string
	Undoes        int64 // the revision that it took back, 0 for none
	At            time.Time
	Changed       bool // false: the value was the same already and nothing was written
}

// SettingPlan is a change that is to happen later.
type SettingPlan struct {
	SettingKey
	ID      int64
	Value   json.RawMessage // null: back to the default
	Due     time.Time
	By      By
	Reason  string
	Created time.Time
}

// Retention is how long things are kept.
type Retention struct {
	Questions time.Duration // questions of readers
	Networks  time.Duration // network and actor ids of comments
	Hours     time.Duration // views of single hours, and who counted them
	Spam      time.Duration // comments on the spam list
	Signals   time.Duration // what happened
	Figures   time.Duration // the figures of single minutes
	Audit     time.Duration // who did what
}

// UsuallyKept keeps the audit log for two years and everything else for 30 days.
func UsuallyKept() Retention {
	const month = 30 * 24 * time.Hour
	return Retention{month, month, month, month, month, month, UsualAudit * 24 * time.Hour}
}

// UsualAudit is how many days the audit log is kept when nothing is said.
const UsualAudit = 2 * 366

// Rate allows N requests in a window that begins with the first of them.
type Rate struct {
	N   int
	Per time.Duration
}

// NewSite returns a site with what counts where nobody decided anything else.
func NewSite(id SiteID) Site {
	return Site{ID: id, Name: string(id), Policy: FirstComment, MaxLinks: 2}
}
