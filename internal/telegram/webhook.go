package telegram

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net/http"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
)

// maxUpdate bounds the body of an update.
const maxUpdate = 1 << 20

func (b *Bot) setWebhook(ctx context.Context) error {
	_, err := b.api.call(ctx, callTime, "setWebhook", tgbotapi.Params{
		"url": b.cfg.WebhookURL, "secret_token": b.cfg.WebhookSecret.Reveal(), "allowed_updates": wantedUpdates,
	})
	return err
}

func (b *Bot) deleteWebhook(ctx context.Context) error {
	_, err := b.api.call(ctx, callTime, "deleteWebhook", nil)
	return err
}

// WebhookHandler takes the updates that Telegram sends in webhook mode; in any
// other mode, and from anybody else, it takes nothing.
func (b *Bot) WebhookHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if b.cfg.Mode != Webhook || !b.secretly(r.Header.Get("X-Telegram-Bot-Api-Secret-Token")) {
			b.lg.Warn("a webhook call without Telegram's secret was refused")
			w.WriteHeader(http.StatusForbidden)
			return
		}
		var u tgbotapi.Update
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxUpdate)).Decode(&u); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		b.handle(r.Context(), u)
		w.WriteHeader(http.StatusOK)
	})
}

// secretly compares in a time that says nothing, not even about the length.
func (b *Bot) secretly(said string) bool {
	want, have := sha256.Sum256([]byte(b.cfg.WebhookSecret.Reveal())), sha256.Sum256([]byte(said))
	return subtle.ConstantTimeCompare(want[:], have[:]) == 1
}
