package telegram

import (
	"context"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"github.com/postil/postil/internal/words"
)

// speech returns the language of a chat: the configured one, else in a private
// chat that of the person there.
func (b *Bot) speech(chat int64) words.Speech {
	if b.cfg.Language != "" {
		return words.In(b.cfg.Language)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return words.In(b.languages[chat])
}

// speechOf returns the language in which a person is answered.
func (b *Bot) speechOf(u *tgbotapi.User) words.Speech {
	if b.cfg.Language != "" || u == nil {
		return words.In(b.cfg.Language)
	}
	return words.In(u.LanguageCode)
}

// listen remembers which language the person behind a private chat reads.
func (b *Bot) listen(ctx context.Context, chat *tgbotapi.Chat, u *tgbotapi.User) {
	if chat == nil || u == nil || !chat.IsPrivate() || chat.ID != u.ID || u.LanguageCode == "" {
		return
	}
	code := words.In(u.LanguageCode).Code()
	b.mu.Lock()
	known := b.languages[chat.ID] == code || b.languages[chat.ID] == "" && code == "en"
	if !known {
		b.languages[chat.ID] = code
	}
	b.mu.Unlock()
	if known {
		return
	}
	if err := b.store.SetChatLanguage(ctx, chat.ID, code); err != nil {
		b.lg.Warn("the language of a chat could not be stored", "chat", chat.ID, "err", err)
	}
}
