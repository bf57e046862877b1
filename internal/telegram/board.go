package telegram

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/words"
)

// How many comments of a burst are named in a digest.
const (
	honestShown = 8
	spammyShown = 3
	boardUnits  = 110 // of an excerpt in it
)

// digest is what a board says.
type digest struct {
	HTML  string
	Keys  [][]button
	Shows string
	UpTo  int64 // the last card that it stands for
	Sites []postil.SiteID
}

// pile sorts what stands on a board.
type pile struct {
	total          int
	honest, spammy []postil.BoardItem // what still waits here, as it came
	upTo           int64
	sites          []postil.SiteID
}

func sorted(items []postil.BoardItem) (p pile) {
	p.total = len(items)
	for _, it := range items {
		p.upTo = max(p.upTo, it.Card)
		if !slices.Contains(p.sites, it.Comment.Site) {
			p.sites = append(p.sites, it.Comment.Site)
		}
		switch {
		case it.Apart || !it.Open:
		case spamLike(it):
			p.spammy = append(p.spammy, it)
		default:
			p.honest = append(p.honest, it)
		}
	}
	return p
}

// spamLike reports whether a comment counts among those that look like spam.
// An edit of what readers see never does: rejecting it is another question.
func spamLike(it postil.BoardItem) bool {
	return it.Comment.Status == postil.Pending && postil.LooksLikeSpam(it.Comment)
}

// digestOf says how a burst stands: what looks honest first.
func digestOf(b postil.Board, items []postil.BoardItem, say words.Speech) digest {
	p := sorted(items)
	var out page
	head := say.Count("board.new", p.total)
	if n := countSpam(items); n > 0 {
		head += ": " + say.Count("board.spam", n)
	} else {
		head += ": " + say.Say("board.no-spam")
	}
	out.in("b", "📬 "+head)
	out.named("board.honest", p.honest, honestShown, say)
	out.named("board.spammy", p.spammy, spammyShown, say)
	out.text("\n\n" + state(b, items, p, say))
	d := digest{HTML: out.out.String(), UpTo: p.upTo, Sites: p.sites}
	d.Keys = boardKeys(b, p, say)
	keys, _ := json.Marshal(d.Keys)
	sum := sha256.Sum256([]byte(d.HTML + "\x00" + string(keys)))
	d.Shows = base64.RawURLEncoding.EncodeToString(sum[:12])
	return d
}

func countSpam(items []postil.BoardItem) (n int) {
	for _, it := range items {
		if postil.LooksLikeSpam(it.Comment) {
			n++
		}
	}
	return n
}

// named lists the first of some comments under a title.
func (p *page) named(key string, items []postil.BoardItem, most int, say words.Speech) {
	if len(items) == 0 {
		return
	}
	p.text("\n\n" + say.Say(key))
	for _, it := range items[:min(len(items), most)] {
		p.text("\n• ")
		p.in("b", line(it.Comment.Author.Name, 40))
		p.text(": " + line(markup.Excerpt(it.Comment.Text, boardUnits), boardUnits))
	}
	if rest := len(items) - most; rest > 0 {
		p.text("\n" + say.Count("board.more", rest))
	}
}

// state says what is left and what was done with the rest.
func state(b postil.Board, items []postil.BoardItem, p pile, say words.Speech) string {
	var parts []string
	if n := len(p.honest) + len(p.spammy); n > 0 {
		parts = append(parts, say.Count("board.waiting", n))
	}
	counts := map[postil.Status]int{}
	for _, it := range items {
		if !it.Open {
			counts[it.Comment.Status]++
		}
	}
	for _, s := range []postil.Status{postil.Approved, postil.Rejected, postil.Spam, postil.Deleted} {
		if counts[s] > 0 {
			parts = append(parts, strings.TrimSpace(signs[s])+" "+say.Count("stats."+string(s), counts[s]))
		}
	}
	if len(parts) == 0 {
		return say.Say("board.done")
	}
	return strings.Join(parts, " · ")
}

func boardKeys(b postil.Board, p pile, say words.Speech) (keys [][]button) {
	key := func(label string, does action) button {
		return button{label, boardPress{does, b.ID, p.upTo, len(p.spammy), nonceOf(b)}.data()}
	}
	var row []button
	if n := len(p.spammy); n > 0 {
		row = append(row, key("🗑 "+say.Count("button.spam-all", n), spamAll))
	}
	if len(p.honest)+len(p.spammy) > 0 {
		row = append(row, key("👀 "+say.Say("button.one-by-one"), walk))
	}
	if len(row) > 0 {
		keys = append(keys, row)
	}
	if b.Batch != "" && !b.Undone {
		keys = append(keys, []button{key("↩️ "+say.Say("button.undo"), undoAll)})
	}
	return keys
}

// What the buttons of a board do.
const (
	spamAll action = 'S'
	walk    action = 'W'
	undoAll action = 'U'
)

