package app

import (
	"context"
	"sync"
	"time"

	"github.com/postil/postil/internal/httpapi"
	"github.com/postil/postil/internal/pageview"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/qlog"
	"github.com/postil/postil/internal/store"
	"github.com/postil/postil/internal/token"
)

// light is the light backend: page views and the question log.
type light struct {
	views     *pageview.Counter
	questions *qlog.Log
	first     firstSite
}

// buildLight needs no broker: what these features keep goes to the store. The
// task ends after the last request and before the store, so that a stop loses
// no view.
func (a *App) buildLight(context.Context) error {
	a.light.views = pageview.New(a.lg, a.store, token.NewNonce(), a.clock.now)
	a.light.questions = qlog.New(a.store, a.clock.now)
	a.light.first.store = a.store
	a.tasks = append(a.tasks, namedTask{"page views", a.light.views.Run})
	return nil
}

// lightDeps is the light backend as the HTTP API sees it.
func (a *App) lightDeps() httpapi.Light {
	return httpapi.Light{DefaultSite: a.light.first.get, Views: a.light.views, Trends: a.store, Questions: a.light.questions}
}

// firstSite remembers which site is the default one. It is asked with every
// opened page, and the answer hardly ever changes.
type firstSite struct {
	store *store.Store
	mu    sync.Mutex
	id    postil.SiteID
	until time.Time
}

// keepFirst is how long another first site may go unnoticed.
const keepFirst = 5 * time.Second

// get returns the default site, NotFound when there is none. While the store
// cannot be read, the last answer counts.
func (f *firstSite) get(ctx context.Context) (postil.SiteID, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.id != "" && time.Now().Before(f.until) {
		return f.id, nil
	}
	sites, err := f.store.Sites(ctx)
	switch {
	case err != nil && f.id == "":
		return "", err
	case err == nil && len(sites) == 0:
		f.id = ""
		return "", postil.Missing()
	case err == nil:
		f.id = sites[0].ID
	}
	f.until = time.Now().Add(keepFirst)
	return f.id, nil
}
