package desk

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// config is an entry of what is decided while the service runs.
type config struct {
	Name    string          `json:"name"`
	Doc     string          `json:"doc"`
	Type    string          `json:"type"`
	Unit    string          `json:"unit"`
	PerSite bool            `json:"per_site"`
	Default json.RawMessage `json:"default"`
	Value   json.RawMessage `json:"value"`
	Preview bool            `json:"preview"` // its effect can be told before it is saved

	Effect string `json:"-"` // of the value in the field, which is not saved yet
}

// Shown is the value as its field holds it.
func (c config) Shown() string { return plain(c.Value) }

// Usual is the default in words.
func (c config) Usual() string { return plain(c.Default) }

// IsDefault reports whether nobody has decided otherwise.
func (c config) IsDefault() bool { return bytes.Equal(c.Value, c.Default) }

// Field names the kind of field: "switch", "line" or "json".
func (c config) Field() string {
	switch {
	case string(c.Value) == "true" || string(c.Value) == "false":
		return "switch"
	case len(c.Value) > 0 && (c.Value[0] == '{' || c.Value[0] == '['):
		return "json"
	}
	return "line"
}

// plain is a JSON value for a field: a string without its quotes, a structure
// with line breaks.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, raw, "", "  ") != nil {
		return string(raw)
	}
	return pretty.String()
}

// typed is what was written into a field as JSON: of the kind that the value
// had before.
func typed(text string, was string) (json.RawMessage, error) {
	if was == "string" {
		return json.Marshal(text)
	}
	if !json.Valid([]byte(text)) {
		return nil, postil.InvalidField("value", "That is no value of this setting. The hint beside it shows the default, which has the right form.")
	}
	return json.RawMessage(text), nil
}

// settingsData is what the template "settings" sees.
type settingsData struct {
	Sites  []site
	Site   string
	Config []config
	Plans  []plan
}

// settings is GET settings?site=.
func (d *Desk) settings(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	return d.showSettings(w, r, v, r.URL.Query().Get("site"), nil)
}

// showSettings answers with the settings of a site. tried is one whose value is
// not saved yet, nil for none.
func (d *Desk) showSettings(w http.ResponseWriter, r *http.Request, v auth.Visitor, of string, tried *config) (err error) {
	data := settingsData{Site: of}
	if data.Sites, err = d.sites(r, v); err != nil {
		return err
	}
	if data.Plans, err = d.plans(r, v, "config"); err != nil {
		return err
	}
	out, err := get[struct{ Config []config }](r.Context(), d, v, "config", url.Values{"site": {data.Site}})
	if err != nil {
		return err
	}
	for _, c := range out.Config {
		if tried != nil && tried.Name == c.Name {
			c.Value, c.Effect = tried.Value, tried.Effect
		}
		if data.Site == "" || c.PerSite {
			data.Config = append(data.Config, c)
		}
	}
	return d.show(w, r, v, http.StatusOK, "settings", "Settings", data)
}

// setConfig is POST settings/{id}: a value, or back to the default, now or
// later.
func (d *Desk) setConfig(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	value, err := valueOf(r)
	if err != nil {
		return err
	}
	in := map[string]any{"value": value, "site": r.PostForm.Get("site"), "reason": r.PostForm.Get("reason")}
	did := later(r, func(at string) { in["at"] = at })
	return d.forward(did, func(r *http.Request) (string, string, any) { return http.MethodPut, "config/" + idOf(r), in })(w, r, v)
}

// valueOf reads the value of a setting's form; null is the default.
func valueOf(r *http.Request) (json.RawMessage, error) {
	if r.PostForm.Has("default") {
		return json.RawMessage("null"), nil
	}
	return typed(lines(r.PostForm.Get("value")), r.PostForm.Get("kind"))
}

