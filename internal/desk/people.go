package desk

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/postil/postil/internal/auth"
)

// person is a key, a moderator or a session.
type person struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Role      string    `json:"role"`
	Scope     string    `json:"scope"`
	Site      string    `json:"site"`
	Pen       *pen      `json:"pen"`
	Linked    bool      `json:"linked"`
	Agent     string    `json:"user_agent"`
	CreatedAt time.Time `json:"created_at"`
	LastUsed  time.Time `json:"last_used_at"`
	SeenAt    time.Time `json:"seen_at"`
	EndsAt    time.Time `json:"ends_at"`
	RevokedAt time.Time `json:"revoked_at"`
	Mine      bool      `json:"-"` // the session of this browser
}

// pen is how a key writes comments.
type pen struct {
	Author    string `json:"author"`
	Badge     string `json:"badge"`
	Checked   bool   `json:"checked"`
	PerMinute int    `json:"per_minute"`
	PerHour   int    `json:"per_hour"`
}

// peopleData is what the template "people" sees.
type peopleData struct {
	Sites      []site
	Keys       []person
	Moderators []person
	Sessions   []person
}

// people is GET people: who may come in, and who is in. A moderator sees only
// where they are signed in themselves.
func (d *Desk) people(w http.ResponseWriter, r *http.Request, v auth.Visitor) (err error) {
	var data peopleData
	sessions, err := get[struct{ Sessions []person }](r.Context(), d, v, "sessions", nil)
	if err != nil {
		return err
	}
	for _, s := range sessions.Sessions {
		s.Mine = s.ID == sessionID(v)
		data.Sessions = append(data.Sessions, s)
	}
	if mayManage(v) {
		if data.Sites, err = d.sites(r, v); err != nil {
			return err
		}
		keys, err := get[struct{ Keys []person }](r.Context(), d, v, "keys", nil)
		if err != nil {
			return err
		}
		moderators, err := get[struct{ Moderators []person }](r.Context(), d, v, "moderators", nil)
		if err != nil {
			return err
		}
		data.Keys, data.Moderators = keys.Keys, moderators.Moderators
	}
	return d.show(w, r, v, http.StatusOK, "people", "People and keys", data)
}

// shownData is what the template "shown" sees: something that is shown once.
type shownData struct {
	Lead, Secret, Then string
	Expires            time.Time
}

// addKey is POST keys. The answer is the page that shows the key, the only one
// that ever does.
func (d *Desk) addKey(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	var out struct {
		Key    person
		Secret string
	}
	if err := d.ask(r.Context(), v, http.MethodPost, "keys", keyIn(r), &out); err != nil {
		return err
	}
	return d.show(w, r, v, http.StatusOK, "shown", "A new key", shownData{Lead: "This is the key “" + out.Key.Name + "”. It is shown here once; copy it now.", Secret: out.Secret,
		Then: "Send it in the header “Authorization: Bearer KEY”, or sign in here with it."})
}

// addModerator is POST moderators: somebody who decides in Telegram.
func (d *Desk) addModerator(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	var out struct {
		Moderator person
		Code      string
		Expires   time.Time `json:"expires_at"`
	}
	if err := d.ask(r.Context(), v, http.MethodPost, "moderators", personIn(r), &out); err != nil {
		return err
	}
	return d.show(w, r, v, http.StatusOK, "shown", "A new moderator", shownData{Lead: "This links “" + out.Moderator.Name + "” to Telegram. It is shown here once.", Secret: "/start " + out.Code,
		Then: "They send it to your bot in a private chat.", Expires: out.Expires})
}

// invite is POST signin-links: somebody who comes to this page.
func (d *Desk) invite(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	var out struct {
		Moderator person
		URL       string
		Expires   time.Time `json:"expires_at"`
	}
	if err := d.ask(r.Context(), v, http.MethodPost, "signin-links", personIn(r), &out); err != nil {
		return err
	}
	return d.show(w, r, v, http.StatusOK, "shown", "A sign-in link", shownData{Lead: "This signs “" + out.Moderator.Name + "” in to the desk, once.", Secret: out.URL,
		Then: "Hand it over where nobody else reads along.", Expires: out.Expires})
}

// keyIn is personIn with how the key writes, when it may.
func keyIn(r *http.Request) map[string]any {
	in := map[string]any{}
	for name, value := range personIn(r) {
		in[name] = value
	}
	if in["scope"] == nil {
		return in
	}
	pen := map[string]any{"author": r.PostForm.Get("author"), "badge": r.PostForm.Get("badge"), "checked": r.PostForm.Get("checked") == "yes"}
	for _, name := range []string{"per_minute", "per_hour"} {
		if n, err := strconv.Atoi(r.PostForm.Get(name)); err == nil {
			pen[name] = n
		}
	}
	in["pen"] = pen
	return in
}

func personIn(r *http.Request) map[string]string {
	in := map[string]string{}
	for _, name := range []string{"name", "role", "scope", "site"} {
		if value := r.PostForm.Get(name); value != "" {
			in[name] = value
		}
	}
	return in
}

// remove makes the order that takes something of a collection away.
func remove(collection string) order {
	return func(r *http.Request) (string, string, any) { return http.MethodDelete, collection + "/" + idOf(r), nil }
}

// fields reads words that are separated by commas or spaces.
func fields(s string) []string {
	return append([]string{}, strings.FieldsFunc(s, func(c rune) bool { return c == ',' || c == ' ' || c == '\n' || c == '\r' })...)
}
