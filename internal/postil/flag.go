package postil

import "encoding/json"

// FlagSubject is for whom flags are evaluated.
type FlagSubject struct {
	User       string            // the key by which a partial rollout tells people apart; "" for nobody in particular
	Site       SiteID            // "": no site in particular
	Attributes map[string]string // what rules ask for: plan, group, country, …
}

// FlagResult is what a flag says to a subject.
type FlagResult struct {
	Name    string
	Type    string          // "boolean", "string", "number" or "json"
	Value   json.RawMessage // shared: do not change it
	Reason  string          // why, in the words of OpenFeature: STATIC, TARGETING_MATCH, SPLIT, DISABLED
	Variant string          // "on", "off", or "rule-1" and so on
}

// SettingEntry describes an entry of the configuration.
type SettingEntry struct {
	Name, Doc, Type, Unit string
	PerSite               bool
	Bounds                map[string]any  // "min", "max", "options"
	Default               json.RawMessage // what counts where nobody decided anything
}
