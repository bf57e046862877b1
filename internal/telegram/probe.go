package telegram

import (
	"context"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/postil/postil/internal/postil"
)

// How many numbers after the last known message are looked at for one that may
// have gone out. People write in a group, too, and private chats and plain
// groups share their numbers.
const (
	looked       = 5
	lookedShared = 10
)

// ownNumbers reports whether a chat counts its messages by itself: supergroups
// and channels do.
func ownNumbers(chat int64) bool { return chat < -1_000_000_000_000 }

// noteMessage remembers the highest message id of a chat.
func (s *sender) noteMessage(chat, message int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lane(chat)
	l.last = max(l.last, message)
	if !ownNumbers(chat) {
		s.shared = max(s.shared, message)
	}
}

// highest returns the highest message id that is known in a chat.
func (s *sender) highest(ctx context.Context, chat int64) (int64, error) {
	s.mu.Lock()
	last := s.lane(chat).last
	s.mu.Unlock()
	if last != 0 {
		return last, nil
	}
	last, err := s.b.store.LastMessage(ctx, chat)
	if err == nil && last != 0 {
		s.noteMessage(chat, last)
	}
	return last, err
}

// onItsWay notes on disk that a card may be sent from now on.
func (s *sender) onItsWay(ctx context.Context, e *errand) error {
	after, err := s.highest(ctx, e.card.Chat)
	if err == nil {
		err = s.b.store.CardSending(ctx, e.card.ID, after, e.view.Shows)
	}
	if err != nil {
		return &fault{class: later, text: "the store cannot take down that a card is sent"}
	}
	s.mu.Lock()
	delete(s.unsent, e.card.ID)
	s.mu.Unlock()
	e.card.Sending, e.card.After = true, after
	return nil
}

// arrived notes what became of a message that was sent.
func (s *sender) arrived(e *errand, message int64, err error) {
	if err == nil {
		s.noteMessage(e.card.Chat, message)
		return
	}
	if !faultOf(err).answered {
		return // nobody knows
	}
	s.mu.Lock()
	s.unsent[e.card.ID] = true
	s.mu.Unlock()
	e.card.Sending = false
}

// find looks for the message of a card that may have gone out before a crash;
// 0 when there is none. Telegram has no list of what a bot has sent, but it
// refuses to give a message the buttons that it has already: that is the card,
// since no other carries the same. A card that was taken for another one has
// lost its buttons; its words tell, those of then as well as those of now.
func (s *sender) find(ctx context.Context, e *errand) (int64, error) {
	keys, err := s.keysAsSent(ctx, e)
	if err != nil {
		return 0, &fault{class: later, text: "the comment of a card cannot be read"}
	}
	most := int64(looked)
	if !ownNumbers(e.card.Chat) {
		most = lookedShared
	}
	for _, id := range s.candidates(e.card, most) {
		if s.taken(ctx, e.card, id) {
			continue
		}
		text, err := s.b.api.swapKeys(ctx, e.card.Chat, id, keys)
		switch c := classOf(err); {
		case err == nil && (text == visible(e.view.HTML) || sumOf(text) == wordsAsSent(e.card)), c == notModified:
			s.b.lg.Info("a card was found that had gone out before a crash", "comment", int64(e.card.Comment))
			s.noteMessage(e.card.Chat, id)
			return id, nil
		case err == nil: // another message of ours: it gets rid of what is not its own
			_ = s.b.api.editKeys(ctx, e.card.Chat, id, nil)
		case c == messageGone:
		default:
			return 0, err
		}
	}
	return 0, nil
}

// wordsAsSent returns the sum of what a card said when it may have gone out, ""
// when that is not on record.
func wordsAsSent(c postil.Card) string {
	parts := strings.Split(c.Shows, ":")
	if c.Message != 0 || len(parts) != 5 {
		return ""
	}
	return parts[4]
}

// keysAsSent returns the buttons that a card had when it may have gone out: the
// comment may have changed since.
func (s *sender) keysAsSent(ctx context.Context, e *errand) ([][]button, error) {
	var status string
	var revision int
	var last int64
	parts := strings.Split(e.card.Shows, ":")
	if e.card.Message != 0 || len(parts) < 4 {
		return e.view.Keys, nil
	}
	status = parts[0]
	if _, err := fmt.Sscan(parts[1], &revision); err != nil {
		return e.view.Keys, nil
	}
	if _, err := fmt.Sscan(parts[2], &last); err != nil {
		return e.view.Keys, nil
	}
	d, err := s.b.store.Detail(ctx, e.card.Comment)
	if err != nil {
		return nil, err
	}
	d.Comment.Status, d.Comment.Revision = postil.Status(status), revision
	d.History = slices.DeleteFunc(d.History, func(h postil.Decision) bool { return int64(h.ID) > last })
	switch { // only what waits is asked about
	case d.Comment.Status == postil.Pending:
		d.Comment.Draft = nil
	case d.Comment.Draft == nil:
		d.Comment.Draft = &postil.Draft{}
	}
	return keyboard(d, s.b.speech(e.card.Chat), s.b.more(d.Comment)), nil
}

// adopt takes a message that somebody pressed for the card of its comment, in
// case the chat has none on record: it had gone out before a crash.
func (s *sender) adopt(chat, message int64, comment postil.CommentID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.adopted) > 10_000 {
		clear(s.adopted)
	}
	s.adopted[want{comment, chat}] = message
}

// candidates returns the ids that the message of a card can have.
func (s *sender) candidates(c postil.Card, most int64) (ids []int64) {
	from := []int64{c.After}
	s.mu.Lock()
	if !ownNumbers(c.Chat) && s.shared > c.After {
		from = append(from, s.shared)
	}
	s.mu.Unlock()
	for _, first := range from {
		for i := range most {
			ids = append(ids, first+1+i)
		}
	}
	return ids
}

// taken reports whether a message is known to be something else.
func (s *sender) taken(ctx context.Context, c postil.Card, message int64) bool {
	other, err := s.b.store.CardByMessage(ctx, c.Chat, message)
	if err == nil && other.StoodIn == 0 && other.ID != c.ID {
		return true
	}
	board, err := s.b.store.LastBoard(ctx, c.Chat)
	return err == nil && board.Message == message
}

var tags = regexp.MustCompile(`</?[a-z][^>]*>`)

// visible returns what Telegram shows of a text that this package marked up.
func visible(s string) string {
	return strings.TrimSpace(html.UnescapeString(tags.ReplaceAllString(s, "")))
}
