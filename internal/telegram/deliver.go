package telegram

import (
	"context"
	"time"

	"github.com/postil/postil/internal/postil"
)

// errand is one card on its way, with what it will say.
type errand struct {
	card  postil.Card
	view  view
	began time.Time
	again bool // somebody asked for it once more
}

// deliver brings one card up to date and reports whether the chat takes more.
func (s *sender) deliver(ctx context.Context, l *lane, c postil.Card) (goOn bool) {
	ctx, cancel := unhurried(ctx, callTime*3)
	defer cancel()
	e, err := s.prepare(ctx, c)
	if err != nil {
		return s.putOff(ctx, c, err)
	}
	send := s.errandOf(e)
	if send == nil {
		return s.done(ctx, e)
	}
	if e.card.Message == 0 && !s.admitted(l) {
		return false
	}
	if err := send(ctx, &e); err != nil {
		return s.refused(ctx, l, e, err)
	}
	s.thriving(ctx, l, c.Chat)
	return s.done(ctx, e)
}

// thriving forgets the trouble of a chat after something got through.
func (s *sender) thriving(ctx context.Context, l *lane, chat int64) {
	s.mu.Lock()
	lost := l.failures > 0
	l.thrive()
	s.mu.Unlock()
	if lost {
		s.chatState(ctx, postil.Chat{ID: chat})
	}
}

func (s *sender) admitted(l *lane) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return l.admit(s.b.now())
}

// prepare reads what a card is to say. Everything is read after the time that
// it notes: what changes later makes the card due again.
func (s *sender) prepare(ctx context.Context, c postil.Card) (e errand, err error) {
	// A millisecond is what the store can tell apart; a change within the same
	// one must count as later. At worst the card is looked at once more.
	e = errand{card: c, began: s.b.now().Add(-time.Millisecond)}
	s.mu.Lock()
	if sent, ok := s.unrecorded[c.ID]; ok {
		e.card.Message, e.card.Shows, e.card.Final = sent.Message, sent.Shows, sent.Final
	}
	at := want{c.Comment, c.Chat}
	if message := s.adopted[at]; message != 0 && e.card.Message == 0 {
		e.card.Message, e.card.Shows, e.card.Sending = message, "", false
	}
	delete(s.adopted, at)
	if s.unsent[c.ID] {
		e.card.Sending = false
	}
	e.again = s.again[want{c.Comment, c.Chat}]
	s.mu.Unlock()
	e.view, err = s.b.viewOf(ctx, c.Comment, c.Chat)
	return e, err
}

// errandOf says what there is to do, nil for nothing.
func (s *sender) errandOf(e errand) func(context.Context, *errand) error {
	sent := e.card.Message != 0
	switch {
	case e.again:
		return s.anew
	case !sent && e.view.Asks:
		return s.first
	case !sent: // decided before anybody was asked: there is nothing to tell
		return nil
	case e.card.Shows == e.view.Shows:
		return nil
	case e.card.Final && e.view.Asks:
		return s.first
	case e.card.Final:
		return s.note
	}
	return s.edit
}

func (s *sender) first(ctx context.Context, e *errand) error {
	id, err := s.post(ctx, e, e.letter())
	if err == nil {
		e.card.Message, e.card.Final, e.card.StoodIn = id, false, 0
		s.rang(e.card.Chat)
	}
	return err
}

// anew sends a card that the chat may have already; the old message says so.
func (s *sender) anew(ctx context.Context, e *errand) error {
	old := e.card
	if err := s.first(ctx, e); err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.again, want{old.Comment, old.Chat})
	s.mu.Unlock()
	if old.Message != 0 && !old.Final && old.StoodIn == 0 {
		moved := letter{chat: old.Chat, text: "↓ " + s.b.speech(old.Chat).Say("card.moved"), plain: true}
		if err := s.b.api.edit(ctx, old.Message, moved); err != nil {
			s.b.lg.Debug("an old card keeps its buttons", "chat", old.Chat, "err", err)
		}
	}
	return nil
}

