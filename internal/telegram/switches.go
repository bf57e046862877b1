package telegram

import (
	"context"
	"strings"
	"time"

	"github.com/postil/postil/internal/postil"
)

// longestMute is how long a chat can be muted: nobody means for ever.
const longestMute = 7 * 24 * time.Hour

// mute keeps new cards out of a chat for a while.
func (b *Bot) mute(ctx context.Context, a asked) letter {
	chat := a.msg.Chat.ID
	if strings.EqualFold(a.rest, "off") || a.rest == "0" {
		if err := b.sender.mute(ctx, chat, time.Time{}); err != nil {
			return plain(b.sorry(err, a.say))
		}
		return plain(a.say.Say("mute.off"))
	}
	long, ok := duration(a.rest)
	if !ok {
		return plain(a.say.Say("mute.say"))
	}
	until := b.now().Add(min(long, longestMute))
	if err := b.sender.mute(ctx, chat, until); err != nil {
		return plain(b.sorry(err, a.say))
	}
	return plain(a.say.Say("mute.on", "when", clock(until, b.now())))
}

// duration reads what people write for a length of time: 2h, 30m, 1d, 90.
func duration(s string) (time.Duration, bool) {
	s = strings.ToLower(strings.ReplaceAll(s, " ", ""))
	if days, ok := strings.CutSuffix(s, "d"); ok {
		d, err := time.ParseDuration(days + "h")
		return d * 24, err == nil && d > 0
	}
	if s != "" && strings.Trim(s, "0123456789") == "" {
		s += "m"
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= time.Minute
}

// lockdown stops and starts the taking of new comments.
func (b *Bot) lockdown(ctx context.Context, a asked) letter {
	return b.flip(ctx, a, "lockdown", b.switches.Lockdown)
}

// slow makes everybody write less often, or not.
func (b *Bot) slow(ctx context.Context, a asked) letter {
	return b.flip(ctx, a, "slow", b.switches.Slow)
}

// flip turns a switch of sites: of the one that is named, else of all that the
// moderator may decide about in this chat.
func (b *Bot) flip(ctx context.Context, a asked, name string, set func(context.Context, postil.SiteID, bool, postil.By) error) letter {
	word, site, _ := strings.Cut(a.rest, " ")
	word = strings.ToLower(word)
	if word != "on" && word != "off" {
		return plain(a.say.Say("command.on-or-off", "example", "/"+name+" on"))
	}
	sites, refusal := b.meant(ctx, a, strings.TrimSpace(site))
	if refusal != "" {
		return plain(refusal)
	}
	var names []string
	for _, id := range sites {
		if err := set(ctx, id, word == "on", a.by.by); err != nil {
			return plain(b.sorry(err, a.say))
		}
		names = append(names, string(id))
	}
	return plain(a.say.Say(name+"."+word, "sites", strings.Join(names, ", ")))
}

// meant returns the sites that a command is about, or a refusal.
func (b *Bot) meant(ctx context.Context, a asked, named string) (sites []postil.SiteID, refusal string) {
	sites, none, err := b.sites(ctx, a)
	if err == nil && len(sites) == 0 && !none {
		sites, err = b.allSites(ctx)
	}
	switch {
	case err != nil:
		return nil, b.sorry(err, a.say)
	case none:
		return nil, a.say.Say("command.not-here")
	case named == "":
		return sites, ""
	}
	for _, id := range sites {
		if string(id) == named {
			return []postil.SiteID{id}, ""
		}
	}
	return nil, a.say.Say("press.other-site")
}

func (b *Bot) banAuthor(ctx context.Context, a asked) letter   { return b.byCard(ctx, a, ban) }
func (b *Bot) trustAuthor(ctx context.Context, a asked) letter { return b.byCard(ctx, a, trust) }

// byCard bans or trusts the author of the card that a command answers.
func (b *Bot) byCard(ctx context.Context, a asked, does action) letter {
	if a.msg.ReplyToMessage == nil {
		return plain(a.say.Say("command.answer-a-card"))
	}
	card, err := b.store.CardByMessage(ctx, a.msg.Chat.ID, int64(a.msg.ReplyToMessage.MessageID))
	if isKind(err, postil.NotFound) {
		return plain(a.say.Say("command.answer-a-card"))
	}
	var d postil.Detail
	if err == nil {
		d, err = b.store.Detail(ctx, card.Comment)
	}
	switch {
	case isKind(err, postil.NotFound):
		return plain(a.say.Say("press.gone"))
	case err != nil:
		return plain(b.sorry(err, a.say))
	case !a.by.may(d.Comment.Site):
		return plain(a.say.Say("press.other-site"))
	}
	text, _ := b.aboutAuthor(ctx, a.by, d, does, a.say)
	return plain(text)
}
