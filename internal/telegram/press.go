package telegram

import (
	"context"
	"errors"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/words"
)

// pressed deals with a pressed button: first what it is for, then the answer,
// then what may be slow. An answer that comes too late does not matter.
func (b *Bot) pressed(ctx context.Context, q *tgbotapi.CallbackQuery) {
	say := b.speechOf(q.From)
	moderator, ok, err := b.who(ctx, q.From)
	switch {
	case err != nil:
		b.lg.Error("the role of a moderator could not be read", "err", err)
		b.answer(ctx, q, say.Say("press.our-fault"), true)
		return
	case !ok:
		b.strange(ctx, q, say)
		return
	}
	if wait := b.hurry(ctx, q.From); wait > 0 {
		b.answer(ctx, q, say.Say("press.too-fast", "wait", wait), true)
		return
	}
	if q.Message == nil || q.Message.Chat == nil || q.Message.ForwardDate != 0 {
		b.answer(ctx, q, say.Say("press.copied"), true)
		return
	}
	b.listen(ctx, q.Message.Chat, q.From)
	if on, err := parseBoardPress(q.Data); err == nil {
		b.pressedBoard(ctx, q, moderator, on, say)
		return
	}
	p, err := parsePress(q.Data)
	if err != nil {
		b.answer(ctx, q, say.Say("press.old-button"), true)
		return
	}
	if p.does != show && p.does != pardon {
		b.sender.adopt(q.Message.Chat.ID, int64(q.Message.MessageID), p.comment)
	}
	text, alert := b.press(ctx, moderator, p, q.Message, say)
	b.answer(ctx, q, text, alert)
	switch p.does {
	case show, showMore, showLess:
		return
	case pardon:
		b.pardoned(ctx, q)
		return
	}
	b.mend(ctx, q.Message, p.comment)
	b.advance(ctx, q.Message.Chat.ID, p)
}

