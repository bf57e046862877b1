package store

import (
	"context"
	"database/sql"
	"strings"
	"sync"

	"github.com/postil/postil/internal/postil"
)

// Submitted returns a comment that is to be checked, as it was stored or as it
// is now, with what the checks may know beside it. NotFound when there is none.
func (s *Store) Submitted(ctx context.Context, id postil.CommentID) (c postil.Comment, m postil.Memory, err error) {
	// Every comment asks, each question is a short walk along an index, and a
	// context that can end costs two goroutines for each.
	ctx = context.WithoutCancel(ctx)
	c, ok := s.fresh.take(id)
	if !ok {
		if c, err = s.Comment(ctx, id); err != nil {
			return c, m, err
		}
	}
	m, err = s.Memory(ctx, c)
	return c, m, err
}

// Memory returns what the checks of a comment may know beside the comment.
func (s *Store) Memory(ctx context.Context, c postil.Comment) (m postil.Memory, err error) {
	if m.Site, err = s.Site(ctx, c.Site); err != nil {
		return m, err
	}
	if m.Rulings, m.RulesMark, err = s.rulingsOn(ctx, c); err != nil {
		return m, err
	}
	return m, s.recall(ctx, c, &m)
}

// recall asks with one statement for all that is counted about a comment:
// whether its name stands under another one, how often its text was said on the
// site within the last day and was spam within the last week, what its network
// left behind before it, and what became of its author's other comments.
func (s *Store) recall(ctx context.Context, c postil.Comment, m *postil.Memory) error {
	counted := []string{"(" + sameTexts + ") same"}
	args := []any{c.Site, c.Author.Name, int64(c.ID), int64(c.ID)}
	var last, seen sql.NullInt64
	into := []any{&m.NameSeen, &m.SameText, &m.SpamTexts, &last}
	if c.Origin.Network != "" {
		counted = append(counted, "("+tracesOf+") trace")
		args = append(args, tracesArgs(c.Origin.Actor, c.Origin.Network, c.Created, c.ID)...)
		into = append(into, tracesInto(&m.Traces)...)
	}
	if column, value := authorOf(c); value != "" {
		counted = append(counted, "("+recordOf(column)+") record")
		args = append(args, c.Site, value, int64(c.ID))
		into = append(into, &m.Record.Approved, &m.Record.Rejected, &m.Record.Spam, &seen)
	}
	_, _, err := one(ctx, s, func(r scanner) (_ struct{}, err error) { return struct{}{}, r.Scan(into...) },
		"SELECT EXISTS (SELECT 1 FROM comments c WHERE c.site_id = ? AND c.author_name = ? AND c.comment_id <> ? AND c.status IN ('approved', 'pending')), * FROM "+
			strings.Join(counted, ", "), args...)
	m.SpamAt, m.Record.FirstSeen = when(last), when(seen)
	return err
}

// sameTexts counts the comments of the last week with the text of one.
const sameTexts = `SELECT coalesce(sum(o.created_at >= c.created_at - 86400000), 0), coalesce(sum(o.status = 'spam'), 0), max(iif(o.status = 'spam', o.created_at, NULL)) FROM comments c
			JOIN comments o ON o.site_id = c.site_id AND o.text_hash = c.text_hash AND o.text_hash <> '' AND o.comment_id <> c.comment_id
				AND o.created_at BETWEEN c.created_at - 7 * 86400000 AND c.created_at AND o.status <> 'deleted'
		WHERE c.comment_id = ?`

// handover keeps comments that were just stored until the checks fetch them, so
// that what is in memory is not read again. It is bounded: of what it has no
// room for, and after a restart, the store is asked. A comment that has changed
// meanwhile is noticed when its conclusion is written.
type handover struct {
	mu    sync.Mutex
	slots [2048]*postil.Comment // by the last digits of the id
	bytes int
}

const handoverBytes = 4 << 20

func weightOf(c *postil.Comment) int { return 1024 + len(c.Text) + len(c.HTML) }

func (h *handover) put(c postil.Comment) {
	h.mu.Lock()
	defer h.mu.Unlock()
	slot := &h.slots[uint64(c.ID)%uint64(len(h.slots))]
	if *slot != nil {
		h.bytes -= weightOf(*slot)
		*slot = nil
	}
	if w := weightOf(&c); h.bytes+w <= handoverBytes {
		h.bytes += w
		*slot = &c
	}
}

func (h *handover) take(id postil.CommentID) (c postil.Comment, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	slot := &h.slots[uint64(id)%uint64(len(h.slots))]
	if *slot == nil || (*slot).ID != id {
		return c, false
	}
	c = **slot
	h.bytes -= weightOf(*slot)
	*slot = nil
	return c, true
}
