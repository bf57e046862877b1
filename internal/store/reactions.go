package store

import (
	"context"
	"encoding/json"

	"github.com/postil/postil/internal/postil"
)

// numbers reads what is counted by emoji, nil for nothing: hardly any row has
// something, and a page has many rows.
func numbers(raw string) (n map[string]int, err error) {
	if raw == "{}" {
		return nil, nil
	}
	return n, json.Unmarshal([]byte(raw), &n)
}

// React puts an emoji on a comment or takes it back, and tells how the comment
// stands then. Doing it again changes nothing. NotFound means that the comment
// is not public on this site.
func (s *Store) React(ctx context.Context, r postil.Reaction) (out postil.Reacted, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		out, err = tx.react(r)
		return err
	})
	return out, err
}

func (tx *Tx) react(r postil.Reaction) (out postil.Reacted, err error) {
	c, err := tx.publicComment(r.Site, r.Comment)
	if err != nil {
		return out, err
	}
	changed, err := tx.markReaction(r)
	if err != nil {
		return out, err
	}
	out = postil.Reacted{Comment: c.ID, Score: c.Score, Reactions: c.Reactions}
	if out.Mine, err = list(context.Background(), tx, column[string],
		"SELECT emoji FROM reactions WHERE comment_id = ? AND person = ?", int64(c.ID), r.Person.ID); err != nil {
		return out, err
	}
	if changed {
		if err = tx.countReaction(r, &out); err != nil {
			return out, err
		}
		if err = tx.bump(c.Site, c.Post, 0, 0); err != nil {
			return out, err
		}
	}
	p, err := tx.post(c.Site, c.Post)
	out.Version = p.Version
	if err == nil && changed {
		err = tx.Emit(postil.Event{Kind: postil.CommentReacted, Site: c.Site, Post: c.Post, Comment: c.ID, Version: p.Version})
	}
	return out, err
}

// publicComment returns a comment that readers see. All others are missing in
// the same way.
func (tx *Tx) publicComment(site postil.SiteID, id postil.CommentID) (postil.Comment, error) {
	c, err := tx.comment(id)
	if err == nil && (c.Site != site || c.Visible != postil.Shown) {
		err = postil.Missing()
	}
	return c, err
}

// markReaction notes who reacted, and reports whether that is news.
func (tx *Tx) markReaction(r postil.Reaction) (news bool, err error) {
	n := int64(0)
	if r.On {
		n, err = tx.exec("INSERT INTO reactions (comment_id, person, emoji, fleeting, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			int64(r.Comment), r.Person.ID, r.Emoji, r.Person.Fleeting, millis(tx.now))
	} else {
		n, err = tx.exec("DELETE FROM reactions WHERE comment_id = ? AND person = ? AND emoji = ?", int64(r.Comment), r.Person.ID, r.Emoji)
	}
	return n > 0, err
}

// countReaction moves the numbers of a comment. The person counts once for the
// score: with the first emoji, until the last is gone.
func (tx *Tx) countReaction(r postil.Reaction, out *postil.Reacted) error {
	next := map[string]int{}
	for emoji, n := range out.Reactions {
		next[emoji] = n
	}
	step, last := 1, 1
	if !r.On {
		step, last = -1, 0
	}
	if next[r.Emoji] += step; next[r.Emoji] <= 0 {
		delete(next, r.Emoji)
	}
	if len(out.Mine) == last {
		out.Score = max(out.Score+step, 0)
	}
	out.Reactions = next
	raw, err := json.Marshal(next)
	if err != nil {
		return err
	}
	_, err = tx.exec("UPDATE comments SET score = ?, reactions = ? WHERE comment_id = ?", out.Score, string(raw), int64(out.Comment))
	return err
}
