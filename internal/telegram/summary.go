package telegram

import (
	"context"
	"fmt"
	"slices"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/words"
)

// What a summary has room for.
const (
	busiest  = 3
	doubtful = 5
	lookedAt = 1000 // so many stops are looked at for the doubtful ones of a week
)

// summary is how a site did in a span of time.
type summary struct {
	site                         postil.Site
	from, to                     time.Time
	received, published, stopped int
	waiting                      int
	oldest                       time.Time
	busy                         []postil.BusyPost
	doubt                        []postil.Detail
}

// summarise tells in the chats of a site how it did. Where nothing happened and
// nothing waits, nobody is bothered.
func (b *Bot) summarise(ctx context.Context, ev postil.Event) error {
	days, weekly := 1, ev.Notice == postil.WeeklySummary
	if weekly {
		days = 7
	}
	s, err := b.sumUp(ctx, ev.Site, ev.At.AddDate(0, 0, -days), ev.At, weekly)
	if isKind(err, postil.NotFound) || err == nil && s.received+s.stopped+s.waiting == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return b.tellSite(ctx, ev.Site, func(say words.Speech) letter { return s.letter(say, b.now()) })
}

// sumUp reads what a summary says.
func (b *Bot) sumUp(ctx context.Context, site postil.SiteID, from, to time.Time, weekly bool) (s summary, err error) {
	s.from, s.to = from, to
	if s.site, err = b.store.Site(ctx, site); err != nil {
		return s, err
	}
	counts, err := b.store.CountSignals(ctx, from, to, to.Sub(from), []postil.SiteID{site})
	if err != nil {
		return s, err
	}
	for _, c := range counts {
		switch {
		case c.Kind == postil.SignalReceived:
			s.received += c.N
		case c.Kind == postil.SignalPublished:
			s.published += c.N
		case c.Kind == postil.SignalDecided && c.Channel == postil.ByCheck && c.Outcome == string(postil.Spam):
			s.stopped += c.N
		}
	}
	if s.waiting, s.oldest, err = b.store.WaitingSince(ctx, site); err != nil {
		return s, err
	}
	if s.busy, err = b.store.BusiestPosts(ctx, site, from, to, busiest); err != nil || !weekly {
		return s, err
	}
	s.doubt, err = b.doubtful(ctx, site, from, to)
	return s, err
}

