package auth

import (
	"context"
	"slices"

	"github.com/postil/postil/internal/postil"
)

// Action is what somebody wants to do.
type Action string

// The actions.
const (
	Read   Action = "read"   // comments, posts and sites, private parts included
	Decide Action = "decide" // about comments, and take decisions back
	Reply  Action = "reply"  // as the blog's author
	Manage Action = "manage" // posts, sites, keys and moderators
)

// allowed lists what a moderator may do; an admin may do everything.
var allowed = []Action{Read, Decide, Reply}

// Principal is who is asking.
type Principal struct {
	By    postil.By // how logs and colleagues know them
	Key   int64     // the key that they showed; 0: none, or the one of the settings
	Role  postil.Role
	Scope string        // postil.AuthorScope or ""
	Pen   postil.Pen    // how they write, with the scope
	Site  postil.SiteID // the only site they may touch; "": every site
}

// May returns nil when the principal may do the action on the site, and
// otherwise a Forbidden error that says why. The site "" stands for all sites
// at once, so whoever is bound to one may do nothing there.
func (p Principal) May(action Action, site postil.SiteID) error {
	if p.Role != postil.AdminRole && (p.Role != postil.ModeratorRole || !slices.Contains(allowed, action)) {
		return postil.Refuse("forbidden", "A moderator may read, decide and reply. This needs a key with the role admin.")
	}
	switch {
	case p.Site == "" || p.Site == site:
		return nil
	case site == "":
		return postil.Refuse("forbidden", "This key is for the site “%s” alone. This needs a key for all sites.", p.Site)
	}
	return postil.Refuse("forbidden", "This key is for the site “%s” alone and may not touch another one.", p.Site)
}

type localKey struct{}

// WithLocal marks a request that came over the local socket, which only the
// owner of the data directory can open.
func WithLocal(ctx context.Context) context.Context {
	return context.WithValue(ctx, localKey{}, true)
}

// Local returns the principal of a request over the local socket; ok is false
// for every other request.
func Local(ctx context.Context) (p Principal, ok bool) {
	if local, _ := ctx.Value(localKey{}).(bool); !local {
		return Principal{}, false
	}
	by := postil.By{Channel: postil.ByREST, Actor: "local", Name: "command line"}
	return Principal{By: by, Role: postil.AdminRole}, true
}

type principalKey struct{}

// WithPrincipal marks a request that this process makes in the name of
// somebody whom it knows already, such as the admin page of whoever is signed
// in there. Nothing that a client sends can set it.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// FromContext returns the principal of WithPrincipal; ok is false for every
// other request.
func FromContext(ctx context.Context) (p Principal, ok bool) {
	p, ok = ctx.Value(principalKey{}).(Principal)
	return p, ok
}
