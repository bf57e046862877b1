package store

import (
	"context"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Reannounce emits again what seems to have been lost on the way: the checks
// of comments that were stored before the given time and never checked, and
// the requests for review that no moderator was told of. What still waits in
// the outbox, or as a card or board that is due and that somebody sends, is on its way
// and not lost. It returns how many events it wrote; consumers are idempotent,
// so one too many harms nobody.
func (s *Store) Reannounce(ctx context.Context, before time.Time, limit int) (n int, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		n = 0
		lost, err := tx.lost(before, limit)
		if err != nil || len(lost) == 0 {
			return err
		}
		waiting, all, err := tx.waiting(2 * limit)
		if err != nil || !all {
			return err // with that much to publish nobody can tell what is lost
		}
		for _, ev := range lost {
			if waiting[errand{ev.Kind, ev.Comment}] {
				continue
			}
			if err := tx.Emit(ev); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}

// lost returns an event for each comment that waits for something since before.
func (tx *Tx) lost(before time.Time, limit int) ([]postil.Event, error) {
	ctx := context.Background()
	unchecked, err := list(ctx, tx, scanLost(postil.CommentSubmitted),
		"SELECT c.comment_id, c.site_id, c.post_id FROM comments c WHERE c.checked_at IS NULL AND c.created_at <= ? ORDER BY c.created_at LIMIT ?",
		millis(before), limit)
	if err != nil {
		return nil, err
	}
	untold, err := list(ctx, tx, scanLost(postil.ReviewRequested),
		`SELECT c.comment_id, c.site_id, c.post_id FROM reviews r CROSS JOIN comments c ON c.comment_id = r.comment_id
		WHERE r.state = 'open' AND r.announced_at IS NULL AND r.opened_at <= ?
			AND (? OR NOT EXISTS (SELECT 1 FROM cards k WHERE k.comment_id = r.comment_id AND (k.due_at IS NOT NULL OR EXISTS
				(SELECT 1 FROM board_cards m JOIN boards b ON b.board_id = m.board_id WHERE m.card_id = k.card_id AND m.apart = 0 AND b.due_at IS NOT NULL))))
		ORDER BY r.opened_at LIMIT ?`, millis(before), tx.w.s.opt.NoCards, limit)
	return append(unchecked, untold...), err
}

func scanLost(kind postil.EventKind) func(scanner) (postil.Event, error) {
	return func(r scanner) (postil.Event, error) {
		ev := postil.Event{Kind: kind}
		return ev, r.Scan(&ev.Comment, &ev.Site, &ev.Post)
	}
}

// errand is what an event asks for.
type errand struct {
	kind    postil.EventKind
	comment postil.CommentID
}

// waiting returns what the unpublished events ask for; all is false when there
// are more than limit.
func (tx *Tx) waiting(limit int) (out map[errand]bool, all bool, err error) {
	events, err := pendingEvents(context.Background(), tx, 0, limit+1)
	out = make(map[errand]bool, len(events))
	for _, ev := range events {
		out[errand{ev.Kind, ev.Comment}] = true
	}
	return out, len(events) <= limit, err
}
