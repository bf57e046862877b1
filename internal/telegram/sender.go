package telegram

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/postil/postil/internal/postil"
)

// sender brings due cards to their chats. The store says what is due; here is
// only what a restart may forget: how fast a chat may be written to, and until
// when it must be left alone.
type sender struct {
	b     *Bot
	awake chan struct{}

	mu         sync.Mutex
	lanes      map[int64]*lane
	again      map[want]bool         // cards that somebody wants to have once more, at the end of the chat
	unrecorded map[int64]postil.Card // sent, but the store could not take it down yet
	running    sync.WaitGroup
}

type want struct {
	comment postil.CommentID
	chat    int64
}

func newSender(b *Bot) *sender {
	return &sender{b: b, awake: make(chan struct{}, 1), lanes: map[int64]*lane{}, again: map[want]bool{}, unrecorded: map[int64]postil.Card{}}
}

func (s *sender) wake() {
	select {
	case s.awake <- struct{}{}:
	default: // it will look anyway
	}
}

// idle is the longest time without a look: the net below the wake-ups.
const idle = 30 * time.Second

func (s *sender) run(ctx context.Context) error {
	defer s.running.Wait()
	if err := s.recall(ctx); err != nil {
		s.b.lg.Warn("the trouble of chats could not be read", "err", err)
	}
	for ctx.Err() == nil {
		wait := s.pass(ctx)
		select {
		case <-ctx.Done():
		case <-s.awake:
		case <-s.b.after(wait):
		}
	}
	return nil
}

// recall closes the lanes of chats that could not be reached before a restart.
func (s *sender) recall(ctx context.Context) error {
	chats, err := s.b.store.Chats(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range chats {
		if !c.RetryAt.IsZero() {
			l := s.lane(c.ID)
			l.until, l.failures, l.problem = c.RetryAt, c.Failures, c.Problem
		}
	}
	return nil
}

// lane returns the lane of a chat; the caller holds the lock.
func (s *sender) lane(chat int64) *lane {
	l := s.lanes[chat]
	if l == nil {
		l = newLane(chat)
		s.lanes[chat] = l
	}
	return l
}

// pass starts what can be done now and returns how long nothing else will come
// up by itself.
func (s *sender) pass(ctx context.Context) time.Duration {
	busy := s.busy()
	cards, err := s.due(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.b.lg.Error("due cards could not be read", "err", err)
		}
		return longestPause
	}
	byChat := map[int64][]postil.Card{}
	for _, c := range cards {
		byChat[c.Chat] = append(byChat[c.Chat], c)
	}
	now, wait := s.b.now(), idle
	if next, err := s.b.store.NextCardDue(ctx); err == nil && next.After(now) {
		wait = min(wait, next.Sub(now))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for chat, list := range byChat {
		l := s.lane(chat)
		switch {
		case busy[chat]: // it wakes us at its end
		case l.until.After(now):
			wait = min(wait, l.until.Sub(now))
		default:
			l.busy = true
			slices.SortFunc(list, ahead)
			s.running.Go(func() { s.drive(ctx, l, list) })
		}
	}
	return max(wait, time.Millisecond)
}

// busy returns the chats that are being written to. It is asked before the due
// cards are read: a list that was read while a lane worked still holds the
// cards that the lane has sent since.
func (s *sender) busy() map[int64]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	chats := map[int64]bool{}
	for chat, l := range s.lanes {
		if l.busy {
			chats[chat] = true
		}
	}
	return chats
}

// due returns all due cards. A chat with a long backlog must not hide the edits
// of another, so there is no small limit.
func (s *sender) due(ctx context.Context) (cards []postil.Card, err error) {
	for limit := 500; ; limit *= 8 {
		cards, err = s.b.store.DueCards(ctx, limit)
		if err != nil || len(cards) < limit || limit > 100_000 {
			return cards, err
		}
	}
}

// drive delivers cards to one chat until they are done, the chat has had enough
// or it is time to look for edits again.
func (s *sender) drive(ctx context.Context, l *lane, cards []postil.Card) {
	defer s.wake()
	defer func() {
		s.mu.Lock()
		l.busy = false
		s.mu.Unlock()
	}()
	fresh := 0
	for _, c := range cards {
		if ctx.Err() != nil || fresh == turn {
			return
		}
		if c.Message == 0 {
			fresh++
		}
		if !s.guarded(ctx, l, c) {
			return
		}
	}
}

// guarded delivers a card; one that makes the program panic is put off, so that
// it does not stop the others.
func (s *sender) guarded(ctx context.Context, l *lane, c postil.Card) (goOn bool) {
	defer func() {
		if r := recover(); r != nil {
			s.b.lg.Error("a card made the desk panic", "comment", int64(c.Comment), "panic", r)
			s.failed(ctx, c, "it made the program fail", s.b.now().Add(longestChat))
			goOn = true
		}
	}()
	return s.deliver(ctx, l, c)
}

// trouble says what is wrong with delivery now, "" for nothing.
func (s *sender) trouble() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var problems []string
	for _, l := range s.lanes {
		if l.failures == 0 { // chats out of reach are reported from the store
			problems = append(problems, l.problem)
		}
	}
	slices.Sort(problems)
	return joined(problems)
}

// reachable opens the lane of a chat that somebody wrote in.
func (s *sender) reachable(ctx context.Context, chat int64) {
	s.mu.Lock()
	l := s.lanes[chat]
	lost := l != nil && l.failures > 0
	if lost {
		l.thrive()
		l.until = time.Time{}
	}
	s.mu.Unlock()
	if !lost {
		return
	}
	if err := s.b.store.ChatState(ctx, postil.Chat{ID: chat}); err != nil {
		s.b.lg.Warn("the end of a chat's trouble could not be stored", "chat", chat, "err", err)
	}
	s.wake()
}

// once sends a card to a chat again, whether or not it is there.
func (s *sender) once(ctx context.Context, comment postil.CommentID, chat int64) error {
	s.mu.Lock()
	s.again[want{comment, chat}] = true
	s.mu.Unlock()
	if err := s.b.store.WantCard(ctx, comment, []int64{chat}); err != nil {
		return err
	}
	s.wake()
	return nil
}
