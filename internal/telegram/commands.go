package telegram

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// commands are what moderators can ask for; /start is for everybody.
var commands = []struct {
	name  string
	words string // in Telegram's menu
	run   func(*Bot, context.Context, *tgbotapi.Message, person) letter
}{
	{"queue", "What waits for a decision", (*Bot).queue},
	{"next", "The comment that has waited longest", (*Bot).next},
	{"help", "What this bot can do", func(*Bot, context.Context, *tgbotapi.Message, person) letter { return words(help) }},
}

const (
	help = "Each comment that waits comes as a card. Press Approve, Reject or Spam; Undo takes it back.\n" +
		"Reply to a card to answer as the blog's author; that approves the comment too.\n\n" +
		"/queue – what waits\n/next – the one that has waited longest\n/help – this text"
	howToLink   = "This bot is the desk of the moderators of a blog. If you are one, ask its owner for a code (“postil moderator link --name NAME” prints one) and send /start CODE here."
	badCode     = "This code is unknown, was used already or is too old. Ask for a new one (“postil moderator link --name NAME” prints one)."
	inPrivate   = "Send codes in a private chat with this bot only: here everybody can read them. Ask for a new one if this was one."
	notHere     = "Comments that wait are not shown in a chat that is not set up for them. Send this in a private chat with the bot, or add the chat to POSTIL_TELEGRAM_CHATS."
	nothingLeft = "Nothing waits. All done."
)

// menu is the list of commands as Telegram wants it.
func menu() []map[string]string {
	list := []map[string]string{}
	for _, c := range commands {
		list = append(list, map[string]string{"command": c.name, "description": c.words})
	}
	return list
}

// command deals with a message that begins with a slash.
func (b *Bot) command(ctx context.Context, m *tgbotapi.Message) {
	word, rest, _ := strings.Cut(strings.TrimSpace(m.Text[1:]), " ")
	name, bot, named := strings.Cut(word, "@")
	if named && !b.isMe(bot) {
		return // for another bot in the group
	}
	name = strings.ToLower(name)
	if name == "start" {
		b.start(ctx, m, strings.TrimSpace(rest))
		return
	}
	moderator, ok := b.moderator(ctx, m)
	if !ok {
		return
	}
	for _, c := range commands {
		if c.name == name {
			b.say(ctx, m, c.run(b, ctx, m, moderator))
			return
		}
	}
	b.hint(ctx, m)
}

func (b *Bot) isMe(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.name == "" || strings.EqualFold(b.name, name)
}

// moderator returns who wrote a message, if it is a moderator who may go on
// now. Strangers are told once in private and overheard in groups.
func (b *Bot) moderator(ctx context.Context, m *tgbotapi.Message) (p person, ok bool) {
	if m.SenderChat != nil {
		return person{}, false // a mask, not a person
	}
	p, ok, err := b.who(ctx, m.From)
	if err != nil {
		b.say(ctx, m, words(b.sorry(err)))
		return p, false
	}
	if !ok {
		if m.Chat.IsPrivate() && b.strangers.notice(m.From.ID, b.now()) {
			b.say(ctx, m, words(howToLink))
		}
		return p, false
	}
	if wait := b.hurry(ctx, m.From); wait > 0 {
		b.say(ctx, m, words("That was a little too fast. Nothing was done; try again in "+wait.String()+"."))
		return p, false
	}
	return p, true
}

// hint answers what nobody understands, in private chats only.
func (b *Bot) hint(ctx context.Context, m *tgbotapi.Message) {
	if !m.Chat.IsPrivate() {
		return
	}
	if _, ok := b.moderator(ctx, m); ok {
		b.say(ctx, m, words("I know /queue, /next and /help. To answer a comment, reply to its card."))
	}
}

// start links a Telegram account with a one-time code.
func (b *Bot) start(ctx context.Context, m *tgbotapi.Message, code string) {
	if !m.Chat.IsPrivate() {
		if code != "" && b.strangers.notice(m.From.ID, b.now()) {
			b.say(ctx, m, words(inPrivate))
		}
		return
	}
	if code == "" {
		if _, ok := b.moderator(ctx, m); ok {
			b.say(ctx, m, words(help))
		}
		return
	}
	if m.From.IsBot {
		return
	}
	if wait := b.hurry(ctx, m.From); wait > 0 {
		if b.strangers.notice(m.From.ID, b.now()) {
			b.say(ctx, m, words("That were many codes. Try again in "+wait.String()+"."))
		}
		return
	}
	linked, err := b.store.LinkModerator(ctx, b.hash(code), m.From.ID)
	switch {
	case isKind(err, postil.NotFound):
		b.say(ctx, m, words(badCode))
	case err != nil:
		b.say(ctx, m, words(b.sorry(err)))
	default:
		b.say(ctx, m, words("Welcome, "+line(linked.Name, nameUnits)+". You can decide now.\n\n"+help))
	}
}

