package app

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/postil/postil/internal/limit"
	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/settings"
)

// effects says what a change of a setting would have meant for the comments
// that came last.
type effects struct{ a *App }

// effectOver is how many comments are looked at.
const effectOver = 100

// ruling are the settings that have a say in what becomes of a comment. The
// score of a proxy is none: it is weighed when the comment arrives, and not kept.
var ruling = []settings.Entry{
	settings.Policy, settings.MaxLinks, settings.Lockdown, settings.Publish, settings.Stop, settings.Classifier,
	settings.HoldWords, settings.HoldNames, settings.HoldHosts, settings.HoldNetworks, settings.SpamWords, settings.SpamNames, settings.SpamHosts, settings.SpamNetworks,
	settings.AllowWords, settings.AllowNames, settings.AllowHosts, settings.AllowNetworks,
	settings.TextLimit, settings.CommentRates, settings.AuthorRates,
}

// Foretells reports whether an effect of an entry can be told.
func (effects) Foretells(name string) bool {
	return slices.ContainsFunc(ruling, func(e settings.Entry) bool { return e.About().Name == name })
}

// Effect reckons twice what becomes of the last comments of the change's site,
// or of all sites: as things are, and as they would be.
func (f effects) Effect(ctx context.Context, ch postil.SettingChange) (out postil.SettingEffect, err error) {
	then, err := f.a.settings.Suppose(ch)
	if err != nil {
		return out, err
	}
	lately, err := f.lately(ctx, ch.Site)
	if err != nil {
		return out, err
	}
	before, err := f.outcomes(ctx, lately, ch.Name, f.a.settings.Now())
	if err != nil {
		return out, err
	}
	after, err := f.outcomes(ctx, lately, ch.Name, then)
	for i, c := range lately {
		if err != nil || before[i] == "" || after[i] == "" {
			continue // it was erased meanwhile
		}
		out.Looked++
		out.Now.Add(before[i])
		out.Then.Add(after[i])
		if before[i] != after[i] {
			out.Changes = append(out.Changes, postil.EffectChange{Comment: c.ID, From: before[i], To: after[i]})
		}
	}
	return out, err
}

// lately returns the last comments of readers that went through the checks.
func (f effects) lately(ctx context.Context, site postil.SiteID) ([]postil.Comment, error) {
	filter := postil.CommentFilter{Limit: effectOver}
	if site != "" {
		filter.Sites = []postil.SiteID{site}
	}
	page, err := f.a.store.ListComments(ctx, filter)
	return slices.DeleteFunc(page.Comments, func(c postil.Comment) bool { return c.Checked.IsZero() || c.Verdict == "" }), err
}

// outcomes says what becomes of each comment under some settings. Of the limits
// only the one that is to change is reckoned: the others let the comment pass.
func (f effects) outcomes(ctx context.Context, all []postil.Comment, changed string, with *settings.Snapshot) ([]string, error) {
	rehearsal, out := f.a.worker.Rehearse(supposed(with, f.a.keys.NetworkID)), make([]string, len(all))
	limits := newPastLimits(with, changed)
	for i := len(all) - 1; i >= 0; i-- { // the oldest first, as they came
		allowed, err := limits.allow(ctx, all[i])
		if err != nil {
			return nil, err
		}
		if !allowed {
			out[i] = "refused"
			continue
		}
		verdict, err := rehearsal.Conclude(ctx, all[i].ID)
		if err != nil && postil.KindOf(err) != postil.NotFound {
			return nil, err
		}
		out[i] = map[postil.Verdict]string{postil.VerdictApprove: "published", postil.VerdictHold: "held", postil.VerdictSpam: "stopped"}[verdict]
	}
	return out, nil
}

// supposed puts settings in the terms of the checks.
func supposed(with *settings.Snapshot, network func(netip.Prefix) string) moderation.Supposed {
	lists := &listsOf{network: network}
	return moderation.Supposed{
		Site: func(s postil.Site) postil.Site {
			s.Policy, s.MaxLinks, s.Lockdown = postil.Policy(settings.Policy.Get(with, s.ID)), settings.MaxLinks.Get(with, s.ID), settings.Lockdown.Get(with, s.ID)
			s.Blocked, s.HeldEverywhere = settings.HoldWords.Get(with, s.ID), nil
			return s
		},
		Rulings: func(site postil.SiteID) []postil.Ruling { return lists.read(with, site) },
		Opinion: func(site postil.SiteID, f postil.Finding) (postil.Finding, bool) {
			if f.P > 0 {
				v := within(verdictOf(f), f.P, settings.Publish.Get(with, site), settings.Stop.Get(with, site))
				f.Weight = weightOf(v, f.P)
			}
			return f, settings.Classifier.Get(with, site)
		},
	}
}

// pastLimits are the limits of comments, taken at the times at which they came.
type pastLimits struct {
	with    *settings.Snapshot
	changed string // the only setting of which the limits are reckoned
	limiter *limit.Limiter
	at      time.Time
}

func newPastLimits(with *settings.Snapshot, changed string) *pastLimits {
	p := &pastLimits{with: with, changed: changed}
	p.limiter = limit.New(func(context.Context) time.Time { return p.at }, 0)
	return p
}

// allow reports whether a comment would be taken in.
func (p *pastLimits) allow(ctx context.Context, c postil.Comment) (bool, error) {
	if p.changed == settings.TextLimit.Name && utf8.RuneCountInString(c.Text) > settings.TextLimit.Get(p.with, c.Site) {
		return false, nil
	}
	p.at = c.Created
	for _, l := range []struct {
		entry *settings.Rates
		key   string
	}{{settings.CommentRates, cmp.Or(c.Origin.Actor, c.Origin.Device)}, {settings.AuthorRates, c.Origin.Device}} {
		rule := limit.Rule{Name: strings.ReplaceAll(strings.TrimPrefix(l.entry.Name, "limits."), ".", "-")}
		for _, rate := range l.entry.Get(p.with, c.Site) {
			rule.Rates = append(rule.Rates, limit.Rate(rate))
		}
		if l.entry.Name != p.changed || l.key == "" || len(rule.Rates) == 0 {
			continue
		}
		if taken, err := p.limiter.Take(ctx, rule, string(c.Site)+" "+l.key); err != nil || !taken.Allowed {
			return false, err
		}
	}
	return true, nil
}
