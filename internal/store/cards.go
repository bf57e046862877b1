package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/postil/postil/internal/postil"
)

const cardColumns = `k.card_id, k.comment_id, k.chat_id, k.message_id, k.shows, k.attempts, k.problem, k.final, k.sent_at, k.sending, k.stood_in,
	EXISTS (SELECT 1 FROM board_cards b WHERE b.card_id = k.card_id)`

func scanCard(r scanner) (c postil.Card, err error) {
	var sent, sending, stood sql.NullInt64
	err = r.Scan(&c.ID, &c.Comment, &c.Chat, &c.Message, &c.Shows, &c.Attempts, &c.Problem, &c.Final, &sent, &sending, &stood, &c.Grouped)
	c.Sent, c.Sending, c.After, c.StoodIn = when(sent), sending.Valid, sending.Int64, stood.Int64
	return c, err
}

// WantCard makes sure that a chat has a card for a comment and that it is due.
// A comment that stands on a board of the chat stays there, and the board is due.
func (s *Store) WantCard(ctx context.Context, comment postil.CommentID, chats []int64) error {
	return s.Write(ctx, func(tx *Tx) error {
		for _, chat := range chats {
			_, err := tx.exec(`INSERT INTO cards (comment_id, chat_id, due_at) VALUES (?, ?, ?)
				ON CONFLICT (comment_id, chat_id) DO UPDATE SET due_at = excluded.due_at`+notOnBoard, int64(comment), chat, millis(tx.now))
			if err != nil {
				return err
			}
		}
		return tx.refreshBoards(comment)
	})
}

// notOnBoard leaves out cards that a board stands for.
const notOnBoard = ` WHERE NOT EXISTS (SELECT 1 FROM board_cards b WHERE b.card_id = cards.card_id AND b.apart = 0)`

// RefreshCards makes every card of a comment due, so that it is brought up to
// date, and the boards that stand for it. Cards that were never sent stay due
// for sending.
func (s *Store) RefreshCards(ctx context.Context, comment postil.CommentID) (cards int64, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		cards, err = tx.exec("UPDATE cards SET due_at = ?"+notOnBoard+" AND comment_id = ?", millis(tx.now), int64(comment))
		if err != nil {
			return err
		}
		return tx.refreshBoards(comment)
	})
	return cards, err
}

// DueCards returns cards that must be sent or brought up to date by now, those
// that wait longest first.
func (s *Store) DueCards(ctx context.Context, limit int) ([]postil.Card, error) {
	return list(ctx, s, scanCard, "SELECT "+cardColumns+" FROM cards k WHERE k.due_at IS NOT NULL AND k.due_at <= ? ORDER BY k.due_at, k.card_id LIMIT ?",
		millis(s.Now(ctx)), limit)
}

// NextCardDue returns when the next card or board is due, the zero time for none.
func (s *Store) NextCardDue(ctx context.Context) (time.Time, error) {
	at, _, err := one(ctx, s, column[sql.NullInt64], "SELECT min(due_at) FROM cards WHERE due_at IS NOT NULL")
	if err != nil {
		return time.Time{}, err
	}
	board, _, err := one(ctx, s, column[sql.NullInt64], "SELECT min(due_at) FROM boards WHERE due_at IS NOT NULL")
	if board.Valid && (!at.Valid || board.Int64 < at.Int64) {
		at = board
	}
	return when(at), err
}

// CardsOf returns the cards of a comment.
func (s *Store) CardsOf(ctx context.Context, comment postil.CommentID) ([]postil.Card, error) {
	return list(ctx, s, scanCard, "SELECT "+cardColumns+" FROM cards k WHERE k.comment_id = ? ORDER BY k.chat_id", int64(comment))
}

// CardByMessage returns the card that a message in a chat is, NotFound when
// the message is no card. Of two messages with one number, the one that was
// sent after a group became a supergroup counts.
func (s *Store) CardByMessage(ctx context.Context, chat, message int64) (postil.Card, error) {
	found, err := list(ctx, s, scanCard, "SELECT "+cardColumns+" FROM cards k WHERE k.chat_id = ? AND k.message_id = ?", chat, message)
	if err != nil {
		return postil.Card{}, err
	}
	for _, c := range found {
		if c.StoodIn == 0 {
			return c, nil
		}
	}
	if len(found) == 0 {
		return postil.Card{}, postil.Missing()
	}
	return found[0], nil
}