// sites returns which sites a moderator may see in a chat; none is true for a
// chat in which nothing may be shown.
func (b *Bot) sites(ctx context.Context, m *tgbotapi.Message, p person) (sites []postil.SiteID, none bool, err error) {
	if m.Chat.IsPrivate() {
		if p.site != "" {
			sites = append(sites, p.site)
		}
		return sites, false, nil
	}
	known, err := b.store.Chats(ctx)
	if err != nil {
		return nil, true, err
	}
	none = true
	for _, rule := range b.cfg.Chats {
		movedHere := slices.ContainsFunc(known, func(c postil.Chat) bool { return c.ID == rule.Chat && c.MovedTo == m.Chat.ID })
		switch {
		case rule.Chat != m.Chat.ID && !movedHere:
		case rule.Site == "" && p.site == "":
			return nil, false, nil
		case rule.Site == "" || p.may(rule.Site):
			none = false
			sites = append(sites, cmp.Or(rule.Site, p.site))
		}
	}
	return sites, none, nil
}

// queued is how many comments /queue lists, counted how many it counts.
const (
	queued  = 10
	counted = 200
)

// waiting returns the comments that wait and that may be shown in a chat.
func (b *Bot) waiting(ctx context.Context, m *tgbotapi.Message, p person, limit int) (list []postil.Comment, more bool, refusal string) {
	sites, none, err := b.sites(ctx, m, p)
	if err != nil {
		return nil, false, b.sorry(err)
	}
	if none {
		return nil, false, notHere
	}
	page, err := b.store.ListComments(ctx, postil.CommentFilter{Sites: sites, NeedsYou: true, Limit: limit})
	if err != nil {
		return nil, false, b.sorry(err)
	}
	if len(page.Comments) == 0 {
		return nil, false, nothingLeft
	}
	return page.Comments, page.Next != "", ""
}

// queue says how many comments wait and lists the oldest.
func (b *Bot) queue(ctx context.Context, m *tgbotapi.Message, p person) letter {
	list, more, refusal := b.waiting(ctx, m, p, counted)
	if refusal != "" {
		return words(refusal)
	}
	var out page
	count := fmt.Sprint(len(list))
	if more {
		count += " or more"
	}
	noun := " comments wait"
	if len(list) == 1 {
		noun = " comment waits"
	}
	out.text(count + noun + ", the oldest for " + ago(b.now().Sub(list[0].Created)) + ".")
	var row []button
	var keys [][]button
	for i, c := range list[:min(len(list), queued)] {
		d, err := b.store.Detail(ctx, c.ID)
		if err != nil {
			return words(b.sorry(err))
		}
		out.text(fmt.Sprintf("\n%d. ", i+1))
		out.in("b", line(c.Author.Name, 60))
		out.text(" on ")
		out.link(line(title(d), 80), permalink(d))
		out.text(" · " + ago(b.now().Sub(c.Created)) + "\n" + line(markup.Excerpt(c.Text, 120), 140))
		row = append(row, button{fmt.Sprint(i + 1), press{does: show, comment: c.ID, status: c.Status}.data()})
		if len(row) == 5 {
			keys, row = append(keys, row), nil
		}
	}
	if len(row) > 0 {
		keys = append(keys, row)
	}
	return letter{text: out.out.String(), keys: keys}
}

// next sends the card of the comment that has waited longest.
func (b *Bot) next(ctx context.Context, m *tgbotapi.Message, p person) letter {
	list, _, refusal := b.waiting(ctx, m, p, 1)
	if refusal != "" {
		return words(refusal)
	}
	if err := b.sender.once(ctx, list[0].ID, m.Chat.ID); err != nil {
		return words(b.sorry(err))
	}
	return words("The oldest has waited for " + ago(b.now().Sub(list[0].Created)) + ".")
}
