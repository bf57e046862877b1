package telegram

import (
	"context"

	"github.com/postil/postil/internal/postil"
)

// admin sends a link that signs its moderator in to the admin page. In a group
// it would sign in whoever presses it first.
func (b *Bot) admin(ctx context.Context, a asked) letter {
	if !a.msg.Chat.IsPrivate() {
		return plain(a.say.Say("admin.in-private"))
	}
	m, err := b.store.ModeratorByTelegram(ctx, a.msg.From.ID)
	if isKind(err, postil.NotFound) {
		return plain(a.say.Say("admin.unlinked"))
	}
	if err != nil {
		return plain(b.sorry(err, a.say))
	}
	address, until, err := b.signIn(ctx, m.ID, a.by.by)
	if err != nil {
		return plain(b.sorry(err, a.say))
	}
	return plain(a.say.Say("admin.link", "link", address, "when", clock(until, b.now())))
}