// boardPress is what a button of a board carries: what its message showed, so
// that nothing is decided that nobody has seen.
type boardPress struct {
	does  action
	board int64
	upTo  int64 // the last card that the message stood for
	count int   // how many of them looked like spam
	nonce string
}

func (p boardPress) data() string {
	return strings.Join([]string{"b", string(p.does), strconv.FormatInt(p.board, 36), strconv.FormatInt(p.upTo, 36), strconv.Itoa(p.count), p.nonce}, ":")
}

// nonceOf changes with each bulk decision on a board.
func nonceOf(b postil.Board) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %t", b.Batch, b.Undone))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// parseBoardPress reads what data wrote. Everything else is refused.
func parseBoardPress(s string) (p boardPress, err error) {
	parts := strings.Split(s, ":")
	if len(s) > 64 || len(parts) != 6 || parts[0] != "b" || len(parts[1]) != 1 || !strings.Contains("SWU", parts[1]) {
		return p, errPress
	}
	p.does, p.nonce = action(parts[1][0]), parts[5]
	p.board, err = strconv.ParseInt(parts[2], 36, 64)
	if err == nil {
		p.upTo, err = strconv.ParseInt(parts[3], 36, 64)
	}
	if err == nil {
		p.count, err = strconv.Atoi(parts[4])
	}
	if err != nil || p.board < 1 || p.upTo < 0 || p.count < 0 || p.data() != s {
		return boardPress{}, errPress
	}
	return p, nil
}

// bring brings one board up to date; goOn reports whether the chat takes more.
func (s *sender) bring(ctx context.Context, l *lane, b postil.Board) (goOn bool) {
	ctx, cancel := unhurried(ctx, callTime*3)
	defer cancel()
	began := s.b.now().Add(-time.Millisecond)
	items, err := s.b.store.BoardItems(ctx, b.ID)
	if err != nil {
		s.b.lg.Error("a digest could not be made", "board", b.ID, "err", err)
		s.boardFailed(ctx, b, "the comments could not be read", s.b.now().Add(firstPause*5))
		return true
	}
	s.mu.Lock()
	if sent, ok := s.boards[b.ID]; ok {
		b.Message, b.Shows = sent.Message, sent.Shows
	}
	s.mu.Unlock()
	d := digestOf(b, items, s.b.speech(b.Chat))
	send, fresh := s.boardErrand(b, d, items)
	switch {
	case send == nil:
	case fresh && !s.admitted(l):
		return false
	default:
		if err := send(ctx, &b); err != nil {
			return s.boardRefused(ctx, l, b, err)
		}
		s.thriving(ctx, l, b.Chat)
	}
	b.Shows = d.Shows
	return s.boardDone(ctx, b, d.UpTo, began)
}

// boardErrand says what there is to do about a board, nil for nothing; fresh
// when that is a new message.
func (s *sender) boardErrand(b postil.Board, d digest, items []postil.BoardItem) (send func(context.Context, *postil.Board) error, fresh bool) {
	l := letter{chat: b.Chat, text: d.HTML, keys: d.Keys, thread: s.b.threadOf(b.Chat, d.Sites...)}
	post := func(ctx context.Context, b *postil.Board) error {
		id, err := s.b.api.send(ctx, l)
		b.Message = id
		return err
	}
	switch {
	case b.Message == 0 && !slices.ContainsFunc(items, func(it postil.BoardItem) bool { return it.Open && !it.Apart }):
		return nil, false // decided before anybody was asked
	case b.Message == 0:
		return post, true
	case b.Shows == d.Shows:
		return nil, false
	}
	return func(ctx context.Context, b *postil.Board) error {
		err := s.b.api.edit(ctx, b.Message, l)
		if classOf(err) != messageGone {
			return err
		}
		return post(ctx, b)
	}, false
}

// boardDone records what a board shows; one that cannot be recorded is
// remembered, so that it is not sent again while this process lives.
func (s *sender) boardDone(ctx context.Context, b postil.Board, upTo int64, began time.Time) (goOn bool) {
	err := s.b.store.BoardDone(ctx, b, upTo, began)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		delete(s.boards, b.ID)
		return true
	}
	s.boards[b.ID] = b
	s.lane(b.Chat).pause(s.b.now())
	s.b.lg.Error("a digest could not be recorded", "board", b.ID, "err", err)
	return false
}

func (s *sender) boardRefused(ctx context.Context, l *lane, b postil.Board, err error) (goOn bool) {
	return s.refuse(ctx, l, b.Chat, err, b.Attempts, func(problem string, retry time.Time) { s.boardFailed(ctx, b, problem, retry) })
}

func (s *sender) boardFailed(ctx context.Context, b postil.Board, problem string, retry time.Time) {
	if err := s.b.store.BoardFailed(ctx, b.ID, problem, retry); err != nil {
		s.b.lg.Error("the failure of a digest could not be recorded", "board", b.ID, "err", err)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lane(b.Chat).pause(s.b.now())
	}
}
