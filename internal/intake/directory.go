package intake

import (
	"context"
	"sync"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Register knows the sites.
type Register interface {
	Site(ctx context.Context, id postil.SiteID) (postil.Site, error)
	// Redirects returns the old keys of its posts and where they lead.
	Redirects(ctx context.Context, id postil.SiteID) (map[postil.PostID]postil.PostID, error)
}

// Directory answers from memory what sites there are, so that reading a hot
// thread asks the store nothing. A change is seen at once after Forget, and
// after keepSite at the latest.
type Directory struct {
	register Register
	mu       sync.RWMutex
	known    map[postil.SiteID]entry
}

type entry struct {
	site  postil.Site
	rules postil.PostRules
	moved map[postil.PostID]postil.PostID // old keys
	until time.Time
}

// keepSite is the backstop for a change whose event was lost.
const keepSite = 5 * time.Second

// NewDirectory returns an empty directory over a register.
func NewDirectory(register Register) *Directory {
	return &Directory{register: register, known: map[postil.SiteID]entry{}}
}

// Site returns a site, NotFound when there is none.
func (d *Directory) Site(ctx context.Context, id postil.SiteID) (postil.Site, error) {
	e, err := d.entry(ctx, id)
	return e.site, err
}

// Resolve returns the key of the post that a visitor of a site names, wherever
// it is now.
func (d *Directory) Resolve(ctx context.Context, id postil.SiteID, raw string) (postil.PostID, error) {
	e, err := d.entry(ctx, id)
	if err != nil {
		return "", err
	}
	key, err := e.rules.Resolve(raw)
	if to, moved := e.moved[key]; moved {
		key = to
	}
	return key, err
}

// Named returns the key that a visitor means, though the post may have another
// one by now.
func (d *Directory) Named(ctx context.Context, id postil.SiteID, raw string) (postil.PostID, error) {
	e, err := d.entry(ctx, id)
	if err != nil {
		return "", err
	}
	return e.rules.Resolve(raw)
}

// Forget makes the next question about a site go to the register.
func (d *Directory) Forget(id postil.SiteID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.known, id)
}

// ForgetAll does that for every site.
func (d *Directory) ForgetAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.known)
}

func (d *Directory) entry(ctx context.Context, id postil.SiteID) (entry, error) {
	d.mu.RLock()
	e, ok := d.known[id]
	d.mu.RUnlock()
	if ok && time.Now().Before(e.until) {
		return e, nil
	}
	site, err := d.register.Site(ctx, id)
	if err != nil {
		return entry{}, err
	}
	moved, err := d.register.Redirects(ctx, id)
	if err != nil {
		return entry{}, err
	}
	e = entry{site, Rules(site), moved, time.Now().Add(keepSite)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known[id] = e
	return e, nil
}

// Rules returns how the posts of a site are told apart.
func Rules(site postil.Site) postil.PostRules {
	hosts := make([]string, len(site.Origins))
	for i, o := range site.Origins {
		hosts[i] = postil.OriginHost(o)
	}
	return postil.PostRules{Hosts: hosts}
}
