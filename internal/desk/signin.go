package desk

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// signinData is what the templates "signin" and "invitation" see.
type signinData struct {
	Next string
	Slip string // what was wrong
	Name string // of whom a link is for
}

// open makes a handler for everybody, signed in or not.
func (d *Desk) open(h func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			d.fail(w, r, auth.Visitor{}, err)
		}
	})
}

// signinForm is GET signin.
func (d *Desk) signinForm(w http.ResponseWriter, r *http.Request) error {
	next := safe(r.URL.Query().Get("next"))
	if _, err := d.deps.Sessions.Enter(r); err == nil {
		see(w, r, next)
		return nil
	}
	d.render(w, http.StatusOK, "signin", view{Root: root(r), Title: "Sign in", Data: signinData{Next: next}})
	return nil
}

// signIn is POST signin: somebody shows an API key. Attempts are counted
// whether or not they succeed.
func (d *Desk) signIn(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	if err := d.deps.Sessions.Cookie.OwnPage(r); err != nil {
		return err
	}
	key, next := strings.TrimSpace(r.PostFormValue("key")), safe(r.PostFormValue("next"))
	again := func(err error) error {
		no := refusalOf(err)
		if no.Status >= 500 {
			return err
		}
		if no.Status == http.StatusUnauthorized {
			no.Status = http.StatusUnprocessableEntity
		}
		d.render(w, no.Status, "signin", view{Root: root(r), Title: "Sign in", Data: signinData{Next: next, Slip: no.Detail}})
		return nil
	}
	if key == "" {
		return again(postil.InvalidField("key", "Paste a key, or open a sign-in link."))
	}
	if err := d.deps.Attempt(r); err != nil {
		return again(err)
	}
	secret, ends, err := d.deps.Sessions.SignIn(r.Context(), key, r.UserAgent())
	if err != nil {
		return again(err)
	}
	d.welcome(w, r, secret, ends, next)
	return nil
}

func (d *Desk) welcome(w http.ResponseWriter, r *http.Request, secret string, ends time.Time, next string) {
	d.deps.Sessions.Cookie.Give(w, secret, ends)
	see(w, r, next)
}

// invitation is GET signin/{code}: a button. Programs that fetch links for a
// preview come here as well, and must not use the link up.
func (d *Desk) invitation(w http.ResponseWriter, r *http.Request) error {
	m, err := d.deps.Sessions.Invited(r.Context(), r.PathValue("code"))
	if err != nil {
		return usedUp(err)
	}
	d.render(w, http.StatusOK, "invitation", view{Root: root(r), Title: "Sign in", Data: signinData{Name: m.Name}})
	return nil
}

// accept is POST signin/{code}: the button was pressed.
func (d *Desk) accept(w http.ResponseWriter, r *http.Request) error {
	if err := d.deps.Sessions.Cookie.OwnPage(r); err != nil {
		return err
	}
	if err := d.deps.Attempt(r); err != nil {
		return err
	}
	secret, ends, err := d.deps.Sessions.Accept(r.Context(), r.PathValue("code"), r.UserAgent())
	if err != nil {
		return usedUp(err)
	}
	d.welcome(w, r, secret, ends, "")
	return nil
}

func usedUp(err error) error {
	if postil.KindOf(err) == postil.NotFound {
		return &postil.Error{Kind: postil.NotFound, Sentence: "This sign-in link was used, or is older than 15 minutes. Make another one with “postil moderator signin --name YOU”, or ask whoever sent it."}
	}
	return err
}

// signOut is POST signout.
func (d *Desk) signOut(w http.ResponseWriter, r *http.Request, v auth.Visitor) error {
	if err := d.deps.Sessions.End(r.Context(), v.Principal, v.Session.ID); err != nil {
		return err
	}
	d.deps.Sessions.Cookie.Take(w)
	see(w, r, "signin"+query(url.Values{}))
	return nil
}
