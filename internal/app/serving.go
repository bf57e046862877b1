package app

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/postil/postil/internal/httpapi"
	"github.com/postil/postil/internal/intake"
	"github.com/postil/postil/internal/limit"
	"github.com/postil/postil/internal/netid"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/settings"
	"github.com/postil/postil/web"
)

func (a *App) buildServer(ctx context.Context) (err error) {
	if a.pages, err = httpapi.NewPages(a.cfg.URL, web.PageFiles()); err != nil {
		return err
	}
	a.measured = a.metrics(ctx)
	deps := httpapi.Deps{
		Sites: a.sites, Read: a.read, Intake: a.taking(), Authors: a.intake, Keys: a.auth,
		Streams: streams{a}, Posts: a.store, Limiter: a.limits(), Clients: clients{a}, Ready: a.ready,
		Bundle: web.Bundle, Hooks: a.desk.hooks(), Metrics: a.measured, Explain: a.arrival,
		Pages: a.pages, TrapName: a.keys.TrapName, Doubt: a.doubt,
		Admin: a.admin(), Light: a.lightDeps(), Flags: settings.NewDesk(a.settings, a.store),
		Answered: a.noticed.answered,
	}
	if deps.Desk, err = a.adminPage(); err != nil {
		return err
	}
	if a.cfg.AdminListen != "" {
		deps.Metrics = nil // they are there
	}
	if a.cfg.Demo {
		deps.Demo = demoBlog(a.cfg.base())
	}
	a.server, err = httpapi.New(a.lg, httpapi.Config{PublicURL: a.cfg.URL, Listen: a.cfg.Listen, Contact: a.cfg.SecurityContact}, deps)
	return err
}

// admin is what moderators and admins need.
func (a *App) admin() httpapi.Admin {
	return httpapi.Admin{
		Authenticator: a.auth, Records: a.store, Decisions: a.store, Door: a.door, Replies: a.intake, Posts: a.store,
		Sites: a.store, APIKeys: a.store, Moderators: a.store, Codes: a.keys,
		Audits:   a.store,
		Webhooks: a.store, Hooks: a.hooks,
		Book: a.book, Rules: a.store,
		Sessions: a.sessions, Forget: a.siteChanged, Now: a.clock.now,
		Backups: backupsFor{a}, Settings: settings.NewDesk(a.settings, a.store), Plans: settings.NewPlanner(a.lg, a.settings, a.store), Effects: effects{a},
		Privacy: people{a.store}, EditKeys: a.intake, Operations: a.store, Fence: fence{a}, Notes: a.store, Templates: a.store,
	}
}

// streams is the hub as the HTTP API sees it.
type streams struct{ a *App }

func (s streams) Subscribe(site postil.SiteID, posts []postil.PostID, actor string) (httpapi.Stream, error) {
	sub, err := s.a.hub.Subscribe(site, posts, actor)
	if err != nil {
		return nil, err
	}
	return sub, nil
}

// clients turns connections into keyed hashes.
type clients struct{ a *App }

func (c clients) ClientIP(remote string, h http.Header) netip.Addr {
	return c.a.clients.ClientIP(remote, h)
}

func (c clients) Actor(ctx context.Context, client netip.Addr) string {
	return c.a.keys.Actor(netid.Bucket(client), c.a.clock.now(ctx))
}

func (c clients) Network(client netip.Addr) string {
	network := netid.Network(client)
	id := c.a.keys.NetworkID(network)
	c.a.networks.note(id, network)
	return id
}

func (c clients) Bucket(client netip.Addr) string { return c.a.keys.Bucket(netid.Bucket(client)) }

// wary asks for work after suspicious behaviour; nobody without limits.
func (a *App) wary() intake.Wary {
	if a.cfg.Limits == "off" {
		return nil
	}
	return intake.NewSuspicion(a.store, func(ctx context.Context, actor string) bool {
		taken, err := a.limiter.Take(ctx, manyForms, actor)
		return err == nil && !taken.Allowed
	})
}

// manyForms is how many forms the readers behind one address may open before
// one of them is asked for work.
var manyForms = limit.Rule{Name: "forms", Rates: []limit.Rate{{N: 30, Per: 10 * time.Minute}}}

// arrival says how a request came here.
func (a *App) arrival(remote string, h http.Header) httpapi.Arrival {
	peer, _, _ := net.SplitHostPort(remote)
	return httpapi.Arrival{
		Peer: peer, Client: a.clients.ClientIP(remote, h).String(), Header: h.Get(a.cfg.ClientIPHeader),
		Trusted: a.clients.Trusted(remote), Steps: a.clients.Explain(remote, h),
	}
}
