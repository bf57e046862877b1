package telegram

import (
	"context"
	"errors"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"github.com/postil/postil/internal/postil"
)

// What presses are answered with.
const (
	notForYou   = "Only the moderators of this blog can decide here. If you are one, ask for a code and send /start CODE to this bot."
	oldButton   = "This button is from an older release. Send /queue to see what waits."
	copied      = "This is a copy of a card. Press the button on the card itself, or send /next."
	gone        = "This comment no longer exists."
	otherSite   = "This comment belongs to a site that you do not moderate. Nothing was changed."
	textChanged = "The author has changed the text since. The card shows the new text in a moment; read it and decide again."
	ourFault    = "Something went wrong on our side. Nothing was changed; press again in a moment."
	cardComes   = "The card comes below."
)

// pressed deals with a pressed button: first what it is for, then the answer,
// then what may be slow. An answer that comes too late does not matter.
func (b *Bot) pressed(ctx context.Context, q *tgbotapi.CallbackQuery) {
	moderator, ok, err := b.who(ctx, q.From)
	if err == nil && !ok {
		if b.strangers.notice(q.From.ID, b.now()) {
			b.answer(ctx, q, notForYou, true)
		}
		return
	}
	if err != nil {
		b.lg.Error("the role of a moderator could not be read", "err", err)
		b.answer(ctx, q, ourFault, true)
		return
	}
	if wait := b.hurry(ctx, q.From); wait > 0 {
		b.answer(ctx, q, "That was a little too fast. Nothing was changed; press again in "+wait.String()+".", true)
		return
	}
	if q.Message == nil || q.Message.Chat == nil || q.Message.ForwardDate != 0 {
		b.answer(ctx, q, copied, true)
		return
	}
	p, err := parsePress(q.Data)
	if err != nil {
		b.answer(ctx, q, oldButton, true)
		return
	}
	text, alert := b.press(ctx, moderator, p, q.Message.Chat.ID)
	b.answer(ctx, q, text, alert)
	if p.does != show {
		b.mend(ctx, q.Message, p.comment)
	}
}

func (b *Bot) answer(ctx context.Context, q *tgbotapi.CallbackQuery, text string, alert bool) {
	err := b.api.answer(ctx, q.ID, text, alert)
	switch {
	case classOf(err) == expired:
		b.lg.Debug("a press was answered too late", "err", err)
	case err != nil:
		b.lg.Warn("a press could not be answered", "err", err)
	}
}

// press does what a button is for and returns the answer.
func (b *Bot) press(ctx context.Context, m person, p press, chat int64) (text string, alert bool) {
	d, err := b.store.Detail(ctx, p.comment)
	switch {
	case isKind(err, postil.NotFound):
		return gone, true
	case err != nil:
		return b.sorry(err), true
	case !m.may(d.Comment.Site):
		return otherSite, true
	}
	switch p.does {
	case show:
		return b.showCard(ctx, p.comment, chat)
	case undoIt:
		text, alert = b.undo(ctx, m, p)
	default:
		text, alert = b.decide(ctx, m, p)
	}
	if err := b.refresh(ctx, p.comment); err != nil {
		b.lg.Warn("the cards of a comment could not be made due", "comment", int64(p.comment), "err", err)
	}
	return text, alert
}

func (b *Bot) showCard(ctx context.Context, comment postil.CommentID, chat int64) (string, bool) {
	if err := b.sender.once(ctx, comment, chat); err != nil {
		return b.sorry(err), true
	}
	return cardComes, false
}

func (b *Bot) decide(ctx context.Context, m person, p press) (text string, alert bool) {
	out, err := b.desk.Decide(ctx, postil.DecisionRequest{Comment: p.comment, Verb: verbs[p.does], By: m.by, Expect: p.status, Revision: p.revision})
	switch {
	case isKind(err, postil.Conflict) && out.Status == p.status:
		return textChanged, true
	case isKind(err, postil.Conflict):
		return already(out, b.now()), false
	case err != nil:
		return b.sorry(err), true
	case !out.Changed:
		return already(out, b.now()), false
	case p.does == restore && p.status == postil.Approved:
		return "↩️ The old text stays", false
	}
	return became[out.Status], false
}

func (b *Bot) undo(ctx context.Context, m person, p press) (text string, alert bool) {
	out, err := b.desk.Undo(ctx, p.decision, m.by, "")
	switch {
	case err != nil:
		return b.sorry(err), true
	case !out.Changed:
		return "This was taken back already.", false
	case out.Status == postil.Pending:
		return "↩️ Taken back: the comment waits again", false
	}
	return "↩️ Taken back", false
}

// sorry returns the sentence of an error, if it is for people. What is our own
// fault is logged here, once, and not shown.
func (b *Bot) sorry(err error) string {
	e, ok := errors.AsType[*postil.Error](err)
	if !ok || e.Kind == postil.Internal {
		b.lg.Error("a moderator's wish could not be fulfilled", "err", err)
		return ourFault
	}
	return e.Sentence
}

// mend brings a message up to date that no card knows, such as the second one
// after a crash between a sending and its record.
func (b *Bot) mend(ctx context.Context, m *tgbotapi.Message, comment postil.CommentID) {
	cards, err := b.store.CardsOf(ctx, comment)
	if err != nil {
		return
	}
	for _, c := range cards {
		if c.Chat == m.Chat.ID && c.Message == int64(m.MessageID) {
			return // the sender does it
		}
	}
	d, err := b.store.Detail(ctx, comment)
	if err != nil {
		return
	}
	site, err := b.store.Site(ctx, d.Comment.Site)
	if err != nil {
		return
	}
	v := see(d, site, b.cfg.PageOf)
	if err := b.api.edit(ctx, int64(m.MessageID), letter{chat: m.Chat.ID, text: v.HTML, keys: v.Keys}); err != nil {
		b.lg.Debug("an old card could not be brought up to date", "chat", m.Chat.ID, "err", err)
	}
}

// ago says how long something has waited.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < 2*time.Hour:
		return postil.Thousands(int(d.Minutes())) + " min"
	case d < 48*time.Hour:
		return postil.Thousands(int(d.Hours())) + " h"
	}
	return postil.Thousands(int(d.Hours()/24)) + " days"
}
