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
	again      map[want]bool          // cards that somebody wants to have once more, at the end of the chat
	unrecorded map[int64]postil.Card  // sent, but the store could not take it down yet
	boards     map[int64]postil.Board // the same for digests
	unsent     map[int64]bool         // cards that Telegram has refused since they were noted as on their way
	adopted    map[want]int64         // messages that were pressed: cards, whether on record or not
	fellBack   map[int64]bool         // cards for which another chat was asked
	muted      map[int64]time.Time    // chats that take no new cards before
	moves      map[int64]int64        // groups that became supergroups
	shared     int64                  // the highest message id in private chats and plain groups, which count together
	running    sync.WaitGroup
}

type want struct {
	comment postil.CommentID
	chat    int64
}

func newSender(b *Bot) *sender {
	return &sender{b: b, awake: make(chan struct{}, 1), lanes: map[int64]*lane{}, again: map[want]bool{}, unrecorded: map[int64]postil.Card{},
		boards: map[int64]postil.Board{}, unsent: map[int64]bool{}, fellBack: map[int64]bool{}, adopted: map[want]int64{}, muted: map[int64]time.Time{}, moves: map[int64]int64{}}
}

// movedTo returns the supergroup that a group became, 0 for none.
func (s *sender) movedTo(chat int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moves[chat]
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

// recall takes up what is known of chats since before a restart: those that
// could not be reached, those that are muted, and digests that may be old news.
func (s *sender) recall(ctx context.Context) error {
	chats, err := s.b.store.Chats(ctx)
	if err != nil {
		return err
	}
	for _, c := range s.b.everyChat(chats) {
		if err := s.b.store.RecallBoards(ctx, c, s.b.now().Add(-boardMemory)); err != nil {
			return err
		}
	}
	s.b.recallLanguages(chats)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range chats {
		s.muted[c.ID] = c.MutedUntil
		if c.MovedTo != 0 {
			s.moves[c.ID] = c.MovedTo
		}
		if !c.RetryAt.IsZero() {
			l := s.lane(c.ID)
			l.until, l.failures, l.problem = c.RetryAt, c.Failures, c.Problem
		}
	}
	return nil
}

// boardMemory is how old a digest may be that is brought up to date at a start.
const boardMemory = 7 * 24 * time.Hour

// lane returns the lane of a chat; the caller holds the lock.
func (s *sender) lane(chat int64) *lane {
	l := s.lanes[chat]
	if l == nil {
		l = newLane(chat)
		s.lanes[chat] = l
	}
	return l
}

// load is what is due in one chat.
type load struct {
	cards  []postil.Card
	boards []postil.Board
	burst  []int64 // cards that go on a board first
}

// pass starts what can be done now and returns how long nothing else will come
// up by itself.
func (s *sender) pass(ctx context.Context) time.Duration {
	busy := s.busy()
	loads, err := s.loads(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.b.lg.Error("due cards could not be read", "err", err)
		}
		return longestPause
	}
	now, wait := s.b.now(), idle
	if next, err := s.b.store.NextCardDue(ctx); err == nil && next.After(now) {
		wait = min(wait, next.Sub(now))
	}
	stranded := s.start(ctx, loads, busy, now, &wait)
	s.fallBack(ctx, stranded)
	return max(wait, time.Millisecond)
}

// loads returns what is due by chat.
func (s *sender) loads(ctx context.Context) (map[int64]*load, error) {
	cards, err := s.due(ctx)
	if err != nil {
		return nil, err
	}
	boards, err := s.b.store.DueBoards(ctx)
	if err != nil {
		return nil, err
	}
	out := map[int64]*load{}
	of := func(chat int64) *load {
		if out[chat] == nil {
			out[chat] = &load{}
		}
		return out[chat]
	}
	for _, c := range cards {
		of(c.Chat).cards = append(of(c.Chat).cards, c)
	}
	for _, b := range boards {
		of(b.Chat).boards = append(of(b.Chat).boards, b)
	}
	return out, nil
}

