package app

import (
	"context"
	"net/http"

	adminpage "github.com/postil/postil/internal/desk" // “desk” is how moderators are asked
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/web"
)

// adminPage puts the admin page together. It asks the admin API inside this
// process, which is built after it.
func (a *App) adminPage() (http.Handler, error) {
	limits, who := a.limits(), clients{a}
	return adminpage.New(a.lg, adminpage.Deps{
		API:      http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.server.Handler().ServeHTTP(w, r) }),
		Sessions: a.sessions,
		Attempt: func(r *http.Request) error {
			taken, err := limits.Take(r.Context(), "signin", who.Actor(r.Context(), who.ClientIP(r.RemoteAddr, r.Header)))
			if err != nil {
				return err
			}
			return taken.Err()
		},
		Waiting: func(ctx context.Context, site postil.SiteID) (int, error) {
			n, _, err := a.store.WaitingSince(ctx, site)
			return n, err
		},
		Templates: web.AdminFiles(), Asset: web.AdminAsset, PublicURL: a.cfg.base(), Now: a.clock.now,
	})
}

// demoModerator signs in to the demo's admin page with the link of the start
// line.
const demoModerator = "Demo"

// deskAddress is where moderators find the admin page. For the demo, which has
// nobody to make a link for, it is one that signs in.
func (a *App) deskAddress(ctx context.Context) string {
	plain := a.cfg.base() + "/admin/"
	if !a.cfg.Demo {
		return plain
	}
	m, err := a.demoModerator(ctx)
	if err == nil {
		var address string
		if address, _, err = a.signIn(ctx, m.ID, theSettings); err == nil {
			return address + " (which signs you in, once)"
		}
	}
	a.lg.Warn("the demo has no sign-in link; make one with “postil moderator signin”", "err", err)
	return plain
}

func (a *App) demoModerator(ctx context.Context) (postil.Moderator, error) {
	all, err := a.store.Moderators(ctx)
	if err != nil {
		return postil.Moderator{}, err
	}
	for _, m := range all {
		if m.Name == demoModerator && m.Revoked.IsZero() {
			return m, nil
		}
	}
	_, hash := a.keys.NewCode() // for Telegram, of which nobody is told
	return a.store.AddModerator(ctx, postil.Moderator{Name: demoModerator, Role: postil.AdminRole}, hash, a.clock.now(ctx), theSettings)
}
