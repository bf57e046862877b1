package store

import (
	"strings"

	"github.com/postil/postil/internal/postil"
)

// where collects conditions; only their texts, never values, enter the SQL.
type where struct {
	parts []string
	args  []any
}

func (w *where) and(part string, args ...any) {
	w.parts = append(w.parts, part)
	w.args = append(w.args, args...)
}

func (w *where) in(column string, values []any) {
	if len(values) == 0 {
		return
	}
	w.and(column+" IN ("+strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")+")", values...)
}

func (w *where) String() string {
	if len(w.parts) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.parts, " AND ")
}

func anys[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// filter adds what narrows a list without changing which index orders it.
func (w *where) filter(f postil.CommentFilter) {
	if !f.From.IsZero() {
		w.and("c.created_at >= ?", millis(f.From))
	}
	if !f.To.IsZero() {
		w.and("c.created_at < ?", millis(f.To))
	}
}
