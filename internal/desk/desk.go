package desk

import (
	"context"
	"errors"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// Deps is everything behind the pages; all of it is needed but Now.
type Deps struct {
	// API answers the admin API in this process. It takes whoever
	// auth.WithPrincipal names for the caller.
	API      http.Handler
	Sessions *auth.Sessions
	// Attempt counts an attempt to sign in and refuses it when there were too
	// many from where the request comes from.
	Attempt func(r *http.Request) error
	// Waiting returns how many comments wait for a person, on one site or, "",
	// on all.
	Waiting func(ctx context.Context, site postil.SiteID) (int, error)

	Templates fs.FS                            // *.html
	Asset     func(name string) ([]byte, bool) // "admin.css", "admin.js"
	PublicURL string                           // where browsers reach the service, without a slash at the end
	Now       func(context.Context) time.Time  // default: the system's clock
}

// Desk serves the admin page. Its handler sees paths below admin.
type Desk struct {
	lg        *slog.Logger
	deps      Deps
	templates *template.Template
	assets    map[string]asset
	mux       *http.ServeMux
}

// New reads the templates and returns the desk, or what is wrong with its
// parts.
func New(lg *slog.Logger, deps Deps) (*Desk, error) {
	if deps.API == nil || deps.Sessions == nil || deps.Attempt == nil || deps.Waiting == nil || deps.Templates == nil || deps.Asset == nil {
		return nil, errors.New("desk: a part is missing")
	}
	if deps.Now == nil {
		deps.Now = func(context.Context) time.Time { return time.Now() }
	}
	d := &Desk{lg: lg, deps: deps}
	if err := d.loadAssets(); err != nil {
		return nil, err
	}
	if err := d.loadTemplates(); err != nil {
		return nil, err
	}
	d.mount()
	return d, nil
}

// policy is the Content-Security-Policy of every page: our own files, and
// nothing inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP answers a page, a form or a file of the desk.
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex")
	// Not no-referrer: a browser would then hide where our own forms stand.
	h.Set("Referrer-Policy", "same-origin")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	d.mux.ServeHTTP(w, r)
}
