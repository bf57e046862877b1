package telegram

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
	"github.com/sethvargo/go-retry"

	"github.com/postil/postil/internal/words"
)

// wantedUpdates are the kinds of updates that are asked for.
const wantedUpdates = `["message","callback_query","my_chat_member"]`

const (
	offsetKey  = "telegram.offset"
	offsetLife = 6 * 24 * time.Hour     // Telegram may begin anew with its numbers after a quiet week
	emptyPace  = 200 * time.Millisecond // between polls that a server answers at once with nothing
	handleTime = 20 * time.Second       // for one update, calls included
	retryFrom  = 500 * time.Millisecond
)

// receive takes updates the way the configuration says, until ctx ends.
func (b *Bot) receive(ctx context.Context) error {
	if !b.insist(ctx, b.introduce) {
		return nil
	}
	if b.cfg.Mode == Webhook {
		b.insist(ctx, b.setWebhook)
		<-ctx.Done()
		return nil
	}
	b.insist(ctx, b.deleteWebhook)
	return b.poll(ctx)
}

// insist repeats a call until it works, more and more slowly; false when ctx
// ended first.
func (b *Bot) insist(ctx context.Context, call func(context.Context) error) bool {
	pause := pauses()
	for ctx.Err() == nil {
		err := call(ctx)
		if ctx.Err() != nil {
			return false
		}
		b.receiving(err)
		if err == nil {
			return true
		}
		if !b.sleep(ctx, pauseAfter(pause, err)) {
			return false
		}
	}
	return false
}

func pauses() retry.Backoff {
	return retry.WithCappedDuration(longestPause, retry.NewExponential(retryFrom))
}

// pauseAfter is how long to wait after err.
func pauseAfter(pause retry.Backoff, err error) time.Duration {
	wait, _ := pause.Next()
	f := faultOf(err)
	if f.class == unauthorised {
		wait = unauthorisedPause
	}
	return max(wait, f.after)
}

// introduce learns the bot's name and tells Telegram its commands.
func (b *Bot) introduce(ctx context.Context) error {
	name, err := b.api.me(ctx)
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.name = name
	b.mu.Unlock()
	b.offerMenu(ctx, "", b.speech(0))
	if b.cfg.Language == "" {
		for _, code := range words.Languages() {
			b.offerMenu(ctx, strings.Split(code, "-")[0], words.In(code))
		}
	}
	return nil
}

// offerMenu tells Telegram the commands, for people who read a language or for
// everybody else.
func (b *Bot) offerMenu(ctx context.Context, code string, say words.Speech) {
	p := tgbotapi.Params{}
	_ = p.AddInterface("commands", b.menu(say))
	p.AddNonEmpty("language_code", code)
	if _, err := b.api.call(ctx, callTime, "setMyCommands", p); err != nil {
		b.lg.Debug("the menu of commands could not be set", "language", code, "err", err)
	}
}

// poll asks for updates and handles them one by one. An update counts as done
// when it was handled, not when it was received. After trouble it asks without
// waiting: it would take a quiet minute to know that all is well again.
func (b *Bot) poll(ctx context.Context) error {
	offset, pause, wait := b.offset(ctx), pauses(), pollTime
	for ctx.Err() == nil {
		began := time.Now()
		list, err := b.api.updates(ctx, offset, wait)
		if ctx.Err() != nil {
			return nil
		}
		b.receiving(err)
		if wait = pollTime; err != nil {
			wait = 0
			if classOf(err) == otherPoller {
				_ = b.deleteWebhook(ctx) // it may be an old webhook that takes them
			}
			b.sleep(ctx, pauseAfter(pause, err))
			continue
		}
		pause = pauses()
		for _, u := range list {
			if ctx.Err() != nil {
				return nil
			}
			b.handle(ctx, u)
			offset = u.UpdateID + 1
			b.keepOffset(ctx, offset)
		}
		if len(list) == 0 && time.Since(began) < emptyPace {
			b.sleep(ctx, emptyPace)
		}
	}
	return nil
}

// offset returns the first update that was not handled yet, 0 for wherever
// Telegram begins.
func (b *Bot) offset(ctx context.Context) int {
	s, err := b.store.Meta(ctx, offsetKey)
	var offset int
	var at int64
	if err == nil && s != "" {
		_, err = fmt.Sscanf(s, "%d %d", &offset, &at)
	}
	if err != nil {
		b.lg.Warn("the last update from Telegram is not known; some may come twice", "err", err)
		return 0
	}
	if b.now().Sub(time.Unix(at, 0)) > offsetLife {
		return 0
	}
	return offset
}

func (b *Bot) keepOffset(ctx context.Context, offset int) {
	value := strconv.Itoa(offset) + " " + strconv.FormatInt(b.now().Unix(), 10)
	if err := b.store.SetMeta(context.WithoutCancel(ctx), offsetKey, value); err != nil {
		b.lg.Warn("an update from Telegram may come again: it could not be marked as done", "err", err)
	}
}

// handle deals with one update, whole even when ctx ends meanwhile. It never
// fails: what cannot be done is told to whoever asked for it.
func (b *Bot) handle(ctx context.Context, u tgbotapi.Update) {
	if !b.seen.first(u.UpdateID) {
		return
	}
	ctx, cancel := unhurried(ctx, handleTime)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			b.lg.Error("an update made the desk panic", "update", u.UpdateID, "panic", r)
		}
	}()
	switch {
	case u.CallbackQuery != nil && u.CallbackQuery.From != nil:
		b.pressed(ctx, u.CallbackQuery)
	case u.MyChatMember != nil:
		if s := u.MyChatMember.NewChatMember.Status; s == "member" || s == "administrator" {
			b.sender.reachable(ctx, u.MyChatMember.Chat.ID)
		}
	case u.Message != nil && u.Message.Chat != nil:
		b.heard(ctx, u.Message)
	}
}

// heard deals with a message that somebody wrote.
func (b *Bot) heard(ctx context.Context, m *tgbotapi.Message) {
	if m.MigrateToChatID != 0 {
		b.sender.follow(ctx, m.Chat.ID, m.MigrateToChatID)
		return
	}
	b.sender.noteMessage(m.Chat.ID, int64(m.MessageID))
	b.sender.reachable(ctx, m.Chat.ID)
	switch {
	case m.From == nil || m.ForwardDate != 0 || m.ViaBot != nil || m.Text == "" && m.ReplyToMessage == nil:
	case strings.HasPrefix(m.Text, "/"):
		b.command(ctx, m)
	case m.ReplyToMessage != nil:
		b.replied(ctx, m)
	case m.Chat.IsPrivate():
		b.hint(ctx, m)
	}
}

// say answers a message; nobody waits for it.
func (b *Bot) say(ctx context.Context, to *tgbotapi.Message, l letter) {
	l.chat, l.answers = to.Chat.ID, int64(to.MessageID)
	message, err := b.api.send(ctx, l)
	if err != nil {
		b.lg.Warn("an answer could not be sent", "chat", l.chat, "err", err)
		return
	}
	b.sender.noteMessage(l.chat, message)
}

func plain(s string) letter { return letter{text: s, plain: true} }

// seen remembers the updates of the last while: webhooks deliver again.
type seen struct {
	mu   sync.Mutex
	ids  map[int]bool
	ring [1024]int
	next int
}

func newSeen() *seen { return &seen{ids: map[int]bool{}} }

// first reports whether the update comes for the first time.
func (s *seen) first(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids[id] {
		return false
	}
	delete(s.ids, s.ring[s.next])
	s.ids[id], s.ring[s.next] = true, id
	s.next = (s.next + 1) % len(s.ring)
	return true
}
