package telegram

import (
	"context"
	"time"

	"github.com/postil/postil/internal/postil"
)

// unauthorisedPause is how long a wrong token is left alone.
const unauthorisedPause = time.Minute

// refused deals with a failed delivery of a card.
func (s *sender) refused(ctx context.Context, l *lane, e errand, err error) (goOn bool) {
	return s.refuse(ctx, l, e.card.Chat, err, e.card.Attempts, func(problem string, retry time.Time) { s.failed(ctx, e.card, problem, retry) })
}

// refuse deals with a failed delivery and reports whether the chat takes more.
// What is not at fault stays due as it is and keeps its place; its lane is
// closed instead.
func (s *sender) refuse(ctx context.Context, l *lane, chat int64, err error, attempts int, failed func(problem string, retry time.Time)) (goOn bool) {
	f, now := faultOf(err), s.b.now()
	switch f.class {
	case later:
		s.wait(l, f, now)
	case chatGone:
		s.lost(ctx, l, chat, f, now)
	case moved:
		if f.to == 0 {
			s.lost(ctx, l, chat, f, now)
			break
		}
		s.follow(ctx, chat, f.to)
		return false
	case unauthorised:
		s.closed(l, now.Add(unauthorisedPause), f)
	default:
		s.b.lg.Error("Telegram refuses a message", "chat", chat, "problem", f.text)
		failed(f.text, now.Add(doubled(chatPause, attempts+1, longestChat)))
		return true
	}
	if f.after == 0 { // to be told to go slowly is no failure
		failed(f.text, now)
	}
	return false
}

// wait closes a lane as long as Telegram asks, else for longer and longer.
func (s *sender) wait(l *lane, f *fault, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.after > 0 {
		l.close(now.Add(f.after))
		return
	}
	if l.problem == "" {
		s.b.lg.Warn("cards wait", "problem", f.text)
	}
	l.problem = f.text
	l.pause(now)
}

func (s *sender) closed(l *lane, until time.Time, f *fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.problem == "" {
		s.b.lg.Error("cards wait", "problem", f.text)
	}
	l.problem = f.text
	l.close(until)
}

// lost notes that nothing reaches a chat: its comments stay pending, and
// operators are told.
func (s *sender) lost(ctx context.Context, l *lane, chat int64, f *fault, now time.Time) {
	s.mu.Lock()
	l.failures++
	l.problem = f.text
	retry := now.Add(doubled(chatPause, l.failures, longestChat))
	l.close(retry)
	state := postil.Chat{ID: chat, Problem: f.text, Failures: l.failures, RetryAt: retry}
	s.mu.Unlock()
	if state.Failures == 1 {
		s.b.lg.Warn("a chat cannot be reached; its comments wait", "chat", chat, "problem", f.text)
	}
	s.chatState(ctx, state)
}

// follow moves the cards of a group to the supergroup that it became.
func (s *sender) follow(ctx context.Context, from, to int64) {
	if err := s.b.store.MoveCards(ctx, from, to); err != nil {
		s.b.lg.Error("cards could not follow a group that became a supergroup", "chat", from, "err", err)
		return
	}
	s.b.lg.Info("a group became a supergroup; its cards follow", "chat", from, "to", to)
	s.mu.Lock()
	for w := range s.again {
		if w.chat == from {
			delete(s.again, w)
			s.again[want{w.comment, to}] = true
		}
	}
	delete(s.lanes, from)
	s.moves[from] = to
	s.mu.Unlock()
	s.wake()
}
