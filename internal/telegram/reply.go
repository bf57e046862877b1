package telegram

import (
	"context"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/words"
)

// replied posts a moderator's reply to a card as an answer of the blog's
// author. Replies to anything else are conversation and no matter.
func (b *Bot) replied(ctx context.Context, m *tgbotapi.Message) {
	say := b.speechOf(m.From)
	card, err := b.store.CardByMessage(ctx, m.Chat.ID, int64(m.ReplyToMessage.MessageID))
	if isKind(err, postil.NotFound) {
		b.hint(ctx, m)
		return
	}
	if err != nil {
		b.say(ctx, m, plain(b.sorry(err, say)))
		return
	}
	moderator, ok := b.moderator(ctx, m)
	if !ok {
		return
	}
	if m.Text == "" {
		b.say(ctx, m, plain(say.Say("reply.only-text")))
		return
	}
	b.say(ctx, m, plain(b.postReply(ctx, moderator, card.Comment, m.Text, say)))
}

func (b *Bot) postReply(ctx context.Context, by person, parent postil.CommentID, text string, say words.Speech) string {
	d, err := b.store.Detail(ctx, parent)
	switch {
	case isKind(err, postil.NotFound):
		return say.Say("press.gone")
	case err != nil:
		return b.sorry(err, say)
	case !by.may(d.Comment.Site):
		return say.Say("press.other-site")
	}
	if _, err := b.reply.Reply(ctx, parent, text, by.by); err != nil {
		return say.Say("reply.failed", "why", b.sorry(err, say))
	}
	if err := b.refresh(ctx, parent); err != nil {
		b.lg.Warn("the cards of a comment could not be made due", "comment", int64(parent), "err", err)
	}
	if d.Comment.Status == postil.Pending {
		return "✅ " + say.Say("reply.public-both")
	}
	return "✅ " + say.Say("reply.public")
}
