package desk

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// handler answers somebody who is signed in.
type handler func(w http.ResponseWriter, r *http.Request, v auth.Visitor) error

// page makes a handler of something to look at.
func (d *Desk) page(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := d.deps.Sessions.Enter(r)
		switch {
		case postil.KindOf(err) == postil.KeyRequired:
			d.stranger(w, r)
			return
		case err == nil:
			err = h(w, r, v)
		}
		if err != nil {
			d.fail(w, r, v, err)
		}
	})
}

// maxForm is how many bytes a form may have: a thousand ids, or a long text.
const maxForm = 256 << 10

// change makes a handler of a form. It runs only for a form of a page of the
// same session, sent by POST.
func (d *Desk) change(h handler) http.Handler {
	return d.page(func(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		err := r.ParseForm()
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return &postil.Error{Kind: postil.TooLarge, Sentence: "That is too much for one form. Do it in several steps."}
		}
		if err != nil {
			return &postil.Error{Kind: postil.Invalid, Sentence: "The form did not arrive in full. Go back and send it again.", Cause: err}
		}
		if err := d.deps.Sessions.MayChange(r, v, r.PostForm.Get("csrf")); err != nil {
			return err
		}
		return h(w, r, v)
	})
}

// stranger answers somebody who is not signed in: a page leads to the form and
// back. The session's cookie does not come with a link that is followed from
// elsewhere, a card in a chat for instance; so the page is asked for once more
// from a page of ours.
func (d *Desk) stranger(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method != http.MethodGet && wantsJSON(r):
		writeJSON(w, http.StatusUnauthorized, settled{Text: "You are signed out. Load the page to sign in again; nothing was changed."})
	case r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") == "navigate":
		d.render(w, http.StatusOK, "bounce", view{Root: root(r), Title: "One moment", Data: relative(r)})
	default:
		next := ""
		if r.Method == http.MethodGet {
			next = relative(r)
		}
		see(w, r, "signin"+query(url.Values{"next": {next}}))
	}
}

// fail shows what went wrong.
func (d *Desk) fail(w http.ResponseWriter, r *http.Request, v auth.Visitor, err error) {
	no := refusalOf(err)
	if no.Status == http.StatusUnauthorized { // the session ended while this was asked
		d.stranger(w, r)
		return
	}
	if no.Status >= 500 && !errors.Is(err, context.Canceled) {
		d.lg.ErrorContext(r.Context(), "a page of the desk failed", "route", r.Pattern, "err", err)
	}
	if wantsJSON(r) {
		writeJSON(w, no.Status, settled{Text: no.Detail, Status: no.State})
		return
	}
	d.show(w, r, v, no.Status, "problem", no.Title, no)
}

// refusalOf turns any error into what is shown.
func refusalOf(err error) *refusal {
	if no, ok := errors.AsType[*refusal](err); ok {
		return no
	}
	sorry := &refusal{Status: 500, Title: "Something went wrong", Detail: "Something went wrong on our side, and nothing was changed. Try again in a moment; the log says more."}
	e, ok := errors.AsType[*postil.Error](err)
	if !ok {
		return sorry
	}
	row, ok := map[postil.Kind]refusal{
		postil.Invalid: {Status: 422, Title: "This needs a correction"}, postil.NotFound: {Status: 404, Title: "Nothing here"},
		postil.Conflict: {Status: 409, Title: "Somebody was faster"}, postil.Forbidden: {Status: 403, Title: "Not allowed"},
		postil.KeyRequired: {Status: 401, Title: "Sign in first"}, postil.Throttled: {Status: 429, Title: "Too many attempts"},
		postil.TooLarge: {Status: 413, Title: "Too large"}, postil.Unavailable: {Status: 503, Title: "Too busy at the moment"},
	}[e.Kind]
	if !ok {
		return sorry
	}
	row.Detail, row.Field = e.Sentence, e.Field
	return &row
}

// nothing answers every address that is none.
func (d *Desk) nothing(http.ResponseWriter, *http.Request, auth.Visitor) error {
	return &postil.Error{Kind: postil.NotFound, Sentence: "There is no such page at the desk. The menu lists those there are."}
}

// root is the way from a page to the desk's first page: relative, because only
// the proxy knows what stands before it.
func root(r *http.Request) string {
	if depth := strings.Count(r.URL.Path, "/") - 1; depth > 0 {
		return strings.Repeat("../", depth)
	}
	return "./"
}

// relative is the address of a page as seen from the first one.
func relative(r *http.Request) string {
	at := strings.TrimPrefix(r.URL.EscapedPath(), "/")
	if r.URL.RawQuery != "" {
		at += "?" + r.URL.RawQuery
	}
	return safe(at)
}

var place = regexp.MustCompile(`^([a-z0-9-]+(/[a-zA-Z0-9_-]+)*)?(\?[!-\[\]-~]*)?$`)

// safe returns a place at the desk that a form or an address names, and the
// first page for everything else: nobody is led elsewhere from here.
func safe(at string) string {
	if len(at) > 2000 || !place.MatchString(at) || strings.Contains(at, "#") {
		return ""
	}
	return at
}

// see answers a form: the browser goes to a place at the desk.
func see(w http.ResponseWriter, r *http.Request, at string) {
	w.Header().Set("Location", root(r)+at)
	w.WriteHeader(http.StatusSeeOther)
}

// query writes parameters, without those that are empty.
func query(q url.Values) string {
	for name, values := range q {
		if strings.Join(values, "") == "" {
			delete(q, name)
		}
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// wantsJSON reports whether the script asks, and not the browser itself.
func wantsJSON(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Accept"), "application/json")
}
