package telegram

import (
	"context"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"github.com/postil/postil/internal/postil"
)

// replied posts a moderator's reply to a card as an answer of the blog's
// author. Replies to anything else are conversation and no matter.
func (b *Bot) replied(ctx context.Context, m *tgbotapi.Message) {
	card, err := b.store.CardByMessage(ctx, m.Chat.ID, int64(m.ReplyToMessage.MessageID))
	if isKind(err, postil.NotFound) {
		b.hint(ctx, m)
		return
	}
	if err != nil {
		b.say(ctx, m, words(b.sorry(err)))
		return
	}
	moderator, ok := b.moderator(ctx, m)
	if !ok {
		return
	}
	if m.Text == "" {
		b.say(ctx, m, words("Only text can be posted as an answer. Nothing was posted."))
		return
	}
	b.say(ctx, m, words(b.postReply(ctx, moderator, card.Comment, m.Text)))
}

func (b *Bot) postReply(ctx context.Context, by person, parent postil.CommentID, text string) string {
	d, err := b.store.Detail(ctx, parent)
	switch {
	case isKind(err, postil.NotFound):
		return gone
	case err != nil:
		return b.sorry(err)
	case !by.may(d.Comment.Site):
		return otherSite
	}
	if _, err := b.reply.Reply(ctx, parent, text, by.by); err != nil {
		return "Your answer was not posted. " + b.sorry(err)
	}
	if err := b.refresh(ctx, parent); err != nil {
		b.lg.Warn("the cards of a comment could not be made due", "comment", int64(parent), "err", err)
	}
	if d.Comment.Status == postil.Pending {
		return "✅ Your answer is public, and the comment with it."
	}
	return "✅ Your answer is public."
}