// CardSending records, before a message goes out, that it may have gone out:
// after is the highest message id that is known in the chat, and shows what the
// first message of the card will show. Whoever finds the card like that after a
// crash looks for the message before it sends another.
func (s *Store) CardSending(ctx context.Context, card, after int64, shows string) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("UPDATE cards SET sending = ?, shows = iif(message_id = 0, ?, shows) WHERE card_id = ?", after, shows, card)
		return err
	})
}

// LastMessage returns the highest message id of a card in a chat, 0 for none.
// Private chats and plain groups share their numbers, so one of them asks for
// all chats that do; chat is then 0.
func (s *Store) LastMessage(ctx context.Context, chat int64) (int64, error) {
	if chat != 0 {
		n, _, err := one(ctx, s, column[int64], "SELECT coalesce(max(k.message_id), 0) FROM cards k WHERE k.chat_id = ?", chat)
		return n, err
	}
	n, _, err := one(ctx, s, column[int64], "SELECT coalesce(max(k.message_id), 0) FROM cards k WHERE k.chat_id > -1000000000000 AND k.card_id > (SELECT coalesce(max(card_id), 0) FROM cards) - ?", staleAmong)
	return n, err
}

// CardDone records what a card shows after it was sent or edited, and that its
// comment has been announced. shown is what the card was made from: when it
// became due again meanwhile, with after the time of the work, it stays due.
func (s *Store) CardDone(ctx context.Context, c postil.Card, began time.Time) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE cards SET message_id = ?, shows = ?, final = ?, attempts = 0, problem = '', sent_at = coalesce(sent_at, ?),
				sending = NULL, stood_in = ?, due_at = CASE WHEN due_at > ? THEN due_at END
			WHERE card_id = ?`, c.Message, c.Shows, c.Final, millis(tx.now), sql.NullInt64{Int64: c.StoodIn, Valid: c.StoodIn != 0}, millis(began), c.ID)
		if err != nil {
			return err
		}
		return tx.announced(c.Comment)
	})
}

// CardFailed records why a card could not be delivered and when to try again.
// What Telegram has refused is not on its way; after any other failure, the
// message may have gone out, and Sending stays.
func (s *Store) CardFailed(ctx context.Context, c postil.Card, problem string, retry time.Time) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("UPDATE cards SET attempts = attempts + 1, problem = ?, due_at = ?, sending = iif(?, sending, NULL) WHERE card_id = ?",
			problem, millis(retry), c.Sending, c.ID)
		if err != nil || c.Attempts > 0 {
			return err // it was told of
		}
		return tx.signal(postil.Signal{Kind: postil.SignalDelivery, Comment: c.Comment, Detail: "card: " + problem})
	})
}

// MoveCards follows a group that became a supergroup. The messages stay where
// they were sent: their numbers mean something else in the new chat.
func (s *Store) MoveCards(ctx context.Context, from, to int64) error {
	return s.Write(ctx, func(tx *Tx) error {
		if _, err := tx.exec(`INSERT INTO chats (chat_id, moved_to) VALUES (?, ?)
			ON CONFLICT (chat_id) DO UPDATE SET moved_to = excluded.moved_to`, from, to); err != nil {
			return err
		}
		if _, err := tx.exec("DELETE FROM cards WHERE chat_id = ? AND comment_id IN (SELECT comment_id FROM cards WHERE chat_id = ?)", from, to); err != nil {
			return err
		}
		if _, err := tx.exec("UPDATE boards SET chat_id = ?, message_id = 0, shows = '', due_at = ? WHERE chat_id = ?", to, millis(tx.now), from); err != nil {
			return err
		}
		_, err := tx.exec("UPDATE cards SET chat_id = ?, sending = NULL, stood_in = iif(message_id = 0, NULL, coalesce(stood_in, ?)) WHERE chat_id = ?", to, from, from)
		return err
	})
}

// UndeliveredCards returns how many cards and boards could not be sent so far.
func (s *Store) UndeliveredCards(ctx context.Context) (int, error) {
	n, _, err := one(ctx, s, column[int], "SELECT count(*) FROM cards WHERE due_at IS NOT NULL AND attempts > 0")
	if err != nil {
		return 0, err
	}
	boards, _, err := one(ctx, s, column[int], "SELECT count(*) FROM boards WHERE due_at IS NOT NULL AND attempts > 0")
	return n + boards, err
}

// Undelivered returns cards that could not be sent so far, the oldest first.
func (s *Store) Undelivered(ctx context.Context, limit int) ([]postil.Card, error) {
	return list(ctx, s, scanCard, "SELECT "+cardColumns+" FROM cards k WHERE k.due_at IS NOT NULL AND k.attempts > 0 ORDER BY k.due_at LIMIT ?", limit)
}

func scanChat(r scanner) (c postil.Chat, err error) {
	var moved, retry, muted sql.NullInt64
	err = r.Scan(&c.ID, &moved, &c.Problem, &c.Failures, &retry, &c.Language, &muted)
	c.MovedTo, c.RetryAt, c.MutedUntil = moved.Int64, when(retry), when(muted)
	return c, err
}

// Chats returns what is known of chats: moved, in trouble, muted, of a language.
func (s *Store) Chats(ctx context.Context) ([]postil.Chat, error) {
	return list(ctx, s, scanChat, "SELECT chat_id, moved_to, problem, failures, retry_at, language, muted_until FROM chats ORDER BY chat_id")
}

// ChatState records the trouble of a chat, or with an empty problem its end.
func (s *Store) ChatState(ctx context.Context, c postil.Chat) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(`INSERT INTO chats (chat_id, problem, failures, retry_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (chat_id) DO UPDATE SET problem = excluded.problem, failures = excluded.failures, retry_at = excluded.retry_at`,
			c.ID, c.Problem, c.Failures, nullMillis(c.RetryAt))
		return err
	})
}

// SetChatLanguage remembers which language the person behind a chat reads.
func (s *Store) SetChatLanguage(ctx context.Context, chat int64, language string) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("INSERT INTO chats (chat_id, language) VALUES (?, ?) ON CONFLICT (chat_id) DO UPDATE SET language = excluded.language", chat, language)
		return err
	})
}

// MuteChat keeps new cards out of a chat until the given time; the zero time
// ends that.
func (s *Store) MuteChat(ctx context.Context, chat int64, until time.Time) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("INSERT INTO chats (chat_id, muted_until) VALUES (?, ?) ON CONFLICT (chat_id) DO UPDATE SET muted_until = excluded.muted_until", chat, nullMillis(until))
		return err
	})
}

// staleAmong is how many of the latest decisions and cards StaleCards looks at.
const staleAmong = 5000

// staleCard holds for a card that shows something else than how its comment
// stands: see Shows of postil.Card. One that followed a group shows nothing.
const staleCard = ` AND k.due_at IS NULL AND k.final = 0 AND k.shows <> '' AND instr(k.shows, c.status || ':' || c.revision || ':' ||
	coalesce((SELECT max(h.decision_id) FROM decisions h WHERE h.comment_id = c.comment_id), 0) || ':') <> 1`

// StaleCards makes cards due that still show what their comment was before one
// of the latest decisions or, when they are among the latest cards, before an
// edit: edits are soon over. It returns how many there were. It looks on the
// read-only side, so that nobody who writes waits for it.
func (s *Store) StaleCards(ctx context.Context) (n int64, err error) {
	stale, err := list(ctx, s, column[int64], `SELECT k.card_id FROM decisions d CROSS JOIN comments c ON c.comment_id = d.comment_id
			CROSS JOIN cards k ON k.comment_id = d.comment_id
		WHERE d.decision_id > (SELECT coalesce(max(decision_id), 0) FROM decisions) - ?`+staleCard, staleAmong)
	if err != nil {
		return 0, err
	}
	edited, err := list(ctx, s, column[int64], `SELECT k.card_id FROM cards k CROSS JOIN comments c ON c.comment_id = k.comment_id
		WHERE k.card_id > (SELECT coalesce(max(card_id), 0) FROM cards) - ?`+staleCard, staleAmong)
	stale = append(stale, edited...)
	if err != nil || len(stale) == 0 {
		return 0, err
	}
	err = s.Write(ctx, func(tx *Tx) error {
		n = 0
		for _, id := range stale {
			rows, err := tx.exec("UPDATE cards SET due_at = ? WHERE card_id = ? AND due_at IS NULL", millis(tx.now), id)
			if err != nil {
				return err
			}
			n += rows
		}
		return nil
	})
	return n, err
}
