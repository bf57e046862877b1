package telegram

import (
	"context"
	"sync/atomic"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
	"golang.org/x/sync/errgroup"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/words"
)

// atOnce is how many decisions of one bulk press are written together.
const atOnce = 32

// pressedBoard deals with a button of a digest.
func (b *Bot) pressedBoard(ctx context.Context, q *tgbotapi.CallbackQuery, m person, p boardPress, say words.Speech) {
	board, err := b.store.Board(ctx, p.board)
	switch {
	case isKind(err, postil.NotFound):
		b.answer(ctx, q, say.Say("press.gone"), true)
		return
	case err != nil:
		b.answer(ctx, q, b.sorry(err, say), true)
		return
	}
	items, err := b.store.BoardItems(ctx, p.board)
	if err != nil {
		b.answer(ctx, q, b.sorry(err, say), true)
		return
	}
	batch := "telegram-" + q.ID // the same when Telegram delivers the press again
	if p.does != walk && p.nonce != nonceOf(board) && board.Batch != batch {
		b.answer(ctx, q, say.Say("board.old"), true)
		b.rewrite(ctx, board)
		return
	}
	switch p.does {
	case walk:
		b.answer(ctx, q, b.startWalk(ctx, board, items, m, say), false)
	case spamAll:
		b.answer(ctx, q, b.spamAll(ctx, board, items, p, m, batch, say), true)
	case undoAll:
		b.answer(ctx, q, b.undoAll(ctx, board, m, batch, say), true)
	}
	b.Wake()
}

// rewrite makes a board due.
func (b *Bot) rewrite(ctx context.Context, board postil.Board) {
	if err := b.store.SetBoard(ctx, board); err != nil {
		b.lg.Warn("a digest could not be made due", "board", board.ID, "err", err)
	}
	b.Wake()
}

// spamAll marks what the message said looks like spam: no more than that, and
// nothing that changed since.
func (b *Bot) spamAll(ctx context.Context, board postil.Board, items []postil.BoardItem, p boardPress, m person, batch string, say words.Speech) string {
	if board.Batch == batch && board.Undone {
		return say.Say("did.undone-before")
	}
	var these []postil.BoardItem
	for _, it := range sorted(items).spammy {
		if it.Card <= p.upTo && m.may(it.Comment.Site) {
			these = append(these, it)
		}
	}
	if len(these) == 0 && board.Batch != batch {
		return say.Say("board.empty")
	}
	board.Batch, board.Undone = batch, false
	if err := b.store.SetBoard(ctx, board); err != nil { // before: whoever comes after a crash knows what to take back
		return b.sorry(err, say)
	}
	done, left := b.each(len(these), func(i int) bool {
		c := these[i].Comment
		out, err := b.desk.Decide(ctx, postil.DecisionRequest{Comment: c.ID, Verb: postil.MarkSpam, By: m.by, Batch: batch, Expect: postil.Pending, Revision: c.Revision})
		b.settled(ctx, c.ID, err)
		return err == nil && out.Changed
	})
	b.rewrite(ctx, board)
	return summed(say, "🗑 "+say.Count("board.did", done), left)
}

// undoAll takes the last bulk decision of a board back, as one.
func (b *Bot) undoAll(ctx context.Context, board postil.Board, m person, batch string, say words.Speech) string {
	taken, err := b.store.Batch(ctx, board.Batch)
	if err != nil {
		return b.sorry(err, say)
	}
	var mine []postil.Decision
	for _, d := range taken {
		if m.may(d.Site) {
			mine = append(mine, d)
		}
	}
	done, left := b.each(len(mine), func(i int) bool {
		out, err := b.desk.Undo(ctx, mine[i].ID, m.by, batch)
		b.settled(ctx, mine[i].Comment, err)
		return err == nil && out.Changed
	})
	board.Undone = true
	b.rewrite(ctx, board)
	return summed(say, "↩️ "+say.Count("board.undid", done), left)
}

// each calls f for 0 to n-1, many at a time, and counts what it did.
func (b *Bot) each(n int, f func(i int) bool) (done, left int) {
	var did atomic.Int64
	var g errgroup.Group
	g.SetLimit(atOnce)
	for i := range n {
		g.Go(func() error {
			if f(i) {
				did.Add(1)
			}
			return nil
		})
	}
	_ = g.Wait()
	return int(did.Load()), n - int(did.Load())
}

// settled makes the cards of a comment due that a bulk press concerned.
func (b *Bot) settled(ctx context.Context, id postil.CommentID, err error) {
	if err != nil && !isKind(err, postil.Conflict) && !isKind(err, postil.NotFound) {
		b.lg.Error("a decision of a bulk press failed", "comment", int64(id), "err", err)
	}
	if _, err := b.store.RefreshCards(ctx, id); err != nil {
		b.lg.Warn("the cards of a comment could not be made due", "comment", int64(id), "err", err)
	}
}

func summed(say words.Speech, did string, left int) string {
	if left > 0 {
		did += ". " + say.Count("board.skipped", left)
	}
	return did
}

// startWalk begins to show the comments of a board one by one.
func (b *Bot) startWalk(ctx context.Context, board postil.Board, items []postil.BoardItem, m person, say words.Speech) string {
	board.Walking = true
	if err := b.store.SetBoard(ctx, board); err != nil {
		return b.sorry(err, say)
	}
	shown, err := b.showNext(ctx, board, items, m)
	switch {
	case err != nil:
		return b.sorry(err, say)
	case !shown:
		return say.Say("board.empty")
	}
	return say.Say("press.card-comes")
}

// showNext gives the next comment of a board a card of its own: first what
// looks honest, in the order in which it came.
func (b *Bot) showNext(ctx context.Context, board postil.Board, items []postil.BoardItem, m person) (shown bool, err error) {
	p := sorted(items)
	for _, it := range append(p.honest, p.spammy...) {
		if !m.may(it.Comment.Site) {
			continue
		}
		if err := b.store.ShowApart(ctx, board.ID, it.Card); err != nil {
			return false, err
		}
		b.Wake()
		return true, nil
	}
	return false, nil
}

// advance shows the next comment of a burst after one of them was decided.
func (b *Bot) advance(ctx context.Context, chat int64, p press) {
	if _, decides := verbs[p.does]; !decides {
		return
	}
	board, err := b.store.LastBoard(ctx, chat)
	if err != nil || !board.Walking {
		return
	}
	items, err := b.store.BoardItems(ctx, board.ID)
	if err != nil {
		return
	}
	mine := false
	for _, it := range items {
		if it.Apart && it.Open {
			return // one is being looked at
		}
		mine = mine || it.Apart && it.Comment.ID == p.comment
	}
	if !mine {
		return
	}
	shown, err := b.showNext(ctx, board, items, person{})
	if err != nil {
		b.lg.Warn("the next comment of a digest could not be shown", "board", board.ID, "err", err)
	}
	if err == nil && !shown {
		board.Walking = false
		b.rewrite(ctx, board)
	}
}
