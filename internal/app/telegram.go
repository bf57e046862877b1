package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/postil/postil/internal/limit"
	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/settings"
	"github.com/postil/postil/internal/telegram"
	"github.com/postil/postil/internal/token"
)

// telegramDesk asks moderators in Telegram.
type telegramDesk struct{ bot *telegram.Bot }

func (d telegramDesk) name() string { return "in Telegram" }
func (d telegramDesk) wake()        { d.bot.Wake() }

func (d telegramDesk) hooks() map[string]http.Handler {
	return map[string]http.Handler{"telegram": d.bot.WebhookHandler()}
}

func (d telegramDesk) alert(ctx context.Context, i postil.Incident, phase postil.Phase) error {
	return d.bot.TellAlert(ctx, i, phase)
}

func (d telegramDesk) status(ctx context.Context) error {
	s, err := d.bot.Status(ctx)
	switch {
	case err != nil:
		return err
	case s.Problem != "":
		return errors.New(s.Problem)
	case s.Undelivered > 0:
		return fmt.Errorf("%d cards could not be delivered yet", s.Undelivered)
	}
	return nil
}

// buildTelegram connects the bot with the queue: it is asked for cards by the
// requests for review, and learns of every decision, wherever it was taken.
func (a *App) buildTelegram() error {
	chats, err := a.cfg.Chats()
	if err != nil {
		return &usageError{err}
	}
	next, err := a.cfg.Fallback()
	if err != nil {
		return &usageError{err}
	}
	ops, err := a.cfg.Ops()
	if err != nil {
		return &usageError{err}
	}
	mods, err := a.cfg.Moderators()
	if err != nil {
		return &usageError{err}
	}
	cfg := telegram.Config{Token: a.cfg.TelegramToken, API: a.cfg.TelegramAPI, Moderators: mods, Mode: telegram.Mode(a.cfg.TelegramMode),
		Search: true, Language: a.cfg.TelegramLang, Wave: a.cfg.TelegramWave, Chats: telegramRules(chats), Fallback: telegramRules(next), Ops: telegramRules(ops),
		WebhookURL: a.cfg.base() + "/hooks/telegram", WebhookSecret: token.NewSecret(a.keys.WebhookSecret("telegram"))}
	bot, err := telegram.New(a.lg, cfg, telegram.Deps{Store: a.store, Desk: a.door, Replier: a.intake, Taps: taps{a.limiter, tapRule}, Orders: taps{a.limiter, orderRule},
		Authors: authors{a.book}, Switches: switches{a}, HashCode: a.keys.HashCode, SignIn: a.signIn,
		Now: func() time.Time { return a.clock.now(context.Background()) }})
	if err != nil {
		return &usageError{err}
	}
	a.desk = telegramDesk{bot}
	a.deskTasks(bot.HandleEvent, bot.HandleEvent, bot.HandleEvent)
	a.tasks = append(a.tasks, namedTask{"telegram", bot.Run})
	return nil
}

// signIn makes the address that signs a moderator in to the admin page, once.
func (a *App) signIn(ctx context.Context, moderator int64, by postil.By) (address string, until time.Time, err error) {
	code, until, err := a.sessions.Invite(ctx, moderator, by)
	return a.cfg.base() + "/admin/signin/" + code, until, err
}

// taps is the limit on what one moderator may do in Telegram: far above what
// fingers can, and below what a script would.
type taps struct {
	limiter *limit.Limiter
	rule    limit.Rule
}

var (
	tapRule   = limit.Rule{Name: "taps", Rates: []limit.Rate{{N: 120, Per: time.Minute}}}
	orderRule = limit.Rule{Name: "commands", Rates: []limit.Rate{{N: 30, Per: time.Minute}}}
)

func (t taps) Take(ctx context.Context, key string) (bool, time.Duration, error) {
	r, err := t.limiter.Take(ctx, t.rule, key)
	return r.Allowed, r.RetryAfter, err
}

// authors are banned and trusted by the book of rules.
type authors struct{ book *moderation.Book }

func (w authors) Ban(ctx context.Context, c postil.Comment, by postil.By) error {
	_, err := w.book.BanAuthor(ctx, c.ID, time.Time{}, "", by)
	return err
}

func (w authors) Trust(ctx context.Context, c postil.Comment, by postil.By) error {
	_, err := w.book.TrustAuthor(ctx, c.ID, by)
	return err
}

// switches are what a moderator turns in an emergency.
type switches struct{ a *App }

func (s switches) Lockdown(ctx context.Context, site postil.SiteID, on bool, by postil.By) error {
	return s.turn(ctx, settings.Lockdown, site, on, by)
}

func (s switches) CanSlow() bool { return true }

func (s switches) Slow(ctx context.Context, site postil.SiteID, on bool, by postil.By) error {
	return s.turn(ctx, settings.Slow, site, on, by)
}

// turn sets a switch of a site; off is what counts everywhere.
func (s switches) turn(ctx context.Context, which *settings.Bool, site postil.SiteID, on bool, by postil.By) error {
	ch := postil.SettingChange{SettingKey: postil.SettingKey{Kind: postil.ConfigSetting, Name: which.Name, Site: site}, By: by}
	if on {
		ch.Value = which.Write(true)
	}
	_, err := s.a.settings.Set(ctx, ch)
	return err
}

func telegramRules(rules []ChatRule) (out []telegram.ChatRule) {
	for _, r := range rules {
		out = append(out, telegram.ChatRule{Chat: r.Chat, Thread: r.Topic, Site: r.Site})
	}
	return out
}
