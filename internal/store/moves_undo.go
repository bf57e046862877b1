package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/postil/postil/internal/postil"
)

// UndoMove takes a move back: the comments that it moved, and what was answered
// to them since, stand again where they stood, and the old keys lead where they
// led. It is refused with Conflict when a later move touched either post; taking
// it back twice changes nothing.
func (s *Store) UndoMove(ctx context.Context, id int64, by postil.By) (out postil.PostMove, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		if out, err = postMove(ctx, tx, id); err != nil || !out.Undone.IsZero() {
			return err
		}
		u := restorer{tx: tx, m: out, by: by}
		if err := u.run(); err != nil {
			return err
		}
		out, err = postMove(ctx, tx, id)
		return err
	})
	return out, err
}

// restorer is one move on its way back.
type restorer struct {
	tx *Tx
	m  postil.PostMove
	by postil.By
}

func (u restorer) run() error {
	if err := u.refuse(); err != nil {
		return err
	}
	step := u.unmerge
	if u.m.Kind == postil.Split {
		step = u.unsplit
	}
	if err := step(); err != nil {
		return err
	}
	if _, err := u.tx.exec("UPDATE post_moves SET undone_at = ? WHERE move_id = ?", millis(u.tx.now), u.m.ID); err != nil {
		return err
	}
	a := postil.AuditEntry{Action: "post.undo", Subject: "post:" + string(u.m.Site) + ":" + string(u.m.From), Detail: fmt.Sprintf("%s %d, %d comments", u.m.Kind, u.m.ID, u.m.Comments),
		Before: map[string]any{"key": u.m.To}, After: map[string]any{"key": u.m.From}}
	if err := u.tx.record(u.by, a); err != nil {
		return err
	}
	// Pages that were opened at the old key listen to the other one.
	if err := u.tx.tellMoved(u.m.Site, u.m.To, u.m.From, u.m.Kind != postil.Split); err != nil {
		return err
	}
	return u.dropMade()
}

// refuse says which later move is in the way.
func (u restorer) refuse() error {
	later, ok, err := one(context.Background(), u.tx, scanMove, "SELECT "+moveColumns+` FROM post_moves m WHERE m.move_id = (SELECT max(n.move_id) FROM (
			SELECT a.move_id FROM post_moves a WHERE a.undone_at IS NULL AND a.site_id = ? AND a.to_id IN (?, ?) AND a.move_id > ?
			UNION ALL SELECT b.move_id FROM post_moves b WHERE b.undone_at IS NULL AND b.site_id = ? AND b.from_id IN (?, ?) AND b.move_id > ?) n)`,
		u.m.Site, u.m.From, u.m.To, u.m.ID, u.m.Site, u.m.From, u.m.To, u.m.ID)
	if err == nil && ok {
		err = &postil.Error{Kind: postil.Conflict, Sentence: fmt.Sprintf("A later %s touched one of these posts. Take back move %d first.", later.Kind, later.ID)}
	}
	return err
}

// unmerge makes the old post again, with the comments that came from it and
// everything that stands below them by now.
func (u restorer) unmerge() error {
	var post, redirects string
	_, _, err := one(context.Background(), u.tx, func(r scanner) (v bool, err error) { return true, r.Scan(&post, &redirects) },
		"SELECT m.from_post, m.redirects FROM post_moves m WHERE m.move_id = ?", u.m.ID)
	if err != nil {
		return err
	}
	var left leftPost
	var old []postil.PostID
	if err := json.Unmarshal([]byte(post), &left); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(redirects), &old); err != nil {
		return err
	}
	target, err := u.tx.post(u.m.Site, u.m.To)
	if err != nil {
		return err
	}
	if err := u.remake(left, target.Version); err != nil {
		return err
	}
	if err := u.takeBack(); err != nil {
		return err
	}
	if err := u.unredirect(old); err != nil {
		return err
	}
	if err := u.tx.recount(u.m.Site, u.m.To, target.Version); err != nil || left.Created == 0 {
		return err
	}
	return u.tx.recount(u.m.Site, u.m.From, target.Version)
}

