package app

import (
	"cmp"
	"context"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/postil/postil/internal/akismet"
	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/queue"
	"github.com/postil/postil/internal/settings"
)

// byAkismet is the name of the check that Akismet is.
const byAkismet = "akismet"

func (a *App) akismet() (*akismet.Client, error) {
	client, err := akismet.New(cmp.Or(a.cfg.AkismetURL, akismet.Default), a.cfg.AkismetKey)
	if err != nil {
		return nil, problem("POSTIL_AKISMET_URL", err.Error(), akismet.Default)
	}
	return client, nil
}

// consultAkismet adds Akismet as a check. What it calls spam waits for a person,
// and only what it calls blatant is stopped.
func (a *App) consultAkismet() error {
	if a.cfg.AkismetKey.IsZero() {
		return nil
	}
	client, err := a.akismet()
	if err != nil {
		return err
	}
	a.networks = &networks{}
	a.worker.Consult(moderation.Outside{Name: byAkismet, Limit: a.within(settings.CheckTimeout),
		Ask: func(ctx context.Context, c postil.Comment, text string, _ []string) (postil.Finding, error) {
			if !settings.AkismetOn.Get(a.settings.Now(), c.Site) {
				return postil.Finding{}, nil
			}
			s, err := a.toAkismet(ctx, c, text)
			if err != nil {
				return postil.Finding{}, err
			}
			answer, err := client.Check(ctx, s)
			switch {
			case err != nil || answer == akismet.Ham:
				return postil.Finding{}, err
			case answer == akismet.Blatant:
				return postil.Finding{Weight: moderation.Clear, Reason: "Akismet calls it blatant spam"}, nil
			}
			return postil.Finding{Weight: 2 * moderation.Objection, Reason: "Akismet calls it spam"}, nil
		}})
	return nil
}

// toAkismet is what Akismet is told of a comment.
func (a *App) toAkismet(ctx context.Context, c postil.Comment, text string) (s akismet.Subject, err error) {
	site, err := a.sites.Site(ctx, c.Site)
	if err != nil {
		return s, err
	}
	s = akismet.Subject{Blog: a.cfg.base(), Page: c.Page.URL, Comment: c, Text: text}
	if len(site.Origins) > 0 {
		s.Blog = site.Origins[0]
	}
	if s.Page == "" && strings.HasPrefix(string(c.Post), "/") {
		s.Page = strings.TrimRight(s.Blog, "/") + string(c.Post)
	}
	if settings.AkismetNetwork.Get(a.settings.Now(), c.Site) {
		s.Network = a.networks.of(c.Origin.Network)
	}
	return s, nil
}

// buildFeedback tells Akismet, by a durable consumer of its own, what moderators
// have decided against its word. An outage of hours loses nothing of it.
func (a *App) buildFeedback(context.Context) error {
	if a.cfg.AkismetKey.IsZero() {
		return nil
	}
	client, err := a.akismet()
	if err != nil {
		return &usageError{err}
	}
	a.tasks = append(a.tasks, namedTask{"feedback to Akismet", a.broker.Consume(queue.Consumer{Name: byAkismet, Kinds: []postil.EventKind{postil.CommentDecided},
		Parallel: 2, PerComment: true, MaxTries: 60, Backoff: []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour},
		Handle: func(ctx context.Context, ev postil.Event) error { return a.feedback(ctx, client, ev) }})})
	return nil
}

// feedback passes on one decision. What was taken back or erased meanwhile
// teaches nothing.
func (a *App) feedback(ctx context.Context, client *akismet.Client, ev postil.Event) error {
	d, err := a.store.Decision(ctx, ev.Decision)
	if postil.KindOf(err) == postil.NotFound || err == nil && (d.UndoneBy != 0 || !d.By.Person() || d.Verb != postil.Approve && d.Verb != postil.MarkSpam) {
		return nil
	}
	if err != nil {
		return err
	}
	c, err := a.store.Comment(ctx, d.Comment)
	if postil.KindOf(err) == postil.NotFound || err == nil && (c.Author.Badge != "" || !settings.AkismetOn.Get(a.settings.Now(), c.Site)) {
		return nil
	}
	if err != nil {
		return err
	}
	spam := d.Verb == postil.MarkSpam
	if saidSpam(c) == spam {
		return nil
	}
	s, err := a.toAkismet(ctx, c, c.Text)
	if err != nil {
		return err
	}
	ctx, done := context.WithTimeout(ctx, 30*time.Second)
	defer done()
	return client.Teach(ctx, s, spam)
}

// saidSpam reports whether Akismet has called a comment spam.
func saidSpam(c postil.Comment) bool {
	for _, f := range c.Findings {
		if f.Check == byAkismet && f.Weight >= 2*moderation.Objection {
			return true
		}
	}
	return false
}

// networks remembers in memory, and nowhere else, which networks the latest
// keyed hashes stand for. What it has forgotten is told to nobody.
type networks struct {
	mu         sync.Mutex
	young, old map[string]netip.Prefix
}

const manyNetworks = 5_000

// note remembers a network; a nil receiver does not.
func (n *networks) note(id string, p netip.Prefix) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.young == nil || len(n.young) >= manyNetworks {
		n.old, n.young = n.young, map[string]netip.Prefix{}
	}
	n.young[id] = p
}

func (n *networks) of(id string) netip.Prefix {
	n.mu.Lock()
	defer n.mu.Unlock()
	if p, ok := n.young[id]; ok {
		return p
	}
	return n.old[id]
}
