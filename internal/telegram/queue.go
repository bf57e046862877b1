package telegram

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

// sites returns which sites a moderator may see in a chat; none is true for a
// chat in which nothing may be shown.
func (b *Bot) sites(ctx context.Context, a asked) (sites []postil.SiteID, none bool, err error) {
	if a.msg.Chat.IsPrivate() {
		if a.by.site != "" {
			sites = append(sites, a.by.site)
		}
		return sites, false, nil
	}
	known, err := b.store.Chats(ctx)
	if err != nil {
		return nil, true, err
	}
	none = true
	for _, rule := range append(slices.Clone(b.cfg.Chats), b.cfg.Fallback...) {
		movedHere := slices.ContainsFunc(known, func(c postil.Chat) bool { return c.ID == rule.Chat && c.MovedTo == a.msg.Chat.ID })
		switch {
		case rule.Chat != a.msg.Chat.ID && !movedHere:
		case rule.Site == "" && a.by.site == "":
			return nil, false, nil
		case rule.Site == "" || a.by.may(rule.Site):
			none = false
			sites = append(sites, cmp.Or(rule.Site, a.by.site))
		}
	}
	return sites, none, nil
}

// queued is how many comments a list shows, counted how many it counts.
const (
	queued  = 10
	counted = 200
)

// waiting returns the comments that wait and that may be shown in a chat.
func (b *Bot) waiting(ctx context.Context, a asked, limit int) (list []postil.Comment, more bool, refusal string) {
	sites, none, err := b.sites(ctx, a)
	if err != nil {
		return nil, false, b.sorry(err, a.say)
	}
	if none {
		return nil, false, a.say.Say("command.not-here")
	}
	page, err := b.store.ListComments(ctx, postil.CommentFilter{Sites: sites, NeedsYou: true, Limit: limit})
	if err != nil {
		return nil, false, b.sorry(err, a.say)
	}
	if len(page.Comments) == 0 {
		return nil, false, a.say.Say("queue.nothing")
	}
	return page.Comments, page.Next != "", ""
}

// queue says how many comments wait and lists the oldest.
func (b *Bot) queue(ctx context.Context, a asked) letter {
	list, more, refusal := b.waiting(ctx, a, counted)
	if refusal != "" {
		return plain(refusal)
	}
	key := "queue.waits"
	if more {
		key = "queue.waits-more"
	}
	return b.listed(ctx, a, a.say.Count(key, len(list), "age", a.say.Ago(b.now().Sub(list[0].Created))), list, nil)
}

// listed is a letter with a title and comments that can be shown by pressing
// their numbers. state adds a word to each.
func (b *Bot) listed(ctx context.Context, a asked, title string, list []postil.Comment, state func(postil.Comment) string) letter {
	var out page
	out.text(title)
	var row []button
	var keys [][]button
	for i, c := range list[:min(len(list), queued)] {
		d, err := b.store.Detail(ctx, c.ID)
		if err != nil {
			return plain(b.sorry(err, a.say))
		}
		out.text(fmt.Sprintf("\n%d. ", i+1))
		b.inList(&out, a, d)
		if state != nil {
			out.text(" · " + state(c))
		}
		out.text("\n" + line(markup.Excerpt(c.Text, 120), 140))
		row = append(row, button{fmt.Sprint(i + 1), pressOn(d, show).data()})
		if len(row) == 5 {
			keys, row = append(keys, row), nil
		}
	}
	if len(row) > 0 {
		keys = append(keys, row)
	}
	return letter{text: out.out.String(), keys: keys}
}

func (b *Bot) inList(p *page, a asked, d postil.Detail) {
	p.sentence(a.say.Say("queue.on"), map[string]func(*page){
		"name": func(p *page) { p.in("b", line(d.Comment.Author.Name, 60)) },
		"post": func(p *page) { p.link(line(title(d), 80), permalink(d)) },
		"age":  func(p *page) { p.text(a.say.Ago(b.now().Sub(d.Comment.Created))) },
	})
}

// next sends the card of the comment that has waited longest.
func (b *Bot) next(ctx context.Context, a asked) letter {
	list, _, refusal := b.waiting(ctx, a, 1)
	if refusal != "" {
		return plain(refusal)
	}
	if err := b.sender.once(ctx, list[0].ID, a.msg.Chat.ID); err != nil {
		return plain(b.sorry(err, a.say))
	}
	return plain(a.say.Say("next.waited", "age", a.say.Ago(b.now().Sub(list[0].Created))))
}

// search lists the newest comments that contain some words.
func (b *Bot) search(ctx context.Context, a asked) letter {
	if a.rest == "" {
		return plain(a.say.Say("search.say"))
	}
	sites, none, err := b.sites(ctx, a)
	switch {
	case err != nil:
		return plain(b.sorry(err, a.say))
	case none:
		return plain(a.say.Say("command.not-here"))
	}
	found, err := b.store.ListComments(ctx, postil.CommentFilter{Sites: sites, Query: a.rest, Limit: queued})
	switch {
	case err != nil:
		return plain(b.sorry(err, a.say))
	case len(found.Comments) == 0:
		return plain(a.say.Say("search.nothing"))
	}
	key := "search.found"
	if found.Next != "" {
		key = "search.found-more"
	}
	return b.listed(ctx, a, a.say.Count(key, len(found.Comments)), found.Comments,
		func(c postil.Comment) string { return a.say.Say("search.is." + string(c.Status)) })
}

// stats says how things stand.
func (b *Bot) stats(ctx context.Context, a asked) letter {
	sites, none, err := b.sites(ctx, a)
	switch {
	case err != nil:
		return plain(b.sorry(err, a.say))
	case none:
		return plain(a.say.Say("command.not-here"))
	}
	if len(sites) == 0 {
		if sites, err = b.allSites(ctx); err != nil {
			return plain(b.sorry(err, a.say))
		}
	}
	lines := []string{}
	for _, site := range sites {
		said, err := b.statsOf(ctx, a, site)
		if err != nil {
			return plain(b.sorry(err, a.say))
		}
		lines = append(lines, said)
	}
	st, err := b.Status(ctx)
	if err == nil && st.Undelivered > 0 {
		lines = append(lines, "⚠️ "+a.say.Count("stats.undelivered", st.Undelivered))
	}
	if err == nil && st.Problem != "" {
		lines = append(lines, "⚠️ "+a.say.Say("stats.trouble", "problem", line(st.Problem, 600)))
	}
	return plain(clip(strings.Join(lines, "\n"), maxMessage))
}

func (b *Bot) allSites(ctx context.Context) (ids []postil.SiteID, err error) {
	sites, err := b.store.Sites(ctx)
	for _, s := range sites {
		ids = append(ids, s.ID)
	}
	return ids, err
}

func (b *Bot) statsOf(ctx context.Context, a asked, site postil.SiteID) (string, error) {
	n, oldest, err := b.store.WaitingSince(ctx, site)
	if err != nil {
		return "", err
	}
	totals, err := b.store.TotalsOf(ctx, []postil.SiteID{site})
	if err != nil {
		return "", err
	}
	waits := a.say.Count("stats.waiting", n)
	if n > 0 {
		waits += ", " + a.say.Say("stats.oldest", "age", a.say.Ago(b.now().Sub(oldest)))
	}
	parts := []string{waits}
	for _, s := range []postil.Status{postil.Approved, postil.Rejected, postil.Spam, postil.Deleted} {
		parts = append(parts, a.say.Count("stats."+string(s), totals[s]))
	}
	return string(site) + ": " + strings.Join(parts, " · "), nil
}
