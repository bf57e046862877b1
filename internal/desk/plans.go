package desk

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/postil/postil/internal/auth"
)

// plan is a change of a setting or a flag that is to happen.
type plan struct {
	ID     string          `json:"id"`
	Kind   string          `json:"kind"`
	Name   string          `json:"name"`
	At     time.Time       `json:"at"`
	Site   string          `json:"site"`
	Value  json.RawMessage `json:"value"`
	By     string          `json:"by"`
	Reason string          `json:"reason"`
}

// Shown is what it will be.
func (p plan) Shown() string {
	if string(p.Value) == "null" {
		return "the default"
	}
	return plain(p.Value)
}

// plans returns what is to happen to settings ("config") or flags ("flag").
func (d *Desk) plans(r *http.Request, v auth.Visitor, kind string) (out []plan, err error) {
	all, err := get[struct{ Plans []plan }](r.Context(), d, v, "plans", nil)
	for _, p := range all.Plans {
		if p.Kind == kind {
			out = append(out, p)
		}
	}
	return out, err
}

// dropPlan is POST plans/{id}/drop: the change does not happen.
func dropPlan(r *http.Request) (string, string, any) {
	kind := map[bool]string{true: "flags/", false: "config/"}[r.PostForm.Get("kind") == "flag"]
	return http.MethodDelete, kind + url.PathEscape(r.PostForm.Get("name")) + "/plans/" + idOf(r), nil
}

// later reads the moment of a form, in UTC, and hands it on; it returns the
// notice for what is done. What is no moment is for the API to refuse.
func later(r *http.Request, set func(at string)) (did string) {
	at := r.PostForm.Get("at")
	if at == "" {
		return "saved"
	}
	for _, layout := range []string{formTime, formTime + ":05"} {
		if t, err := time.Parse(layout, at); err == nil {
			at = t.Format(time.RFC3339)
			break
		}
	}
	set(at)
	return "planned"
}
