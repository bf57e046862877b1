package desk

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/postil/postil/internal/auth"
)

// order makes the request to the API that a form stands for.
type order func(r *http.Request) (method, path string, in any)

// forward makes a handler of a form that is one request to the API. Afterwards
// the browser is where it was, with a notice: did is a word of notes.
func (d *Desk) forward(did string, o order) handler {
	return func(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
		method, path, in := o(r)
		if err := d.ask(r.Context(), v, method, path, in, nil); err != nil {
			return err
		}
		at, err := url.Parse(safe(r.PostForm.Get("back")))
		if err != nil {
			return err
		}
		see(w, r, at.Path+query(merged(at.Query(), "did", did)))
		return nil
	}
}

// notes are the notices of forms about anything but a comment.
var notes = map[string]string{
	"saved": "Saved.", "planned": "Planned. It stands in the list until it happens.", "dropped": "Dropped: that change will not happen.", "revoked": "Revoked. It is refused from the next request on.", "removed": "Removed.", "erased": "Erased: nothing that is stored leads to this author any more.", "ended": "Signed out there.",
	"merged": "Merged. The old key leads to the other post from now on.", "renamed": "Renamed. The old key leads to the new one.",
	"split": "Moved, with the answers below it.", "unmoved": "Taken back: the comments stand where they stood.",
	"banned": "Banned: what this author sends from now on goes to the spam list.", "trusted": "Trusted: what this author sends is published when nothing speaks against it.",
}

// words reads a field of one entry a line.
func words(field string) []string {
	out := []string{}
	for line := range strings.Lines(lines(field)) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// idOf is the part of an address that names a thing.
func idOf(r *http.Request) string { return url.PathEscape(r.PathValue("id")) }