// doubtful returns what the checks stopped in a span of time, the most doubtful
// first.
func (b *Bot) doubtful(ctx context.Context, site postil.SiteID, from, to time.Time) (out []postil.Detail, err error) {
	f := postil.CommentFilter{Sites: []postil.SiteID{site}, ByDoubt: true, Limit: 200}
	for n := 0; n < lookedAt; n += f.Limit {
		page, err := b.store.ListComments(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, c := range page.Comments {
			if c.Created.Before(from) || !c.Created.Before(to) {
				continue
			}
			d, err := b.store.Detail(ctx, c.ID)
			if err != nil && !isKind(err, postil.NotFound) {
				return nil, err
			}
			if err == nil && d.Comment.Status == postil.Spam {
				out = append(out, d)
			}
			if len(out) == doubtful {
				return out, nil
			}
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			break
		}
	}
	return out, nil
}

// letter writes a summary in a language.
func (s summary) letter(say words.Speech, now time.Time) letter {
	var out page
	key := "summary.week"
	if s.to.Sub(s.from) <= 25*time.Hour {
		key = "summary.day"
	}
	out.text("📊 ")
	out.sentence(say.Say(key), map[string]func(*page){
		"site": func(p *page) { p.in("b", line(siteName(s.site, postil.Comment{Site: s.site.ID}), titleUnits)) },
	})
	waits := say.Count("stats.waiting", s.waiting)
	if s.waiting > 0 {
		waits += ", " + say.Say("stats.oldest", "age", say.Ago(now.Sub(s.oldest)))
	}
	out.text("\n" + say.Count("summary.received", s.received) + " · " + say.Count("summary.published", s.published) + " · " + say.Count("summary.stopped", s.stopped) + "\n" + waits)
	if len(s.busy) > 0 {
		out.text("\n\n" + say.Say("summary.busiest"))
	}
	for _, p := range s.busy {
		out.text("\n• ")
		out.link(postName(p.Post), p.URL)
		out.text(" – " + say.Count("summary.comments", p.N))
	}
	if len(s.doubt) == 0 {
		return letter{text: out.out.String(), short: say.Say("summary.short")}
	}
	out.text("\n\n" + say.Say("summary.doubt"))
	var row []button
	for i, d := range s.doubt {
		out.text(fmt.Sprintf("\n%d. ", i+1))
		out.in("b", line(d.Comment.Author.Name, 60))
		out.text(" · " + line(title(d), 80) + "\n" + line(markup.Excerpt(d.Comment.Text, 120), 140))
		row = append(row, button{fmt.Sprintf("♻️ %d", i+1), pressOn(d, pardon).data()})
	}
	return letter{text: out.out.String(), short: say.Say("summary.short"), keys: [][]button{row}}
}

// postName is what a post is called in a list.
func postName(p postil.Post) string {
	if t := line(p.Title, 80); t != "" {
		return t
	}
	return line(string(p.ID), 80)
}

// pardoned takes the button out of a summary whose comment needs it no more.
func (b *Bot) pardoned(ctx context.Context, q *tgbotapi.CallbackQuery) {
	if q.Message.ReplyMarkup == nil {
		return
	}
	keys := [][]button{}
	for _, row := range q.Message.ReplyMarkup.InlineKeyboard {
		var left []button
		for _, k := range row {
			if k.CallbackData != nil && *k.CallbackData != q.Data {
				left = append(left, button{k.Text, *k.CallbackData})
			}
		}
		if len(left) > 0 {
			keys = append(keys, left)
		}
	}
	if err := b.api.editKeys(ctx, q.Message.Chat.ID, int64(q.Message.MessageID), keys); err != nil && classOf(err) != notModified {
		b.lg.Debug("a button of a summary could not be taken away", "chat", q.Message.Chat.ID, "err", err)
	}
}

// tellSite sends a letter to each chat of a site, and to the next ones when none
// of them can be reached. One that was reached is enough: telling the others
// again would be noise. A muted chat counts as reached.
func (b *Bot) tellSite(ctx context.Context, site postil.SiteID, write func(words.Speech) letter) error {
	chats, err := b.chatsFor(ctx, site)
	if err != nil {
		return err
	}
	var first error
	reached := false
	for i := 0; i < len(chats); i++ {
		chat := chats[i]
		if b.sender.mutedUntil(chat).After(b.now()) {
			reached = true
			continue
		}
		l := write(b.speech(chat))
		l.chat, l.thread = chat, b.threadOf(chat, site)
		err := b.deliver(ctx, l)
		if err == nil {
			reached = true
			continue
		}
		if first == nil {
			first = err
		}
		if last := i == len(chats)-1; last && !reached {
			next, err := b.nextChats(ctx, site)
			if err != nil {
				return err
			}
			for _, c := range next {
				if !slices.Contains(chats, c) {
					chats = append(chats, c)
				}
			}
		}
	}
	if reached {
		return nil
	}
	return first
}

// deliver sends a letter, in short and without markup when Telegram refuses it.
func (b *Bot) deliver(ctx context.Context, l letter) error {
	id, err := b.api.send(ctx, l)
	if c := classOf(err); l.short != "" && (c == tooLong || c == badMarkup) {
		b.lg.Error("a letter is sent in short: Telegram refuses its markup", "chat", l.chat, "err", err)
		l.text, l.plain = l.short, true
		id, err = b.api.send(ctx, l)
	}
	if err == nil {
		b.sender.noteMessage(l.chat, id)
	}
	return err
}