// strange answers somebody who is no moderator: with an alert once in a while,
// in a few words each time, and not at all when they do nothing else.
func (b *Bot) strange(ctx context.Context, q *tgbotapi.CallbackQuery, say words.Speech) {
	switch b.strangers.meet(q.From.ID, b.now()) {
	case tellAll:
		b.answer(ctx, q, say.Say("press.not-for-you"), true)
	case tellShortly:
		b.answer(ctx, q, say.Say("press.not-for-you-still"), false)
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
func (b *Bot) press(ctx context.Context, m person, p press, at *tgbotapi.Message, say words.Speech) (text string, alert bool) {
	d, err := b.store.Detail(ctx, p.comment)
	switch {
	case isKind(err, postil.NotFound):
		return say.Say("press.gone"), true
	case err != nil:
		return b.sorry(err, say), true
	case !m.may(d.Comment.Site):
		return say.Say("press.other-site"), true
	}
	switch p.does {
	case show:
		return b.showCard(ctx, p.comment, at.Chat.ID, say)
	case showMore, showLess:
		return b.turn(ctx, d, p.does, at, say)
	case ban, trust:
		text, alert = b.aboutAuthor(ctx, m, d, p.does, say)
	case undoIt:
		text, alert = b.undo(ctx, m, p, say)
	default:
		text, alert = b.decide(ctx, m, p, say)
	}
	if err := b.refresh(ctx, p.comment); err != nil {
		b.lg.Warn("the cards of a comment could not be made due", "comment", int64(p.comment), "err", err)
	}
	return text, alert
}

func (b *Bot) showCard(ctx context.Context, comment postil.CommentID, chat int64, say words.Speech) (string, bool) {
	if err := b.sender.once(ctx, comment, chat); err != nil {
		return b.sorry(err, say), true
	}
	return say.Say("press.card-comes"), false
}

func (b *Bot) decide(ctx context.Context, m person, p press, say words.Speech) (text string, alert bool) {
	out, err := b.desk.Decide(ctx, postil.DecisionRequest{Comment: p.comment, Verb: verbs[p.does], By: m.by, Expect: p.status, Revision: p.revision, Latest: &p.decision})
	switch {
	case isKind(err, postil.Conflict) && out.Status == p.status && out.Decision.ID == p.decision:
		return say.Say("press.text-changed"), true
	case isKind(err, postil.Conflict) && out.Status == p.status:
		return say.Say("press.decided-since"), true
	case isKind(err, postil.Conflict):
		return already(out, b.now(), say), false
	case err != nil:
		return b.sorry(err, say), true
	case !out.Changed:
		return already(out, b.now(), say), false
	case p.does == restore && p.status == postil.Approved:
		return "↩️ " + say.Say("did.kept"), false
	}
	return signs[out.Status] + say.Say("did."+string(out.Status)), false
}

func (b *Bot) undo(ctx context.Context, m person, p press, say words.Speech) (text string, alert bool) {
	out, err := b.desk.Undo(ctx, p.decision, m.by, "")
	switch {
	case err != nil:
		return b.sorry(err, say), true
	case !out.Changed:
		return say.Say("did.undone-before"), false
	case out.Status == postil.Pending:
		return "↩️ " + say.Say("did.undone-waits"), false
	}
	return "↩️ " + say.Say("did.undone"), false
}

// turn shows the other side of a card's keyboard.
func (b *Bot) turn(ctx context.Context, d postil.Detail, to action, at *tgbotapi.Message, say words.Speech) (string, bool) {
	keys := keyboard(d, b.speech(at.Chat.ID), b.more(d.Comment))
	if to == showMore && b.more(d.Comment) {
		keys = authorKeys(d, b.speech(at.Chat.ID))
	}
	err := b.api.editKeys(ctx, at.Chat.ID, int64(at.MessageID), keys)
	if err != nil && classOf(err) != notModified {
		b.lg.Warn("the buttons of a card could not be turned", "chat", at.Chat.ID, "err", err)
		return say.Say("press.our-fault"), true
	}
	return "", false
}

// more reports whether something can be done about the author of a comment.
func (b *Bot) more(c postil.Comment) bool { return b.authors != nil && recognised(c) }

// aboutAuthor bans or trusts the author of a comment.
func (b *Bot) aboutAuthor(ctx context.Context, m person, d postil.Detail, does action, say words.Speech) (string, bool) {
	if !b.more(d.Comment) {
		return say.Say("press.no-author"), true
	}
	if does == ban {
		if err := b.authors.Ban(ctx, d.Comment, m.by); err != nil {
			return b.sorry(err, say), true
		}
		return "⛔ " + say.Say("did.banned"), true
	}
	if err := b.authors.Trust(ctx, d.Comment, m.by); err != nil {
		return b.sorry(err, say), true
	}
	return "⭐ " + say.Say("did.trusted"), true
}

// sorry returns the sentence of an error, if it is for people. What is our own
// fault is logged here, once, and not shown.
func (b *Bot) sorry(err error, say words.Speech) string {
	e, ok := errors.AsType[*postil.Error](err)
	if !ok || e.Kind == postil.Internal {
		b.lg.Error("a moderator's wish could not be fulfilled", "err", err)
		return say.Say("press.our-fault")
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
	v, err := b.viewOf(ctx, comment, m.Chat.ID)
	if err != nil {
		return
	}
	if err := b.api.edit(ctx, int64(m.MessageID), letter{chat: m.Chat.ID, text: v.HTML, keys: v.Keys}); err != nil {
		b.lg.Debug("an old card could not be brought up to date", "chat", m.Chat.ID, "err", err)
	}
}

// viewOf makes the view of a comment for a chat.
func (b *Bot) viewOf(ctx context.Context, comment postil.CommentID, chat int64) (view, error) {
	d, err := b.store.Detail(ctx, comment)
	if err != nil {
		return view{}, err
	}
	site, err := b.store.Site(ctx, d.Comment.Site)
	v := see(d, site, b.cfg.PageOf, b.speech(chat), b.more(d.Comment))
	v.Site = d.Comment.Site
	return v, err
}
