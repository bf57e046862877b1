package store

import (
	"context"

	"github.com/postil/postil/internal/postil"
)

// node is what the visibility of a comment follows from.
type node struct {
	id      postil.CommentID
	parent  postil.CommentID
	status  postil.Status
	before  postil.Status // the one before a deletion
	visible postil.Visibility
}

func scanNode(r scanner) (n node, err error) {
	return n, r.Scan(&n.id, &n.parent, &n.status, &n.before, &n.visible)
}

// passes reports whether replies below the comment can be seen: those of a
// deleted one stay, below a tombstone, unless it was not public before. To
// delete something never publishes anything.
func (n node) passes() bool { return n.status == postil.Approved || n.tombstone() }

func (n node) tombstone() bool { return n.status == postil.Deleted && n.before == postil.Approved }

// visibility keeps the derived columns true after the status of a comment
// changed. It reports whether readers see any difference.
type visibility struct {
	tx       *Tx
	children map[postil.CommentID][]node
	comments int // change of the number of shown comments
	roots    int // change of the number of listed roots
	changed  bool
}

// around reads what stands above and below a comment in its thread.
func (tx *Tx) around(c postil.Comment) (v *visibility, above []node, below node, err error) {
	v = &visibility{tx: tx, children: map[postil.CommentID][]node{}}
	if above, err = v.ancestors(c); err != nil {
		return nil, nil, below, err
	}
	below, err = v.subtree(c)
	return v, above, below, err
}

// refresh recomputes what readers see of a comment, everything below it and
// the tombstones above it, and moves the counts and version of the post.
// Nothing of it follows a parent twice, so that even a cycle in the data ends.
func (tx *Tx) refresh(c postil.Comment) (changed bool, err error) {
	v, above, below, err := tx.around(c)
	if err != nil {
		return false, err
	}
	reach := true
	for _, a := range above {
		reach = reach && a.passes()
	}
	if _, err = v.settle(below, reach, map[postil.CommentID]bool{}); err != nil {
		return false, err
	}
	if err = v.tombstones(above); err != nil || !v.changed {
		return false, err
	}
	return true, tx.bump(c.Site, c.Post, v.comments, v.roots)
}

// ancestors returns the chain above c, nearest first.
func (v *visibility) ancestors(c postil.Comment) ([]node, error) {
	if c.Parent == 0 {
		return nil, nil
	}
	chain, err := list(context.Background(), v.tx, scanNode, `WITH RECURSIVE up (id, parent, status, before, visibility) AS (
			SELECT comment_id, parent_comment_id, status, status_before, visibility FROM comments WHERE comment_id = ?
			UNION
			SELECT c.comment_id, c.parent_comment_id, c.status, c.status_before, c.visibility FROM up JOIN comments c ON c.comment_id = up.parent)
		SELECT id, coalesce(parent, 0), status, before, visibility FROM up`, int64(c.Parent))
	for i, a := range chain {
		if a.id == c.ID {
			return chain[:i], err
		}
	}
	return chain, err
}

// subtree loads everything below c and returns c itself.
func (v *visibility) subtree(c postil.Comment) (node, error) {
	nodes, err := list(context.Background(), v.tx, scanNode, `WITH RECURSIVE down (id, parent, status, before, visibility) AS (
			SELECT comment_id, parent_comment_id, status, status_before, visibility FROM comments WHERE comment_id = ?
			UNION
			SELECT c.comment_id, c.parent_comment_id, c.status, c.status_before, c.visibility FROM down JOIN comments c ON c.parent_comment_id = down.id)
		SELECT id, coalesce(parent, 0), status, before, visibility FROM down`, int64(c.ID))
	top := node{}
	for _, n := range nodes {
		if n.id == c.ID {
			top = n
			continue
		}
		v.children[n.parent] = append(v.children[n.parent], n)
	}
	return top, err
}

// settle stores the visibility of n and of all below it, deepest first, and
// reports whether n is listed.
func (v *visibility) settle(n node, reach bool, seen map[postil.CommentID]bool) (listed bool, err error) {
	if seen[n.id] {
		return n.visible != postil.Hidden, nil
	}
	seen[n.id] = true
	reach = reach && n.passes()
	kept := false
	for _, child := range v.children[n.id] {
		listed, err := v.settle(child, reach, seen)
		if err != nil {
			return false, err
		}
		kept = kept || listed
	}
	want := postil.Hidden
	switch {
	case reach && n.status == postil.Approved:
		want = postil.Shown
	case reach && n.tombstone() && kept:
		want = postil.Tombstone
	}
	return want != postil.Hidden, v.set(n, want)
}

// tombstones settles the deleted comments above, nearest first: each stays
// listed while anything below it is.
func (v *visibility) tombstones(above []node) error {
	for i, a := range above {
		if !a.tombstone() {
			return nil
		}
		reach := true
		for _, b := range above[i:] {
			reach = reach && b.passes()
		}
		kept, _, err := one(context.Background(), v.tx, column[bool],
			"SELECT EXISTS (SELECT 1 FROM comments WHERE parent_comment_id = ? AND visibility > 0)", int64(a.id))
		if err != nil {
			return err
		}
		want := postil.Hidden
		if reach && kept {
			want = postil.Tombstone
		}
		if err := v.set(a, want); err != nil {
			return err
		}
	}
	return nil
}

// set stores one visibility and adds up what it means for the counts.
func (v *visibility) set(n node, want postil.Visibility) error {
	if n.visible == want {
		return nil
	}
	v.changed = true
	v.comments += count(want == postil.Shown) - count(n.visible == postil.Shown)
	listed := count(want != postil.Hidden) - count(n.visible != postil.Hidden)
	if _, err := v.tx.exec("UPDATE comments SET visibility = ? WHERE comment_id = ?", int(want), int64(n.id)); err != nil {
		return err
	}
	if n.parent == 0 {
		v.roots += listed
		return nil
	}
	if listed == 0 {
		return nil
	}
	_, err := v.tx.exec("UPDATE comments SET reply_count = reply_count + ? WHERE comment_id = ?", listed, int64(n.parent))
	return err
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
