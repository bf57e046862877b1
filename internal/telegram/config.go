package telegram

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/postil/postil/internal/postil"
)

// Secret is a text that prints nowhere by itself.
type Secret interface{ Reveal() string }

// Mode is the way in which updates arrive.
type Mode string

// The modes. In Webhook mode Telegram calls the handler of WebhookHandler.
const (
	Poll    Mode = "poll"
	Webhook Mode = "webhook"
)

// ChatRule sends the cards of a site to a chat.
type ChatRule struct {
	Chat   int64         // as Telegram numbers it: positive for a person, negative for a group
	Thread int64         // topic of a forum, 0: none
	Site   postil.SiteID // "": every site
}

// Config of the desk in Telegram.
type Config struct {
	Token         Secret
	API           string // base address, "": Telegram's own
	Chats         []ChatRule
	Fallback      []ChatRule // asked when a chat cannot be reached and when nobody decides; none: the moderators in private
	Ops           []ChatRule // get alerts and reports; none: the chats of every site, else the moderators in private
	Moderators    []int64    // Telegram users who may decide without linking first
	Mode          Mode       // "": Poll
	WebhookURL    string     // where Telegram reaches WebhookHandler
	WebhookSecret Secret     // what Telegram must say with each update
	Language      string     // "": each moderator's own, and English in groups
	Wave          int        // more new comments than that in a minute go into one digest; 0: never
	Search        bool       // Store understands CommentFilter.Query

	// PageOf returns the address at which a moderator reads a whole comment,
	// for comments that no message can hold. Nil: the post's own page.
	PageOf func(postil.CommentID) string
}

func (c Config) check() (Config, error) {
	if c.Token == nil || c.Token.Reveal() == "" {
		return c, fmt.Errorf("there is no Telegram token. Get one from @BotFather and set POSTIL_TELEGRAM_TOKEN=123456:ABC…")
	}
	if c.API == "" {
		c.API = "https://api.telegram.org"
	}
	c.API = strings.TrimRight(c.API, "/")
	if u, err := url.Parse(c.API); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return c, fmt.Errorf("the address of the Bot API is no web address. Set POSTIL_TELEGRAM_API=https://api.telegram.org, or leave it out")
	}
	switch c.Mode {
	case "":
		c.Mode = Poll
	case Poll:
	case Webhook:
		if c.WebhookURL == "" || c.WebhookSecret == nil || c.WebhookSecret.Reveal() == "" {
			return c, fmt.Errorf("webhook mode needs the public address of this service. Set it, or set POSTIL_TELEGRAM_MODE=poll")
		}
	default:
		return c, fmt.Errorf("POSTIL_TELEGRAM_MODE is poll or webhook, not %q", c.Mode)
	}
	if c.PageOf == nil {
		c.PageOf = func(postil.CommentID) string { return "" }
	}
	return c, nil
}

// chatsFor returns where the cards of a site go. Without any chat for it its
// moderators get them in private: those named in the configuration and those
// who linked their account.
func (b *Bot) chatsFor(ctx context.Context, site postil.SiteID) ([]int64, error) {
	chats, err := b.ruled(ctx, b.cfg.Chats, site)
	if err == nil && len(chats) == 0 {
		return b.inPrivate(ctx, site)
	}
	return chats, err
}

// nextChats returns whom to ask about a site when those who should decide
// cannot be reached or do not.
func (b *Bot) nextChats(ctx context.Context, site postil.SiteID) ([]int64, error) {
	chats, err := b.ruled(ctx, b.cfg.Fallback, site)
	if err != nil || len(chats) > 0 {
		return chats, err
	}
	private, err := b.inPrivate(ctx, site)
	for _, chat := range private { // a bot cannot write to somebody who never wrote to it
		if last, err := b.sender.highest(ctx, chat); err == nil && last != 0 {
			chats = append(chats, chat)
		}
	}
	return chats, err
}

// ruled returns the chats that rules name for a site.
func (b *Bot) ruled(ctx context.Context, rules []ChatRule, site postil.SiteID) ([]int64, error) {
	var chats []int64
	for _, rule := range rules {
		if (rule.Site == "" || rule.Site == site) && !slices.Contains(chats, rule.Chat) {
			chats = append(chats, rule.Chat)
		}
	}
	known, err := b.store.Chats(ctx)
	if err != nil {
		return nil, err
	}
	moved := map[int64]int64{}
	for _, c := range known {
		moved[c.ID] = c.MovedTo
	}
	for i, chat := range chats {
		if to := moved[chat]; to != 0 {
			chats[i] = to
		}
	}
	return chats, nil
}

// alone reports whether there is nobody to send cards to.
func (b *Bot) alone(ctx context.Context) (bool, error) {
	if len(b.cfg.Chats)+len(b.cfg.Moderators) > 0 {
		return false, nil
	}
	linked, err := b.store.Moderators(ctx)
	return !slices.ContainsFunc(linked, func(m postil.Moderator) bool { return m.TelegramUser != 0 && m.Revoked.IsZero() }), err
}

// inPrivate returns the private chats of the moderators of a site.
func (b *Bot) inPrivate(ctx context.Context, site postil.SiteID) ([]int64, error) {
	chats := slices.Clone(b.cfg.Moderators)
	linked, err := b.store.Moderators(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range linked {
		mine := m.Site == "" || m.Site == site
		if m.TelegramUser != 0 && m.Revoked.IsZero() && mine && !slices.Contains(chats, m.TelegramUser) {
			chats = append(chats, m.TelegramUser)
		}
	}
	return chats, nil
}

// threadOf returns the topic in which a chat wants what concerns some sites: of
// the rule for one of them, else of the rule for every site.
func (b *Bot) threadOf(chat int64, sites ...postil.SiteID) (topic int64) {
	for _, rule := range append(slices.Clone(b.cfg.Chats), b.cfg.Fallback...) {
		switch {
		case rule.Chat != chat && b.sender.movedTo(rule.Chat) != chat:
		case rule.Site == "":
			topic = rule.Thread
		case slices.Contains(sites, rule.Site):
			return rule.Thread
		}
	}
	return topic
}

// everyChat returns all chats that are configured or known.
func (b *Bot) everyChat(known []postil.Chat) (ids []int64) {
	for _, rule := range append(slices.Clone(b.cfg.Chats), b.cfg.Fallback...) {
		ids = append(ids, rule.Chat)
	}
	ids = append(ids, b.cfg.Moderators...)
	for _, c := range known {
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// recallLanguages takes up the languages of private chats.
func (b *Bot) recallLanguages(known []postil.Chat) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range known {
		if c.Language != "" {
			b.languages[c.ID] = c.Language
		}
	}
}
