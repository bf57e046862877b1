package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/postil/postil/internal/httpapi"
	"github.com/postil/postil/internal/intake"
	"github.com/postil/postil/internal/limit"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/queue"
	"github.com/postil/postil/internal/settings"
)

// sharedSettings is where changes of settings are spread by.
const sharedSettings = "SETTINGS"

// buildSettings reads what was decided so far. It comes before the rooms, which
// ask it with every request.
func (a *App) buildSettings(ctx context.Context) error {
	a.settings = settings.New(a.lg, a.store, settings.Options{
		Start: map[string]any{settings.EditWindow.Name: a.cfg.EditWindow, settings.RemindAfter.Name: a.cfg.Remind,
			settings.EscalateAfter.Name: a.cfg.Escalate, settings.ExpireAfter.Name: a.cfg.Expire},
		Changed: a.settingsChanged, Now: a.clock.now,
	})
	return a.settings.Load(ctx)
}

// spreadSettings connects the settings with the broker.
func (a *App) spreadSettings() {
	table := a.broker.Table(sharedSettings)
	a.settings.Share(table)
	spread := a.broker.Consume(queue.Consumer{Name: "settings", Kinds: []postil.EventKind{postil.ConfigChanged, postil.FlagChanged}, Handle: a.settings.Handle})
	a.tasks = append(a.tasks,
		namedTask{"settings", a.settings.Run},
		namedTask{"planned settings", settings.NewPlanner(a.lg, a.settings, a.store).Run},
		namedTask{"spreading settings", spread},
		namedTask{"settings of other nodes", table.Watch(a.settings.Begin, a.settings.Told)},
	)
}

// settingsChanged drops what was made with settings that changed.
func (a *App) settingsChanged(keys []postil.SettingKey) {
	for _, k := range keys {
		e, err := settings.Find(k.Name)
		if k.Kind != postil.ConfigSetting || err != nil || !e.About().Shown {
			continue
		}
		if a.sites != nil {
			a.sites.ForgetAll()
		}
		if a.cache != nil {
			a.cache.DropAll()
		}
		return
	}
}

// siteChanged is called when a site was changed by the admin API, so that the
// next request sees it.
func (a *App) siteChanged(postil.SiteID) {
	a.sites.ForgetAll() // "" is all of them, and there are few
	if err := a.settings.Load(context.Background()); err != nil {
		a.lg.Warn("settings cannot be read; the last known values count", "err", err)
	}
}

// bounds are what commenters may do, as settings have it at the moment.
func (a *App) bounds() intake.Bounds {
	return intake.Bounds{EditWindow: a.editWindow, Text: func(site postil.SiteID) int { return settings.TextLimit.Get(a.settings.Now(), site) }}
}

func (a *App) editWindow(site postil.SiteID) time.Duration {
	return settings.EditWindow.Get(a.settings.Now(), site)
}

// retention says how long things are kept.
func (a *App) retention() postil.Retention {
	now := a.settings.Now()
	days := func(e *settings.Int) time.Duration { return time.Duration(e.Get(now, "")) * 24 * time.Hour }
	return postil.Retention{Questions: days(settings.KeepQuestions), Networks: days(settings.KeepNetworks), Hours: days(settings.KeepHours), Spam: days(settings.KeepSpam),
		Signals: days(settings.KeepSignals), Figures: days(settings.KeepFigures), Audit: days(settings.KeepAudit)}
}

// limits returns the rate limits of the HTTP API.
func (a *App) limits() httpapi.Limiter {
	if a.cfg.Limits == "off" {
		return unlimited{}
	}
	return &limits{limiter: a.limiter, settings: a.settings}
}

// limits takes from allowances as large as the settings say at the moment.
type limits struct {
	limiter  *limit.Limiter
	settings *settings.Live
	rules    atomic.Pointer[rules]
}

// rules are the limits of one snapshot, as the limiter takes them.
type rules struct {
	of    *settings.Snapshot
	named map[string]limit.Rule
}

func (l *limits) rule(name string) (limit.Rule, bool) {
	now, r := l.settings.Now(), l.rules.Load()
	if r == nil || r.of != now {
		r = &rules{now, map[string]limit.Rule{}}
		for route, rates := range now.Routes() {
			rule := limit.Rule{Name: route}
			for _, rate := range rates {
				rule.Rates = append(rule.Rates, limit.Rate(rate))
			}
			r.named[route] = rule
		}
		r.named[httpapi.RuleKeys] = keyRule(now)
		l.rules.Store(r)
	}
	rule, ok := r.named[name]
	return rule, ok
}

