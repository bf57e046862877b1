package app

import (
	"context"
	"time"

	"github.com/postil/postil/internal/httpapi"
	"github.com/postil/postil/internal/limit"
	"github.com/postil/postil/internal/postil"
)

// Limits of comments beside the one of an actor, which the settings hold: they
// are far above what people do, and below what would drown a moderator.
var (
	authorRule = limit.Rule{Name: "comments-author", Rates: []limit.Rate{{N: 6, Per: time.Minute}, {N: 60, Per: time.Hour}}}
	postRule   = limit.Rule{Name: "comments-post", Rates: []limit.Rate{{N: 60, Per: time.Minute}}}
	siteRule   = limit.Rule{Name: "comments-site", Rates: []limit.Rate{{N: 240, Per: time.Minute}}}
)

// crowded takes comments in within the limits of their author, post and site.
// Those of a post and a site are shared: whoever uses them up locks out nobody
// but the own network. Whoever writes as the blog's author is not limited.
type crowded struct {
	httpapi.Intake
	limiter *limit.Limiter
}

// Accept stores a comment unless there are too many of its author, or too many
// at once on its post or site.
func (c crowded) Accept(ctx context.Context, n postil.NewComment) (postil.Receipt, error) {
	if n.Trusted {
		return c.Intake.Accept(ctx, n)
	}
	who := n.Origin.Network
	if who == "" {
		who = n.Origin.Actor
	}
	author, err := c.ofAuthor(ctx, n)
	if err != nil {
		return postil.Receipt{}, err
	}
	post, err := c.limiter.TakeShare(ctx, postRule, string(n.Site)+" "+string(n.Post.ID), who)
	if err == nil {
		err = post.Err()
	}
	var site limit.Share
	if err == nil {
		if site, err = c.limiter.TakeShare(ctx, siteRule, string(n.Site), who); err == nil {
			err = site.Err()
		}
	}
	var receipt postil.Receipt
	if err == nil {
		receipt, err = c.Intake.Accept(ctx, n)
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
	taken, err := c.limiter.Take(ctx, authorRule, string(n.Site)+" "+n.Origin.Device)
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
