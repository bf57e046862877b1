package telegram

import (
	"context"
	"slices"
	"strings"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/words"
)

// asked is a command on its way: who sent it where, with which words behind it.
type asked struct {
	msg  *tgbotapi.Message
	by   person
	rest string
	say  words.Speech
}

// command is one thing that moderators can ask for.
type command struct {
	name  string
	run   func(*Bot, context.Context, asked) letter
	daily int             // how often one moderator may use it on one day, 0: as they like
	have  func(*Bot) bool // nil: always
}

// commands are what moderators can ask for; /start is for everybody. What
// Telegram's menu says of each is the text "menu.NAME".
func commands() []command {
	return []command{
		{name: "queue", run: (*Bot).queue},
		{name: "next", run: (*Bot).next},
		{name: "stats", run: (*Bot).stats, daily: 200},
		{name: "search", run: (*Bot).search, daily: 200, have: func(b *Bot) bool { return b.cfg.Search }},
		{name: "ban", run: (*Bot).banAuthor, have: func(b *Bot) bool { return b.authors != nil }},
		{name: "trust", run: (*Bot).trustAuthor, have: func(b *Bot) bool { return b.authors != nil }},
		{name: "lockdown", run: (*Bot).lockdown, have: func(b *Bot) bool { return b.switches != nil }},
		{name: "slow", run: (*Bot).slow, have: func(b *Bot) bool { return b.switches != nil && b.switches.CanSlow() }},
		{name: "mute", run: (*Bot).mute},
		{name: "admin", run: (*Bot).admin, daily: 50, have: func(b *Bot) bool { return b.signIn != nil }},
		{name: "help", run: func(b *Bot, _ context.Context, a asked) letter { return plain(b.help(a.say)) }},
	}
}

// offered are the commands that this installation has.
func (b *Bot) offered() []command {
	return slices.DeleteFunc(commands(), func(c command) bool { return c.have != nil && !c.have(b) })
}

// menu is the list of commands as Telegram wants it.
func (b *Bot) menu(say words.Speech) []map[string]string {
	list := []map[string]string{}
	for _, c := range b.offered() {
		list = append(list, map[string]string{"command": c.name, "description": say.Say("menu." + c.name)})
	}
	return list
}

// help says what this bot can do.
func (b *Bot) help(say words.Speech) string {
	lines := []string{say.Say("help.intro"), ""}
	for _, c := range b.offered() {
		lines = append(lines, "/"+c.name+" – "+say.Say("menu."+c.name))
	}
	return strings.Join(lines, "\n")
}

// command deals with a message that begins with a slash.
func (b *Bot) command(ctx context.Context, m *tgbotapi.Message) {
	word, rest, _ := strings.Cut(strings.TrimSpace(m.Text[1:]), " ")
	name, bot, named := strings.Cut(word, "@")
	if named && !b.isMe(bot) {
		return // for another bot in the group
	}
	name, rest = strings.ToLower(name), strings.TrimSpace(rest)
	if name == "start" {
		b.start(ctx, m, rest)
		return
	}
	moderator, ok := b.moderator(ctx, m)
	if !ok {
		return
	}
	say := b.speechOf(m.From)
	for _, c := range b.offered() {
		if c.name != name {
			continue
		}
		if refusal := b.ration(ctx, c, moderator, say); refusal != "" {
			b.say(ctx, m, plain(refusal))
			return
		}
		b.say(ctx, m, c.run(b, ctx, asked{m, moderator, rest, say}))
		return
	}
	b.hint(ctx, m)
}

// ration counts one use of a command against what its sender may do in a minute
// and, where it is expensive, on a day; it returns a refusal, "" for none.
func (b *Bot) ration(ctx context.Context, c command, p person, say words.Speech) string {
	allowed, after, err := b.orders.Take(ctx, p.by.Actor)
	if err != nil {
		b.lg.Error("the limit for commands failed", "err", err)
	} else if !allowed {
		return say.Say("command.too-fast", "wait", roundUp(after))
	}
	if c.daily == 0 {
		return ""
	}
	ok, err := b.store.TakeQuota(ctx, c.name, p.by.Actor, c.daily)
	switch {
	case err != nil:
		return b.sorry(err, say)
	case !ok:
		return say.Count("command.quota", c.daily)
	}
	return ""
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
	say := b.speechOf(m.From)
	p, ok, err := b.who(ctx, m.From)
	if err != nil {
		b.say(ctx, m, plain(b.sorry(err, say)))
		return p, false
	}
	if !ok {
		if m.Chat.IsPrivate() && b.strangers.meet(m.From.ID, b.now()) == tellAll {
			b.say(ctx, m, plain(say.Say("help.link")))
		}
		return p, false
	}
	b.listen(ctx, m.Chat, m.From)
	if wait := b.hurry(ctx, m.From); wait > 0 {
		b.say(ctx, m, plain(say.Say("command.too-fast", "wait", wait)))
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
		var names []string
		for _, c := range b.offered() {
			names = append(names, "/"+c.name)
		}
		b.say(ctx, m, plain(b.speechOf(m.From).Say("help.known", "commands", strings.Join(names, ", "))))
	}
}

// start links a Telegram account with a one-time code.
func (b *Bot) start(ctx context.Context, m *tgbotapi.Message, code string) {
	say := b.speechOf(m.From)
	if !m.Chat.IsPrivate() {
		if code != "" && b.strangers.meet(m.From.ID, b.now()) == tellAll {
			b.say(ctx, m, plain(say.Say("start.in-private")))
		}
		return
	}
	if code == "" {
		if _, ok := b.moderator(ctx, m); ok {
			b.say(ctx, m, plain(b.help(say)))
		}
		return
	}
	if m.From.IsBot {
		return
	}
	if wait := b.hurry(ctx, m.From); wait > 0 {
		if b.strangers.meet(m.From.ID, b.now()) == tellAll {
			b.say(ctx, m, plain(say.Say("start.many-codes", "wait", wait)))
		}
		return
	}
	linked, err := b.store.LinkModerator(ctx, b.hash(code), m.From.ID)
	switch {
	case isKind(err, postil.NotFound):
		b.say(ctx, m, plain(say.Say("start.bad-code")))
	case err != nil:
		b.say(ctx, m, plain(b.sorry(err, say)))
	default:
		b.listen(ctx, m.Chat, m.From)
		b.say(ctx, m, plain(say.Say("start.welcome", "name", line(linked.Name, nameUnits))+"\n\n"+b.help(say)))
	}
}