// start begins to work through the loads of chats that are free, and returns
// the cards of chats that cannot be reached.
func (s *sender) start(ctx context.Context, loads map[int64]*load, busy map[int64]bool, now time.Time, wait *time.Duration) (stranded []postil.Card) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for chat, w := range loads {
		l := s.lane(chat)
		if !busy[chat] && l.until.After(now) && l.failures > 0 {
			stranded = append(stranded, w.cards...)
		}
		if until := s.muted[chat]; until.After(now) {
			*wait = min(*wait, until.Sub(now))
			s.quieten(w)
		}
		switch {
		case busy[chat]: // it wakes us at its end
		case l.until.After(now):
			*wait = min(*wait, l.until.Sub(now))
		case len(w.cards)+len(w.boards) > 0:
			l.busy = true
			slices.SortFunc(w.cards, ahead)
			s.flood(l, w, now)
			s.running.Go(func() { s.drive(ctx, chat, l, w) })
		}
	}
	return stranded
}

// quieten takes out of a load what would make a muted chat ring.
func (s *sender) quieten(w *load) {
	w.cards = slices.DeleteFunc(w.cards, func(c postil.Card) bool { return c.Message == 0 && !s.again[want{c.Comment, c.Chat}] })
	w.boards = slices.DeleteFunc(w.boards, func(b postil.Board) bool { return b.Message == 0 })
}

// flood marks the new cards of a load for a board when more than a moderator
// wants to hear one by one come in a minute.
func (s *sender) flood(l *lane, w *load, now time.Time) {
	if s.b.cfg.Wave <= 0 {
		return
	}
	l.recent = slices.DeleteFunc(l.recent, func(at time.Time) bool { return now.Sub(at) >= time.Minute })
	single := func(c postil.Card) bool {
		return c.Message == 0 && !c.Grouped && !c.Sending && !s.again[want{c.Comment, c.Chat}] && s.unrecorded[c.ID].Message == 0
	}
	for _, c := range w.cards {
		if single(c) {
			w.burst = append(w.burst, c.ID)
		}
	}
	if len(l.recent)+len(w.burst) <= s.b.cfg.Wave {
		w.burst = nil
		return
	}
	w.cards = slices.DeleteFunc(w.cards, single)
	for range w.burst {
		l.recent = append(l.recent, now)
	}
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

// drive delivers to one chat until all is done, the chat has had enough or it
// is time to look for edits again: edits first, then digests, then new cards.
func (s *sender) drive(ctx context.Context, chat int64, l *lane, w *load) {
	defer s.wake()
	defer func() {
		s.mu.Lock()
		l.busy = false
		s.mu.Unlock()
	}()
	if len(w.burst) > 0 {
		if err := s.b.store.Collect(ctx, chat, w.burst); err != nil {
			s.b.lg.Error("a burst could not be put into a digest", "chat", chat, "err", err)
		}
	}
	fresh := slices.IndexFunc(w.cards, func(c postil.Card) bool { return c.Message == 0 })
	if fresh < 0 {
		fresh = len(w.cards)
	}
	goOn := func(n int, deliver func(i int) bool) bool {
		for i := range n {
			if ctx.Err() != nil || !deliver(i) {
				return false
			}
		}
		return true
	}
	_ = goOn(fresh, func(i int) bool { return s.guarded(ctx, l, w.cards[i]) }) &&
		goOn(len(w.boards), func(i int) bool { return s.bring(ctx, l, w.boards[i]) }) &&
		goOn(min(turn, len(w.cards)-fresh), func(i int) bool { return s.guarded(ctx, l, w.cards[fresh+i]) })
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

// mute keeps new cards out of a chat until the given time.
func (s *sender) mute(ctx context.Context, chat int64, until time.Time) error {
	if err := s.b.store.MuteChat(ctx, chat, until); err != nil {
		return err
	}
	s.mu.Lock()
	s.muted[chat] = until
	s.mu.Unlock()
	s.wake()
	return nil
}
