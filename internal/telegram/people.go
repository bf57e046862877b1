package telegram

import (
	"context"
	"slices"
	"sync"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
	"golang.org/x/time/rate"

	"github.com/postil/postil/internal/postil"
)

// person is somebody who may decide.
type person struct {
	by   postil.By
	site postil.SiteID // "": every site
}

// may reports whether the person may decide about a site.
func (p person) may(site postil.SiteID) bool { return p.site == "" || p.site == site }

// who returns the moderator behind a Telegram user, as the roles are now. A
// mask proves nothing: neither an anonymous administrator nor a channel is a
// person, whatever number it bears.
func (b *Bot) who(ctx context.Context, from *tgbotapi.User) (p person, ok bool, err error) {
	if from == nil || from.IsBot {
		return person{}, false, nil
	}
	m, err := b.store.ModeratorByTelegram(ctx, from.ID)
	switch {
	case err == nil:
		return person{postil.By{Channel: postil.ByTelegram, Actor: m.Actor(), Name: m.Name}, m.Site}, true, nil
	case !isKind(err, postil.NotFound):
		return person{}, false, err
	case slices.Contains(b.cfg.Moderators, from.ID):
		return person{by: postil.By{Channel: postil.ByTelegram, Actor: "telegram:" + id(from.ID), Name: nameOf(from)}}, true, nil
	}
	return person{}, false, nil
}

// nameOf is what others read of a Telegram user.
func nameOf(u *tgbotapi.User) string {
	for _, s := range []string{u.FirstName + " " + u.LastName, u.UserName} {
		if name, err := postil.CleanName(clip(s, postil.MaxName)); err == nil {
			return name
		}
	}
	return "Telegram user " + id(u.ID)
}

// hurry takes one tap from a moderator's allowance and says how long to wait
// when it is used up. A limiter that fails holds nobody up.
func (b *Bot) hurry(ctx context.Context, u *tgbotapi.User) (wait time.Duration) {
	allowed, after, err := b.taps.Take(ctx, "telegram:"+id(u.ID))
	if err != nil {
		b.lg.Error("the limit for taps failed", "err", err)
		return 0
	}
	if allowed {
		return 0
	}
	return roundUp(after)
}

// strangers are told in full once in a while, and all together never so often
// that they use up what Telegram lets a bot say; in between they are answered in
// a few words, as long as they do other things, too.
type strangers struct {
	mu  sync.Mutex
	met map[int64]*stranger
	all *rate.Limiter
}

type stranger struct {
	told  time.Time
	short *rate.Limiter
}

// manner is how a stranger is answered.
type manner int

const (
	tellNothing manner = iota
	tellShortly
	tellAll
)

const (
	strangerPause = time.Hour
	strangersKept = 10_000
	shortBurst    = 30
)

func newStrangers() *strangers {
	return &strangers{met: map[int64]*stranger{}, all: rate.NewLimiter(rate.Every(2*time.Second), 10)}
}

// meet says how a stranger is to be answered now.
func (s *strangers) meet(user int64, now time.Time) manner {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.met[user]
	if one == nil {
		if len(s.met) >= strangersKept {
			clear(s.met)
		}
		one = &stranger{short: rate.NewLimiter(rate.Every(2*time.Second), shortBurst)}
		s.met[user] = one
	}
	switch {
	case (one.told.IsZero() || now.Sub(one.told) >= strangerPause) && s.all.AllowN(now, 1):
		one.told = now
		return tellAll
	case one.short.AllowN(now, 1):
		return tellShortly
	}
	return tellNothing
}

// roundUp is a time to wait in whole seconds.
func roundUp(d time.Duration) time.Duration { return max(d, time.Second).Round(time.Second) }