// foretell is POST settings?site=: the settings with a value that is not saved,
// and what it would have meant for the last comments.
func (d *Desk) foretell(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	value, err := valueOf(r)
	if err != nil {
		return err
	}
	var out struct{ Detail string }
	name, site := r.PostForm.Get("setting"), r.PostForm.Get("site")
	if err := d.ask(r.Context(), v, http.MethodPost, "config/"+url.PathEscape(name)+"/preview", map[string]any{"value": value, "site": site}, &out); err != nil {
		return err
	}
	return d.showSettings(w, r, v, site, &config{Name: name, Value: value, Effect: out.Detail})
}

// IsText reports whether the value is a string.
func (c config) IsText() bool { return len(c.Value) > 0 && c.Value[0] == '"' }

// flag switches something for some readers.
type flag struct {
	Name      string          `json:"name"`
	Flag      json.RawMessage `json:"flag"`
	ChangedAt time.Time       `json:"changed_at"`
}

// Shown is the flag as its field holds it.
func (f flag) Shown() string { return plain(f.Flag) }

// flagPage is GET flags.
func (d *Desk) flagPage(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	out, err := get[struct {
		Flags []flag
		Plans []plan `json:"-"`
	}](r.Context(), d, v, "flags", nil)
	if err != nil {
		return err
	}
	if out.Plans, err = d.plans(r, v, "flag"); err != nil {
		return err
	}
	return d.show(w, r, v, http.StatusOK, "flags", "Flags", out)
}

// setFlag is POST flags: a flag by its name, now or later.
func (d *Desk) setFlag(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	value, err := typed(lines(r.PostForm.Get("flag")), "")
	if err != nil {
		return err
	}
	in := map[string]any{}
	if json.Unmarshal(value, &in) != nil || in == nil {
		return postil.InvalidField("flag", "A flag is an object, such as {\"type\":\"boolean\",\"value\":true}.")
	}
	did := later(r, func(at string) { in["at"] = at })
	return d.forward(did, func(r *http.Request) (string, string, any) {
		return http.MethodPut, "flags/" + url.PathEscape(r.PostForm.Get("name")), in
	})(w, r, v)
}

// webhook is who is told of events.
type webhook struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Site      string    `json:"site"`
	URL       string    `json:"url"`
	Format    string    `json:"format"`
	Active    bool      `json:"active"`
	CreatedAt time.Time `json:"created_at"`
}

// webhooksData is what the template "webhooks" sees.
type webhooksData struct {
	Sites    []site
	Webhooks []webhook
}

// webhooks is GET webhooks.
func (d *Desk) webhooks(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	data, err := get[webhooksData](r.Context(), d, v, "webhooks", nil)
	if err != nil {
		return err
	}
	if data.Sites, err = d.sites(r, v); err != nil {
		return err
	}
	return d.show(w, r, v, http.StatusOK, "webhooks", "Webhooks", data)
}

// addWebhook is POST webhooks. The answer is the page that shows the secret.
func (d *Desk) addWebhook(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	in := map[string]string{}
	for _, name := range []string{"name", "site", "url", "format"} {
		if value := r.PostForm.Get(name); value != "" {
			in[name] = value
		}
	}
	return d.showSecret(w, r, v, "webhooks", in)
}

// rotate is POST webhooks/{id}/secret: a new secret in the place of the old one.
func (d *Desk) rotate(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	return d.showSecret(w, r, v, "webhooks/"+idOf(r)+"/secret", nil)
}

func (d *Desk) showSecret(w http.ResponseWriter, r *http.Request, v auth.Visitor, path string, in any) error {
	var out struct {
		Webhook webhook
		Secret  string
	}
	if err := d.ask(r.Context(), v, http.MethodPost, path, in, &out); err != nil {
		return err
	}
	return d.show(w, r, v, http.StatusOK, "shown", "The secret of a webhook", shownData{Lead: "With this the receiver “" + out.Webhook.Name + "” knows what comes from here. It is shown here once.",
		Secret: out.Secret, Then: "Put it where the receiver checks signatures."})
}

// pauseWebhook is POST webhooks/{id}: on or off.
func pauseWebhook(r *http.Request) (string, string, any) {
	return http.MethodPatch, "webhooks/" + idOf(r), map[string]any{"active": r.PostForm.Get("active") == "true"}
}
