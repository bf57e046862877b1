package app

import (
	"context"
	"strings"

	"github.com/postil/postil/internal/httpapi"
	"github.com/postil/postil/internal/limit"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/settings"
)

// crowded takes comments in within the limits of their author, post and site.
// Those of a post and a site are shared: whoever uses them up locks out nobody
// but the own network. Whoever writes as the blog's author is not limited. All
// of that is far above what people do, and below what would drown a moderator.
type crowded struct {
	slowed
	limiter *limit.Limiter
}

// rule is a limit of comments of a site, as settings have it at the moment.
func (c crowded) rule(e *settings.Rates, site postil.SiteID) limit.Rule {
	r := limit.Rule{Name: strings.ReplaceAll(strings.TrimPrefix(e.Name, "limits."), ".", "-")}
	for _, rate := range e.Get(c.a.settings.Now(), site) {
		r.Rates = append(r.Rates, limit.Rate(rate))
	}
	return r
}

// Accept stores a comment unless there are too many of its author, or too many
// at once on its post or site. What was sent before is no further comment: a
// double click is answered as the first was.
func (c crowded) Accept(ctx context.Context, n postil.NewComment) (postil.Receipt, error) {
	if n.Trusted || n.By.Actor != "" { // a key has limits of its own
		return c.slowed.Accept(ctx, n)
	}
	receipt, err := c.accept(ctx, n)
	if postil.KindOf(err) != postil.Throttled {
		return receipt, err
	}
	if again, found, _ := c.Again(ctx, n); found {
		return again, nil
	}
	return receipt, err
}

func (c crowded) accept(ctx context.Context, n postil.NewComment) (postil.Receipt, error) {
	who := n.Origin.Network
	if who == "" {
		who = n.Origin.Actor
	}
	author, err := c.ofAuthor(ctx, n)
	if err != nil {
		return postil.Receipt{}, err
	}
	post, err := c.limiter.TakeShare(ctx, c.rule(settings.PostRates, n.Site), string(n.Site)+" "+string(n.Post.ID), who)
	if err == nil {
		err = post.Err()
	}
	var site limit.Share
	if err == nil {
		if site, err = c.limiter.TakeShare(ctx, c.rule(settings.SiteRates, n.Site), string(n.Site), who); err == nil {
			err = site.Err()
		}
	}
	var receipt postil.Receipt
	if err == nil {
		receipt, err = c.slowed.Accept(ctx, n)
	}
	if err != nil || receipt.Replayed {
		ctx := context.WithoutCancel(ctx)
		_ = c.limiter.Refund(ctx, author)
		c.limiter.ReturnShare(ctx, post)
		c.limiter.ReturnShare(ctx, site)
	}
	return receipt, err
}

// ofAuthor takes from the allowance of a device, wherever it is.
func (c crowded) ofAuthor(ctx context.Context, n postil.NewComment) (limit.Result, error) {
	if n.Origin.Device == "" {
		return limit.Result{}, nil
	}
	taken, err := c.limiter.Take(ctx, c.rule(settings.AuthorRates, n.Site), string(n.Site)+" "+n.Origin.Device)
	if err == nil {
		err = taken.Err()
	}
	return taken, err
}

// taking is how comments come in.
func (a *App) taking() httpapi.Intake {
	if a.cfg.Limits == "off" {
		return a.intake
	}
	return crowded{slowed{a.intake, a}, a.limiter}
}
