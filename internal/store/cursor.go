package store

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/postil/postil/internal/postil"
)

// A cursor is a position in the reading order of a thread.
type place string

const (
	atStart    place = ""  // the first root
	startAt    place = "s" // a root, which belongs to the page
	afterRoot  place = "a" // behind a root and everything under it
	beforeRoot place = "b" // the page that ends before a root
	insideRoot place = "i" // behind a path under a root
)

// position is a decoded cursor. The order of the roots is by score (for the
// sort "top"), time and id.
type position struct {
	kind    place
	score   int
	created int64
	id      postil.CommentID
	path    []byte
}

// wire is a position as it travels, in few letters.
type wire struct {
	Kind    place            `json:"k"`
	Sort    postil.Sort      `json:"o"`
	Score   int              `json:"s,omitempty"`
	Created int64            `json:"c,omitempty"`
	ID      postil.CommentID `json:"i"`
	Path    []byte           `json:"p,omitempty"`
}

func positionOf(root spot, kind place) position {
	return position{kind: kind, score: root.score, created: root.created, id: root.ID}
}

func (p position) as(kind place) position {
	p.kind = kind
	return p
}

func (p position) encode(sort postil.Sort) string {
	raw, _ := json.Marshal(wire{p.kind, sort, p.score, p.created, p.id, p.path}) // no value of it can fail
	return base64.RawURLEncoding.EncodeToString(raw)
}

func decodeCursor(s string, sort postil.Sort) (position, error) {
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return position{}, badCursor()
	}
	var w wire
	if json.Unmarshal(raw, &w) != nil || w.Sort != sort || w.ID < 1 {
		return position{}, badCursor()
	}
	switch w.Kind {
	case startAt, afterRoot, beforeRoot, insideRoot:
		return position{w.Kind, w.Score, w.Created, w.ID, w.Path}, nil
	}
	return position{}, badCursor()
}

func badCursor() error {
	return postil.InvalidField("cursor", "This marker of a page is damaged or belongs to another thread or order. Load the thread from its start, without “cursor”.")
}

// start finds out where the page begins.
func (s *Store) start(ctx context.Context, q postil.ThreadQuery) (position, error) {
	if q.Cursor != "" {
		p, err := decodeCursor(q.Cursor, q.Sort)
		if err != nil || p.kind != insideRoot {
			return p, err
		}
		return s.withRoot(ctx, q, p)
	}
	if q.Focus == 0 {
		return position{}, nil
	}
	type row struct {
		root postil.CommentID
		path []byte
	}
	at, ok, err := one(ctx, s, func(r scanner) (v row, err error) { return v, r.Scan(&v.root, &v.path) },
		"SELECT root_comment_id, reply_path FROM comments WHERE comment_id = ? AND site_id = ? AND post_id = ? AND visibility = 1",
		int64(q.Focus), q.Site, q.Post)
	if err == nil && !ok {
		err = postil.Missing()
	}
	if err != nil {
		return position{}, err
	}
	return s.focus(ctx, q, at.root, at.path)
}

// focus begins the page at the root of the comment; where the comment stands
// too far below it for one page, the page begins shortly before the comment.
func (s *Store) focus(ctx context.Context, q postil.ThreadQuery, root postil.CommentID, path []byte) (position, error) {
	p, err := s.withRoot(ctx, q, position{id: root})
	if err != nil || len(path) == 0 {
		return p.as(startAt), err
	}
	most := s.room - 1 // the root has a place on the page, too
	lead := min(20, most/2)
	before, err := list(ctx, s, column[[]byte], `SELECT reply_path FROM comments
		WHERE root_comment_id = ? AND visibility > 0 AND reply_path < ? ORDER BY reply_path DESC LIMIT ?`, int64(root), path, most)
	if err != nil || len(before) < most {
		return p.as(startAt), err
	}
	p.path = before[lead]
	return p.as(insideRoot), nil
}

// withRoot completes a position inside a root with the place of the root,
// which must belong to the thread: a cursor comes from outside.
func (s *Store) withRoot(ctx context.Context, q postil.ThreadQuery, p position) (position, error) {
	r, ok, err := one(ctx, s, scanSpot, "SELECT "+listedColumns+
		" FROM comments c WHERE c.comment_id = ? AND c.site_id = ? AND c.post_id = ? AND c.root_comment_id = c.comment_id", int64(p.id), q.Site, q.Post)
	if err == nil && !ok {
		err = badCursor()
	}
	full := positionOf(r, p.kind)
	full.path = p.path
	return full, err
}

// rootsFrom returns listed roots from a position on, in display order, or in
// the opposite one for beforeRoot. Each order is one walk along an index.
func (s *Store) rootsFrom(ctx context.Context, q postil.ThreadQuery, from position, limit int) ([]spot, error) {
	if limit < 1 {
		return nil, nil
	}
	const base = "SELECT " + listedColumns + " FROM comments c WHERE c.site_id = ? AND c.post_id = ? AND c.root_comment_id = c.comment_id AND c.visibility > 0"
	args := []any{q.Site, q.Post}
	up := (q.Sort == postil.Newest) == (from.kind == beforeRoot) // along the index or against it
	op, order := " > ", ""
	if !up {
		op, order = " < ", " DESC"
	}
	if from.kind == startAt {
		op = op[:2] + "= "
	}
	where, by := "", " ORDER BY c.created_at"+order+", c.comment_id"+order
	if q.Sort == postil.Top {
		by = " ORDER BY c.top_rank" + order + ", c.created_at" + order + ", c.comment_id" + order
	}
	switch {
	case from.kind == atStart:
	case q.Sort == postil.Top:
		where = " AND (c.top_rank, c.created_at, c.comment_id)" + op + "(?, ?, ?)"
		args = append(args, -from.score, from.created, int64(from.id))
	default:
		where = " AND (c.created_at, c.comment_id)" + op + "(?, ?)"
		args = append(args, from.created, int64(from.id))
	}
	return list(ctx, s, scanSpot, base+where+by+" LIMIT ?", append(args, limit)...)
}
