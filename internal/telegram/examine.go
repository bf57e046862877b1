package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
)

// Observation is what an examination of the bot found: a sentence, what it
// leads to, and what to change. Line is "" when all is well.
type Observation struct{ What, Why, Line string }

// Examine asks the Bot API whether the bot can do its work: token, way of
// updates, chats, clock. It changes nothing and takes no update away.
func Examine(ctx context.Context, cfg Config) []Observation {
	cfg, err := cfg.check()
	if err != nil {
		return []Observation{{err.Error(), "Moderators are not asked in Telegram.", "POSTIL_TELEGRAM_TOKEN=123456:ABC…"}}
	}
	watch := &dateWatch{RoundTripper: http.DefaultTransport}
	c := newClient(slog.New(slog.NewTextHandler(io.Discard, nil)), cfg, &http.Client{Transport: watch})
	var me struct {
		Username string `json:"username"`
	}
	if err := c.ask(ctx, "getMe", nil, &me); err != nil {
		return []Observation{tokenTrouble(err, cfg)}
	}
	all := append(c.updatesTrouble(ctx, cfg), c.chatsTrouble(ctx, cfg)...)
	if off := watch.off.Abs(); off > time.Minute {
		all = append(all, Observation{fmt.Sprintf("The clocks of this machine and of Telegram are %v apart.", off.Round(time.Second)), "Comments get wrong times, and form tokens end too early or too late.", "timedatectl set-ntp true"})
	}
	if len(all) == 0 {
		all = []Observation{{What: fmt.Sprintf("The bot @%s answers, and can write to %d chats.", me.Username, len(cfg.Chats))}}
	}
	return all
}

// ask makes a call and decodes its result.
func (c *client) ask(ctx context.Context, method string, params tgbotapi.Params, into any) error {
	raw, err := c.call(ctx, callTime, method, params)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

func tokenTrouble(err error, cfg Config) Observation {
	var f *fault
	if errors.As(err, &f) && f.class == unauthorised {
		return Observation{"Telegram does not know the token.", "Moderators are not asked in Telegram.", "POSTIL_TELEGRAM_TOKEN=<the token that @BotFather shows for /token>"}
	}
	return Observation{fmt.Sprintf("The Bot API at %s cannot be reached: %v.", cfg.API, err), "Cards wait until it can.", "POSTIL_TELEGRAM_API=https://api.telegram.org"}
}

// updatesTrouble looks whether somebody else takes the updates.
func (c *client) updatesTrouble(ctx context.Context, cfg Config) (all []Observation) {
	var hook struct {
		URL     string `json:"url"`
		Pending int    `json:"pending_update_count"`
		Error   string `json:"last_error_message"`
	}
	if err := c.ask(ctx, "getWebhookInfo", nil, &hook); err != nil {
		return nil
	}
	const why = "Buttons do nothing: the presses go elsewhere."
	switch {
	case cfg.Mode == Poll && hook.URL != "":
		all = append(all, Observation{fmt.Sprintf("A webhook is set for this bot (%s), so that polling gets nothing. Is another program using it?", c.hide(hook.URL)), why, "POSTIL_TELEGRAM_MODE=webhook"})
	case cfg.Mode == Webhook && hook.URL != cfg.WebhookURL:
		all = append(all, Observation{fmt.Sprintf("The webhook of this bot is “%s” and not %s. The server sets it when it starts; is another program using the bot?", c.hide(hook.URL), cfg.WebhookURL), why, "systemctl restart postil"})
	case cfg.Mode == Webhook && hook.Error != "":
		all = append(all, Observation{fmt.Sprintf("Telegram cannot reach %s: %s.", cfg.WebhookURL, c.hide(hook.Error)), why, "POSTIL_TELEGRAM_MODE=poll"})
	}
	return all
}

// chatsTrouble looks whether the bot may write where it should.
func (c *client) chatsTrouble(ctx context.Context, cfg Config) (all []Observation) {
	for _, rule := range cfg.Chats {
		var chat struct{}
		err := c.ask(ctx, "getChat", tgbotapi.Params{"chat_id": id(rule.Chat)}, &chat)
		if err != nil {
			all = append(all, Observation{fmt.Sprintf("The bot cannot see the chat %d: %v.", rule.Chat, err), "Its moderators get no cards.", "Add the bot to the group, or correct POSTIL_TELEGRAM_CHATS=" + id(rule.Chat)})
		}
	}
	return all
}

// dateWatch notes how far the other side's clock is from ours.
type dateWatch struct {
	http.RoundTripper
	off time.Duration
}

func (w *dateWatch) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := w.RoundTripper.RoundTrip(r)
	if err == nil {
		if at, err := http.ParseTime(res.Header.Get("Date")); err == nil {
			w.off = time.Since(at)
		}
	}
	return res, err
}
