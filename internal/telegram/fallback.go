package telegram

import (
	"context"
	"slices"
	"time"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/words"
)

// fallBack asks the next chat about comments whose own chat cannot be reached,
// unless another chat has their card.
func (s *sender) fallBack(ctx context.Context, stranded []postil.Card) {
	for _, c := range stranded {
		s.mu.Lock()
		known := c.Message != 0 || s.fellBack[c.ID]
		s.fellBack[c.ID] = true
		s.mu.Unlock()
		if known {
			continue
		}
		if err := s.b.askNext(ctx, c.Comment, false); err != nil && ctx.Err() == nil {
			s.b.lg.Error("the next chat could not be asked about a comment", "comment", int64(c.Comment), "err", err)
			s.mu.Lock()
			delete(s.fellBack, c.ID)
			s.mu.Unlock()
		}
	}
}

// askNext wants a card for a comment in the chats that come next. Without
// insisting, only when none of its chats can be reached.
func (b *Bot) askNext(ctx context.Context, comment postil.CommentID, insist bool) error {
	cards, err := b.store.CardsOf(ctx, comment)
	if err != nil {
		return err
	}
	has := func(chat int64) bool {
		return slices.ContainsFunc(cards, func(c postil.Card) bool { return c.Chat == chat })
	}
	if !insist && slices.ContainsFunc(cards, func(c postil.Card) bool { return c.Message != 0 || !b.sender.isLost(c.Chat) }) {
		return nil // somebody knows, or will in a moment
	}
	d, err := b.store.Detail(ctx, comment)
	if isKind(err, postil.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	next, err := b.nextChats(ctx, d.Comment.Site)
	if err != nil {
		return err
	}
	next = slices.DeleteFunc(next, has)
	if len(next) == 0 {
		return nil
	}
	if err := b.store.WantCard(ctx, comment, next); err != nil {
		return err
	}
	b.Wake()
	return nil
}

// notice tells moderators what they should know.
func (b *Bot) notice(ctx context.Context, ev postil.Event) error {
	switch ev.Notice {
	case postil.Escalation:
		d, err := b.store.Detail(ctx, ev.Comment)
		if isKind(err, postil.NotFound) || err == nil && !d.Review.Open {
			return nil
		}
		if err != nil {
			return err
		}
		return b.askNext(ctx, ev.Comment, true)
	case postil.Reminder:
		return b.remind(ctx, ev.Site)
	case postil.DailySummary, postil.WeeklySummary:
		return b.summarise(ctx, ev)
	}
	return nil
}

// remind says in the chats of a site how many comments wait there, and how long.
func (b *Bot) remind(ctx context.Context, site postil.SiteID) error {
	n, oldest, err := b.store.WaitingSince(ctx, site)
	if err != nil || n == 0 {
		return err
	}
	v, err := b.store.Site(ctx, site)
	if isKind(err, postil.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return b.tellSite(ctx, site, func(say words.Speech) letter {
		return plain("⏰ " + say.Count("remind", n, "site", line(siteName(v, postil.Comment{Site: site}), titleUnits), "age", say.Ago(b.now().Sub(oldest))))
	})
}

// isLost reports whether a chat cannot be reached.
func (s *sender) isLost(chat int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lanes[chat]
	return l != nil && l.failures > 0
}

func (s *sender) mutedUntil(chat int64) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.muted[chat]
}

// rang notes that a new card made a chat ring.
func (s *sender) rang(chat int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lane(chat)
	l.recent = append(l.recent, s.b.now())
	if len(l.recent) > 1000 {
		l.recent = slices.Clone(l.recent[500:])
	}
}
