package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/postil/postil/internal/postil"
)

const (
	boardLife = 10 * time.Minute // a board that has not grown for so long takes no more
	boardMost = 200              // comments on one board
	boardPace = 3 * time.Second  // between two edits because it grew
)

const boardColumns = "b.board_id, b.chat_id, b.message_id, b.shows, b.batch, b.undone, b.walking, b.attempts, b.created_at, b.grown_at"

func scanBoard(r scanner) (b postil.Board, err error) {
	var created, grown sql.NullInt64
	err = r.Scan(&b.ID, &b.Chat, &b.Message, &b.Shows, &b.Batch, &b.Undone, &b.Walking, &b.Attempts, &created, &grown)
	b.Created, b.Grown = when(created), when(grown)
	return b, err
}

// Collect puts cards that were not sent yet on the latest board of a chat, or
// on a new one when that is old or full. They are due no more, the board is.
func (s *Store) Collect(ctx context.Context, chat int64, cards []int64) error {
	return s.Write(ctx, func(tx *Tx) error {
		board, err := tx.openBoard(chat)
		if err != nil {
			return err
		}
		for _, id := range cards {
			n, err := tx.exec(`INSERT INTO board_cards (card_id, board_id) SELECT card_id, ? FROM cards
				WHERE card_id = ? AND chat_id = ? AND message_id = 0 AND due_at IS NOT NULL ON CONFLICT (card_id) DO NOTHING`, board, id, chat)
			if err != nil {
				return err
			}
			if n == 0 {
				continue // sent or shown apart meanwhile
			}
			if _, err := tx.exec("UPDATE cards SET due_at = NULL, attempts = 0, problem = '' WHERE card_id = ?", id); err != nil {
				return err
			}
		}
		_, err = tx.exec("UPDATE boards SET grown_at = ?, due_at = coalesce(due_at, iif(message_id = 0, ?, ?)) WHERE board_id = ?",
			millis(tx.now), millis(tx.now), millis(tx.now.Add(boardPace)), board)
		return err
	})
}

func (tx *Tx) openBoard(chat int64) (int64, error) {
	id, ok, err := one(context.Background(), tx, column[int64], `SELECT b.board_id FROM boards b WHERE b.board_id = (SELECT max(o.board_id) FROM boards o WHERE o.chat_id = ?)
		AND b.grown_at > ? AND (SELECT count(*) FROM board_cards m WHERE m.board_id = b.board_id) < ?`, chat, millis(tx.now.Add(-boardLife)), boardMost)
	if err != nil || ok {
		return id, err
	}
	return tx.insert("INSERT INTO boards (chat_id, due_at, created_at, grown_at) VALUES (?, ?, ?, ?)", chat, millis(tx.now), millis(tx.now), millis(tx.now))
}

// refreshBoards makes the boards due that stand for a comment.
func (tx *Tx) refreshBoards(comment postil.CommentID) error {
	_, err := tx.exec(`UPDATE boards SET due_at = ? WHERE board_id IN
		(SELECT m.board_id FROM cards k JOIN board_cards m ON m.card_id = k.card_id WHERE k.comment_id = ?)`, millis(tx.now), int64(comment))
	return err
}

// RecallBoards makes boards of the time since due, so that what happened while
// nobody listened is shown.
func (s *Store) RecallBoards(ctx context.Context, chat int64, since time.Time) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("UPDATE boards SET due_at = coalesce(due_at, ?) WHERE chat_id = ? AND board_id > (SELECT coalesce(max(board_id), 0) FROM boards) - 50 AND grown_at > ?",
			millis(tx.now), chat, millis(since))
		return err
	})
}

// DueBoards returns the boards that must be sent or brought up to date by now.
func (s *Store) DueBoards(ctx context.Context) ([]postil.Board, error) {
	return list(ctx, s, scanBoard, "SELECT "+boardColumns+" FROM boards b WHERE b.due_at IS NOT NULL AND b.due_at <= ? ORDER BY b.due_at LIMIT 100", millis(s.Now(ctx)))
}

