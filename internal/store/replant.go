package store

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/postil/postil/internal/postil"
)

// branch is a comment of a subtree with its place.
type branch struct {
	id    postil.CommentID
	depth int
	path  []byte
}

// replant moves a comment, with everything below it, beneath parent or, with
// nil, to the roots of a post. What readers see, the counts and the versions of
// both posts follow. It reports whether readers see any difference.
func (tx *Tx) replant(c postil.Comment, parent *postil.Comment, post postil.PostID) (changed bool, err error) {
	below, err := tx.branches(c.ID)
	if err != nil {
		return false, err
	}
	if err := fits(below, c, parent); err != nil {
		return false, err
	}
	hidden, err := tx.hide(c)
	if err != nil {
		return false, err
	}
	at := location{id: c.ID, root: c.ID, path: []byte{}}
	if parent != nil {
		above, _, err := one(context.Background(), tx, column[[]byte], "SELECT reply_path FROM comments WHERE comment_id = ?", int64(parent.ID))
		if err != nil {
			return false, err
		}
		at.below(*parent, above, millis(c.Created))
	}
	old := below[0]
	for _, b := range below {
		path := append(slices.Clone(at.path), b.path[len(old.path):]...)
		if _, err := tx.exec("UPDATE comments SET post_id = ?, root_comment_id = ?, depth = ?, reply_path = ? WHERE comment_id = ?",
			post, int64(at.root), b.depth-old.depth+at.depth, path, int64(b.id)); err != nil {
			return false, err
		}
	}
	if _, err := tx.exec("UPDATE comments SET parent_comment_id = ? WHERE comment_id = ?", nullID(at.parent), int64(c.ID)); err != nil {
		return false, err
	}
	c.Post, c.Parent, c.Root, c.Depth = post, at.parent, at.root, at.depth
	shown, err := tx.refresh(c)
	return hidden || shown, err
}

// below puts the location beneath a comment, at its place among the answers.
func (at *location) below(parent postil.Comment, path []byte, created int64) {
	at.parent, at.root, at.depth = parent.ID, parent.Root, parent.Depth+1
	at.path = binary.BigEndian.AppendUint64(slices.Clone(path), uint64(created))
	at.path = binary.BigEndian.AppendUint64(at.path, uint64(at.id))
}

// branches returns a comment and everything below it, the comment first.
func (tx *Tx) branches(id postil.CommentID) ([]branch, error) {
	return list(context.Background(), tx, func(r scanner) (b branch, err error) { return b, r.Scan(&b.id, &b.depth, &b.path) },
		`WITH RECURSIVE down (id) AS (VALUES (?) UNION SELECT c.comment_id FROM down JOIN comments c ON c.parent_comment_id = down.id)
		SELECT c.comment_id, c.depth, c.reply_path FROM down CROSS JOIN comments c ON c.comment_id = down.id`, int64(id))
}

// fits refuses a place below the comment itself, and one that is too deep.
func fits(below []branch, c postil.Comment, parent *postil.Comment) error {
	if parent == nil {
		return nil
	}
	deepest := 0
	for _, b := range below {
		if b.id == parent.ID {
			return postil.InvalidField("parent_id", "A comment cannot answer itself or one of its own answers. Choose another one.")
		}
		deepest = max(deepest, b.depth-c.Depth)
	}
	if parent.Depth+1+deepest > postil.MaxDepth {
		return postil.InvalidField("parent_id", "That would make the conversation deeper than %d answers. Choose a comment further up.", postil.MaxDepth)
	}
	return nil
}

// hide takes a comment with everything below it out of what readers see.
func (tx *Tx) hide(c postil.Comment) (changed bool, err error) {
	v, above, below, err := tx.around(c)
	if err != nil {
		return false, err
	}
	if _, err = v.settle(below, false, map[postil.CommentID]bool{}); err != nil {
		return false, err
	}
	if err = v.tombstones(above); err != nil || !v.changed {
		return false, err
	}
	return true, tx.bump(c.Site, c.Post, v.comments, v.roots)
}

// newParent returns the comment that a moderator puts another one beneath, nil
// for 0.
func (tx *Tx) newParent(c postil.Comment, id postil.CommentID) (*postil.Comment, error) {
	if id == 0 {
		return nil, nil
	}
	p, err := tx.comment(id)
	if postil.KindOf(err) == postil.NotFound || err == nil && (p.Site != c.Site || p.Post != c.Post) {
		return nil, postil.InvalidField("parent_id", "There is no such comment on this post. Merge or split the posts first, if it belongs elsewhere.")
	}
	return &p, err
}