// keyRule is what an API key may do; no rate is no limit.
func keyRule(now *settings.Snapshot) limit.Rule {
	rule := limit.Rule{Name: httpapi.RuleKeys}
	for _, rate := range []limit.Rate{{N: settings.KeyMinute.Get(now, ""), Per: time.Minute}, {N: settings.KeyDay.Get(now, ""), Per: 24 * time.Hour}} {
		if rate.N > 0 {
			rule.Rates = append(rule.Rates, rate)
		}
	}
	return rule
}

func (l *limits) Take(ctx context.Context, name, key string) (httpapi.Allowance, error) {
	rule, ok := l.rule(name)
	switch {
	case !ok:
		return nil, fmt.Errorf("no rate limit is named %q", name)
	case len(rule.Rates) == 0:
		return unlimited{}, nil
	}
	taken, err := l.limiter.Take(ctx, rule, key)
	if err != nil {
		return nil, err
	}
	return taken, nil
}

// TakeOwn takes from the allowance that a key has of its own.
func (l *limits) TakeOwn(ctx context.Context, pen postil.Pen, key string) (httpapi.Allowance, error) {
	rule := limit.Rule{Name: "key"}
	for _, rate := range []limit.Rate{{N: pen.PerMinute, Per: time.Minute}, {N: pen.PerHour, Per: time.Hour}} {
		if rate.N > 0 {
			rule.Rates = append(rule.Rates, rate)
		}
	}
	taken, err := l.limiter.Take(ctx, rule, key)
	if err != nil {
		return nil, err
	}
	return taken, nil
}

func (l *limits) Refund(ctx context.Context, taken httpapi.Allowance) error {
	if r, ok := taken.(limit.Result); ok {
		return l.limiter.Refund(ctx, r)
	}
	return nil
}

// unlimited refuses nobody; for measuring only.
type unlimited struct{}

func (unlimited) Take(context.Context, string, string) (httpapi.Allowance, error) {
	return unlimited{}, nil
}
func (unlimited) TakeOwn(context.Context, postil.Pen, string) (httpapi.Allowance, error) {
	return unlimited{}, nil
}
func (unlimited) Refund(context.Context, httpapi.Allowance) error { return nil }
func (unlimited) Err() error                                      { return nil }
func (unlimited) PolicyHeader() string                            { return "" }
func (unlimited) StateHeader() string                             { return "" }
func (unlimited) ReturnedHeader() string                          { return "" }

// slowed takes comments in, and in slow mode from each person only one in a
// while. Whoever writes as the blog's author is not slowed.
type slowed struct {
	*intake.Intake
	a *App
}

// Accept stores a comment unless its author has to wait.
func (s slowed) Accept(ctx context.Context, n postil.NewComment) (postil.Receipt, error) {
	now := s.a.settings.Now()
	if n.Trusted || s.a.cfg.Limits == "off" || !settings.Slow.Get(now, n.Site) {
		return s.accept(ctx, n)
	}
	rule := limit.Rule{Name: "slow", Rates: []limit.Rate{{N: 1, Per: settings.SlowGap.Get(now, n.Site)}}}
	taken, err := s.a.limiter.Take(ctx, rule, string(n.Site)+"\n"+person(n))
	if err != nil {
		return postil.Receipt{}, err
	}
	if err := taken.Err(); err != nil {
		return postil.Receipt{}, err
	}
	receipt, err := s.accept(ctx, n)
	if err != nil || receipt.Replayed {
		err = errors.Join(err, s.a.limiter.Refund(context.WithoutCancel(ctx), taken))
	}
	return receipt, err
}

// person tells people apart for limits: by device, so that a household does not
// share one turn, else by the client's address, which unlike the actor is the
// same after midnight.
func person(n postil.NewComment) string {
	return cmp.Or(n.Origin.Device, n.Client, n.Origin.Actor)
}

// accept stores a comment; readers are told in the operator's own words that
// comments are paused.
func (s slowed) accept(ctx context.Context, n postil.NewComment) (postil.Receipt, error) {
	receipt, err := s.Intake.Accept(ctx, n)
	if e, ok := errors.AsType[*postil.Error](err); ok && e.Slug == "lockdown" {
		err = postil.Refuse("lockdown", "%s", settings.LockdownText.Get(s.a.settings.Now(), n.Site).In("en"))
	}
	return receipt, err
}