// takeBack moves the comments. Where the move made the post, everything that
// stands there came or would have come to the old one.
func (u restorer) takeBack() error {
	made, _, err := one(context.Background(), u.tx, column[bool], "SELECT m.made FROM post_moves m WHERE m.move_id = ?", u.m.ID)
	if err != nil {
		return err
	}
	if made {
		_, err = u.tx.exec("UPDATE comments SET post_id = ? WHERE site_id = ? AND post_id = ?", u.m.From, u.m.Site, u.m.To)
		return err
	}
	_, err = u.tx.exec(`WITH RECURSIVE back (id) AS (
			SELECT c.comment_id FROM moved_comments m CROSS JOIN comments c ON c.comment_id = m.comment_id
				WHERE m.move_id = ? AND c.parent_comment_id IS NULL AND c.site_id = ? AND c.post_id = ?
			UNION SELECT c.comment_id FROM back JOIN comments c ON c.parent_comment_id = back.id)
		UPDATE comments SET post_id = ? WHERE comment_id IN (SELECT id FROM back)`, u.m.ID, u.m.Site, u.m.To, u.m.From)
	return err
}

// remake makes the post that was left, as it was.
func (u restorer) remake(p leftPost, version int64) error {
	if p.Created == 0 {
		return nil
	}
	_, err := u.tx.exec("INSERT INTO posts (site_id, post_id, title, url, titled_by, closed, version, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		u.m.Site, u.m.From, p.Title, p.URL, p.TitledBy, p.Closed, version, p.Created)
	return err
}

// unredirect gives the old keys back to the post that had them.
func (u restorer) unredirect(old []postil.PostID) error {
	if _, err := u.tx.exec("DELETE FROM post_redirects WHERE site_id = ? AND old_id = ?", u.m.Site, u.m.From); err != nil {
		return err
	}
	for _, key := range old {
		if _, err := u.tx.exec(`INSERT INTO post_redirects (site_id, old_id, post_id, created_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (site_id, old_id) DO UPDATE SET post_id = excluded.post_id`, u.m.Site, key, u.m.From, millis(u.tx.now)); err != nil {
			return err
		}
	}
	return nil
}

// unsplit puts each comment that was taken away back below what it answered, or
// among the roots where that is gone.
func (u restorer) unsplit() error {
	type place struct {
		id     postil.CommentID
		parent sql.NullInt64
	}
	// The tops of what was taken: those that stand at the roots of the other post.
	tops, err := list(context.Background(), u.tx, func(r scanner) (p place, err error) { return p, r.Scan(&p.id, &p.parent) },
		`SELECT m.comment_id, m.parent_before FROM moved_comments m CROSS JOIN comments c ON c.comment_id = m.comment_id
			WHERE m.move_id = ? AND c.parent_comment_id IS NULL AND c.site_id = ? AND c.post_id = ? ORDER BY m.comment_id`, u.m.ID, u.m.Site, u.m.To)
	if err != nil {
		return err
	}
	for _, top := range tops {
		c, err := u.tx.comment(top.id)
		if err != nil {
			return err
		}
		parent, err := u.parentBefore(top.parent)
		if err != nil {
			return err
		}
		if _, err := u.tx.replant(c, parent, u.m.From); postil.KindOf(err) == postil.Invalid {
			_, err = u.tx.replant(c, nil, u.m.From) // its old place has become too deep
			if err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	for _, id := range []postil.PostID{u.m.From, u.m.To} {
		if err := u.tx.bump(u.m.Site, id, 0, 0); err != nil {
			return err
		}
	}
	return nil
}

func (u restorer) parentBefore(id sql.NullInt64) (*postil.Comment, error) {
	if !id.Valid {
		return nil, nil
	}
	p, err := u.tx.comment(postil.CommentID(id.Int64))
	if postil.KindOf(err) == postil.NotFound || err == nil && (p.Site != u.m.Site || p.Post != u.m.From) {
		return nil, nil
	}
	return &p, err
}

// dropMade takes away the post that the move made, when nothing stands there.
func (u restorer) dropMade() error {
	_, err := u.tx.exec(`DELETE FROM posts WHERE site_id = ? AND post_id = ? AND (SELECT made FROM post_moves m WHERE m.move_id = ?) = 1
		AND NOT EXISTS (SELECT 1 FROM comments c WHERE c.site_id = posts.site_id AND c.post_id = posts.post_id)`, u.m.Site, u.m.To, u.m.ID)
	return err
}