// Board returns a board, NotFound when there is none.
func (s *Store) Board(ctx context.Context, id int64) (postil.Board, error) {
	b, ok, err := one(ctx, s, scanBoard, "SELECT "+boardColumns+" FROM boards b WHERE b.board_id = ?", id)
	if err == nil && !ok {
		err = postil.Missing()
	}
	return b, err
}

// LastBoard returns the latest board of a chat, the zero value for none.
func (s *Store) LastBoard(ctx context.Context, chat int64) (postil.Board, error) {
	b, _, err := one(ctx, s, scanBoard, "SELECT "+boardColumns+" FROM boards b WHERE b.chat_id = ? ORDER BY b.board_id DESC LIMIT 1", chat)
	return b, err
}

// BoardItems returns the comments on a board in the order in which they came.
func (s *Store) BoardItems(ctx context.Context, board int64) ([]postil.BoardItem, error) {
	return list(ctx, s, func(r scanner) (v postil.BoardItem, err error) {
		v.Comment, err = scanComment(tail{r, []any{&v.Card, &v.Apart, &v.Open}})
		return v, err
	}, "SELECT "+commentColumns+`, k.card_id, m.apart, EXISTS (SELECT 1 FROM reviews r WHERE r.comment_id = c.comment_id AND r.state = 'open')
		FROM board_cards m CROSS JOIN cards k ON k.card_id = m.card_id CROSS JOIN comments c ON c.comment_id = k.comment_id
		WHERE m.board_id = ? ORDER BY m.card_id`, board)
}

// BoardDone records what a board shows after it was sent or edited, and that
// the comments up to the given card have been announced. It stays due when it
// became due again after the time of the work.
func (s *Store) BoardDone(ctx context.Context, b postil.Board, upTo int64, began time.Time) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("UPDATE boards SET message_id = ?, shows = ?, attempts = 0, problem = '', due_at = CASE WHEN due_at > ? THEN due_at END WHERE board_id = ?",
			b.Message, b.Shows, millis(began), b.ID)
		if err != nil {
			return err
		}
		_, err = tx.exec(`UPDATE reviews SET announced_at = ? WHERE announced_at IS NULL AND comment_id IN
			(SELECT k.comment_id FROM board_cards m JOIN cards k ON k.card_id = m.card_id WHERE m.board_id = ? AND m.card_id <= ?)`, millis(tx.now), b.ID, upTo)
		return err
	})
}

// BoardFailed records why a board could not be delivered and when to try again.
func (s *Store) BoardFailed(ctx context.Context, id int64, problem string, retry time.Time) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("UPDATE boards SET attempts = attempts + 1, problem = ?, due_at = ? WHERE board_id = ?", problem, millis(retry), id)
		return err
	})
}

// SetBoard stores what a press on a board decided: Batch, Undone and Walking.
// The board is due afterwards.
func (s *Store) SetBoard(ctx context.Context, b postil.Board) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("UPDATE boards SET batch = ?, undone = ?, walking = ?, due_at = ? WHERE board_id = ?", b.Batch, b.Undone, b.Walking, millis(tx.now), b.ID)
		return err
	})
}

// ShowApart gives a comment of a board a card of its own, which is due now.
func (s *Store) ShowApart(ctx context.Context, board, card int64) error {
	return s.Write(ctx, func(tx *Tx) error {
		if _, err := tx.exec("UPDATE board_cards SET apart = 1 WHERE card_id = ? AND board_id = ?", card, board); err != nil {
			return err
		}
		if _, err := tx.exec("UPDATE cards SET due_at = ? WHERE card_id = ?", millis(tx.now), card); err != nil {
			return err
		}
		_, err := tx.exec("UPDATE boards SET due_at = ? WHERE board_id = ?", millis(tx.now), board)
		return err
	})
}