func (s *sender) edit(ctx context.Context, e *errand) error {
	l := e.letter()
	if e.card.StoodIn != 0 { // it went down with the group that became a supergroup
		return s.instead(ctx, e)
	}
	err := s.b.api.edit(ctx, e.card.Message, l)
	if c := classOf(err); c == tooLong || c == badMarkup {
		s.b.lg.Error("a card is sent in short: Telegram refuses its markup", "comment", int64(e.card.Comment), "err", err)
		l.text, l.plain = e.view.Plain, true
		err = s.b.api.edit(ctx, e.card.Message, l)
	}
	if classOf(err) != messageGone {
		return err
	}
	return s.instead(ctx, e)
}

// instead sends what a message that is out of reach can no longer show.
func (s *sender) instead(ctx context.Context, e *errand) error {
	if e.view.Asks {
		return s.first(ctx, e)
	}
	return s.note(ctx, e)
}

// note tells in a message of its own what an old card can no longer show.
func (s *sender) note(ctx context.Context, e *errand) error {
	l := e.letter()
	l.text = e.view.Note
	if e.card.StoodIn == 0 {
		l.answers = e.card.Message
	}
	id, err := s.post(ctx, e, l)
	if err == nil {
		e.card.Message, e.card.Final, e.card.StoodIn = id, true, 0
	}
	return err
}

// post sends a message, in short and without markup when it is refused as it
// is. That it is on its way is on disk before: whoever finds the card like that
// after a crash, or after an answer that never came, looks for it first.
func (s *sender) post(ctx context.Context, e *errand, l letter) (id int64, err error) {
	l.thread = s.b.threadOf(l.chat, e.view.Site)
	if e.card.Sending {
		if id, err = s.find(ctx, e); err != nil {
			return 0, err
		}
		if id != 0 && e.card.Shows != e.view.Shows { // it shows what was true then
			if err := s.b.api.edit(ctx, id, l); err != nil {
				return 0, err
			}
		}
		if id != 0 {
			return id, nil
		}
	}
	if err := s.onItsWay(ctx, e); err != nil {
		return 0, err
	}
	defer func() { s.arrived(e, id, err) }()
	id, err = s.b.api.send(ctx, l)
	if c := classOf(err); c == tooLong || c == badMarkup {
		s.b.lg.Error("a card is sent in short: Telegram refuses its markup", "chat", l.chat, "err", err)
		l.text, l.plain = l.short, true
		id, err = s.b.api.send(ctx, l)
	}
	return id, err
}

func (e *errand) letter() letter {
	return letter{chat: e.card.Chat, text: e.view.HTML, short: e.view.Plain, keys: e.view.Keys}
}

// done records what the message shows. A message that was sent and cannot be
// recorded is remembered, so that it is not sent again while this process lives.
func (s *sender) done(ctx context.Context, e errand) (goOn bool) {
	e.card.Shows = e.view.Shows
	err := s.b.store.CardDone(ctx, e.card, e.began)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		delete(s.unrecorded, e.card.ID)
		return true
	}
	s.unrecorded[e.card.ID] = e.card
	l := s.lane(e.card.Chat)
	l.pause(s.b.now())
	s.b.lg.Error("a card could not be recorded", "comment", int64(e.card.Comment), "err", err)
	return false
}

// putOff handles a card that could not even be read.
func (s *sender) putOff(ctx context.Context, c postil.Card, err error) (goOn bool) {
	if isKind(err, postil.NotFound) { // it went together with its comment
		s.mu.Lock()
		delete(s.again, want{c.Comment, c.Chat})
		s.mu.Unlock()
	} else {
		s.b.lg.Error("a card could not be made", "comment", int64(c.Comment), "err", err)
	}
	s.failed(ctx, c, "the comment could not be read", s.b.now().Add(doubled(firstPause*5, c.Attempts+1, longestChat)))
	return true
}

// failed records why a card was not delivered and when it is due again. When
// even that fails, its chat has a pause, lest the card be tried without end.
func (s *sender) failed(ctx context.Context, c postil.Card, problem string, retry time.Time) {
	err := s.b.store.CardFailed(ctx, c, problem, retry)
	if err == nil {
		return
	}
	s.b.lg.Error("the failure of a card could not be recorded", "comment", int64(c.Comment), "err", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lane(c.Chat).pause(s.b.now())
}

func (s *sender) chatState(ctx context.Context, c postil.Chat) {
	if err := s.b.store.ChatState(ctx, c); err != nil {
		s.b.lg.Error("the state of a chat could not be recorded", "chat", c.ID, "err", err)
	}
}
