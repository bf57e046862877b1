package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/postil/postil/internal/postil"
)

const moveColumns = "m.move_id, m.site_id, m.kind, m.from_id, m.to_id, m.comments, m.moved_at, m.undone_at"

func scanMove(r scanner) (m postil.PostMove, err error) {
	var at, undone sql.NullInt64
	err = r.Scan(&m.ID, &m.Site, &m.Kind, &m.From, &m.To, &m.Comments, &at, &undone)
	m.At, m.Undone = when(at), when(undone)
	return m, err
}

// leftPost is what was known of a post when its comments left it.
type leftPost struct {
	Title    string `json:"title"`
	URL      string `json:"url"`
	TitledBy string `json:"titled_by"`
	Closed   bool   `json:"closed"`
	Created  int64  `json:"created_at"` // 0: nobody had commented on it
}

// Redirects returns the old keys of a site and where they lead.
func (s *Store) Redirects(ctx context.Context, site postil.SiteID) (map[postil.PostID]postil.PostID, error) {
	type redirect struct{ old, to postil.PostID }
	all, err := list(ctx, s, func(r scanner) (v redirect, err error) { return v, r.Scan(&v.old, &v.to) },
		"SELECT old_id, post_id FROM post_redirects WHERE site_id = ?", site)
	if len(all) == 0 {
		return nil, err
	}
	out := make(map[postil.PostID]postil.PostID, len(all))
	for _, v := range all {
		out[v.old] = v.to
	}
	return out, err
}

// key follows an old key of a post to the one it has now. Whatever writes
// something under a key asks here, so that nothing goes astray while a node or
// an import still uses the old one.
func (tx *Tx) key(site postil.SiteID, id postil.PostID) (postil.PostID, error) {
	to, ok, err := one(context.Background(), tx, column[postil.PostID], "SELECT post_id FROM post_redirects WHERE site_id = ? AND old_id = ?", site, id)
	if err == nil && ok {
		return to, nil
	}
	return id, err
}

// Tally returns how many comments of each status stand on a post.
func (s *Store) Tally(ctx context.Context, site postil.SiteID, id postil.PostID) (map[postil.Status]int, error) {
	type row struct {
		status postil.Status
		n      int
	}
	rows, err := list(ctx, s, func(r scanner) (v row, err error) { return v, r.Scan(&v.status, &v.n) },
		"SELECT c.status, count(*) FROM comments c WHERE c.site_id = ? AND c.post_id = ? GROUP BY c.status", site, id)
	out := map[postil.Status]int{}
	for _, v := range rows {
		out[v.status] = v.n
	}
	return out, err
}

// Moves returns moves of a site before the given one (0: all), the newest first.
func (s *Store) Moves(ctx context.Context, site postil.SiteID, before int64, limit int) ([]postil.PostMove, error) {
	if before <= 0 {
		before = 1<<63 - 1
	}
	return list(ctx, s, scanMove, "SELECT "+moveColumns+" FROM post_moves m WHERE m.site_id = ? AND m.move_id < ? ORDER BY m.move_id DESC LIMIT ?", site, before, limit)
}

// PostMove returns a move.
func (s *Store) PostMove(ctx context.Context, id int64) (postil.PostMove, error) {
	return postMove(ctx, s, id)
}

func postMove(ctx context.Context, q queryer, id int64) (postil.PostMove, error) {
	m, ok, err := one(ctx, q, scanMove, "SELECT "+moveColumns+" FROM post_moves m WHERE m.move_id = ?", id)
	if err == nil && !ok {
		err = postil.Missing()
	}
	return m, err
}

// MovePost moves comments from one post to another: comments, redirects, counts,
// versions, log and events in one transaction.
func (s *Store) MovePost(ctx context.Context, r postil.MoveRequest) (out postil.PostMove, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		m := mover{tx: tx, r: r}
		if err := m.prepare(); err != nil {
			return err
		}
		if err := m.run(); err != nil {
			return err
		}
		out, err = postMove(ctx, tx, m.id)
		return err
	})
	return out, err
}

// mover is one move on its way into the tables.
type mover struct {
	tx       *Tx
	r        postil.MoveRequest
	id       int64
	from, to postil.Post
	made     bool // the target did not exist
	moved    int
}

// prepare finds both posts by the keys they have now, and refuses what makes no
// sense.
func (m *mover) prepare() (err error) {
	if _, err = m.tx.site(m.r.Site); err != nil {
		return err
	}
	if m.r.From, err = m.tx.key(m.r.Site, m.r.From); err != nil {
		return err
	}
	to, err := m.tx.key(m.r.Site, m.r.To)
	if err != nil {
		return err
	}
	if m.r.Kind != postil.Rename || to != m.r.From { // a post may get one of its old keys back
		m.r.To = to
	}
	if m.r.From == m.r.To {
		return postil.InvalidField("into", "Both keys name the same post already. There is nothing to move.")
	}
	if m.from, err = m.tx.post(m.r.Site, m.r.From); err != nil {
		return err
	}
	if m.to, err = m.tx.post(m.r.Site, m.r.To); err != nil {
		return err
	}
	m.made = m.to.Created.IsZero()
	if m.r.Kind == postil.Rename && !m.made {
		return &postil.Error{Kind: postil.Conflict, Sentence: "There is a post with this key already. Merge the two, if they are the same page."}
	}
	return nil
}

func (m *mover) run() error {
	if err := m.record(); err != nil {
		return err
	}
	if err := m.makeTarget(); err != nil {
		return err
	}
	if m.r.Kind == postil.Split {
		return m.split()
	}
	return m.merge()
}

// record writes down what taking the move back needs.
func (m *mover) record() (err error) {
	left := leftPost{Title: m.from.Title, URL: m.from.URL, TitledBy: m.from.TitledBy, Closed: m.from.Closed}
	if !m.from.Created.IsZero() {
		left.Created = millis(m.from.Created)
	}
	post, err := json.Marshal(left)
	if err != nil {
		return err
	}
	old, err := list(context.Background(), m.tx, column[postil.PostID], "SELECT old_id FROM post_redirects WHERE site_id = ? AND post_id = ?", m.r.Site, m.r.From)
	if err != nil {
		return err
	}
	redirects, err := json.Marshal(append([]postil.PostID{}, old...))
	if err != nil {
		return err
	}
	m.id, err = m.tx.insert("INSERT INTO post_moves (site_id, kind, from_id, to_id, from_post, redirects, comments, moved_at, made) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?)",
		m.r.Site, string(m.r.Kind), m.r.From, m.r.To, string(post), string(redirects), millis(m.tx.now), m.made)
	return err
}

// makeTarget makes the post that the comments go to, unless it is there. A
// renamed post keeps what is known of it, but for its address.
func (m *mover) makeTarget() error {
	if !m.made {
		return nil
	}
	p := postil.Post{Title: m.r.Title, TitledBy: "admin"}
	if m.r.Kind != postil.Split {
		p = m.from
	}
	if p.Title == "" || p.TitledBy == "" {
		p.TitledBy = "visitor"
	}
	_, err := m.tx.exec("INSERT INTO posts (site_id, post_id, title, titled_by, closed, created_at) VALUES (?, ?, ?, ?, ?, ?)",
		m.r.Site, m.r.To, p.Title, p.TitledBy, p.Closed, millis(m.tx.now))
	return err
}

// merge takes everything along. The trees of comments stay as they are, so what
// readers see of them does too.
func (m *mover) merge() error {
	if _, err := m.tx.exec("INSERT INTO moved_comments (move_id, comment_id) SELECT ?, c.comment_id FROM comments c WHERE c.site_id = ? AND c.post_id = ?", m.id, m.r.Site, m.r.From); err != nil {
		return err
	}
	n, err := m.tx.exec("UPDATE comments SET post_id = ? WHERE site_id = ? AND post_id = ?", m.r.To, m.r.Site, m.r.From)
	if err != nil {
		return err
	}
	m.moved = int(n)
	if _, err := m.tx.exec("DELETE FROM posts WHERE site_id = ? AND post_id = ?", m.r.Site, m.r.From); err != nil {
		return err
	}
	if err := m.tx.redirect(m.r.Site, m.r.From, m.r.To); err != nil {
		return err
	}
	if err := m.tx.recount(m.r.Site, m.r.To, max(m.from.Version, m.to.Version)); err != nil {
		return err
	}
	return m.finish()
}

// redirect makes an old key, and every key that led to it, lead to a post.
func (tx *Tx) redirect(site postil.SiteID, old, to postil.PostID) error {
	if _, err := tx.exec("UPDATE post_redirects SET post_id = ? WHERE site_id = ? AND post_id = ?", to, site, old); err != nil {
		return err
	}
	if _, err := tx.exec("DELETE FROM post_redirects WHERE site_id = ? AND old_id = ?", site, to); err != nil {
		return err
	}
	_, err := tx.exec("INSERT INTO post_redirects (site_id, old_id, post_id, created_at) VALUES (?, ?, ?, ?)", site, old, to, millis(tx.now))
	return err
}

// recount counts a post anew and gives it the version after the given one.
func (tx *Tx) recount(site postil.SiteID, id postil.PostID, version int64) error {
	_, err := tx.exec(`UPDATE posts SET version = max(version, ?) + 1,
			comment_count = (SELECT count(*) FROM comments c WHERE c.site_id = posts.site_id AND c.post_id = posts.post_id AND c.visibility = 1),
			root_count = (SELECT count(*) FROM comments c WHERE c.site_id = posts.site_id AND c.post_id = posts.post_id AND c.root_comment_id = c.comment_id AND c.visibility > 0)
		WHERE site_id = ? AND post_id = ?`, version, site, id)
	return err
}

// split takes comments, each with everything below it, to the roots of the
// other post.
func (m *mover) split() error {
	taken := map[postil.CommentID]bool{}
	for _, id := range m.r.Comments {
		if taken[id] {
			continue
		}
		c, err := m.tx.comment(id)
		if err != nil {
			return err
		}
		if c.Site != m.r.Site || c.Post != m.r.From {
			return postil.InvalidField("comments", "Comment %s does not stand on this post.", id)
		}
		below, err := m.tx.branches(id)
		if err != nil {
			return err
		}
		for _, b := range below {
			taken[b.id] = true
			before := sql.NullInt64{}
			if b.id == id {
				before = nullID(c.Parent)
			}
			if _, err := m.tx.exec("INSERT INTO moved_comments (move_id, comment_id, parent_before) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", m.id, int64(b.id), before); err != nil {
				return err
			}
		}
		if _, err := m.tx.replant(c, nil, m.r.To); err != nil {
			return err
		}
	}
	m.moved = len(taken)
	for _, id := range []postil.PostID{m.r.From, m.r.To} {
		if err := m.tx.bump(m.r.Site, id, 0, 0); err != nil {
			return err
		}
	}
	return m.finish()
}

// finish logs the move and tells the readers of both posts.
func (m *mover) finish() error {
	if _, err := m.tx.exec("UPDATE post_moves SET comments = ? WHERE move_id = ?", m.moved, m.id); err != nil {
		return err
	}
	a := postil.AuditEntry{Action: "post." + string(m.r.Kind), Subject: "post:" + string(m.r.Site) + ":" + string(m.r.From), Detail: fmt.Sprintf("%d comments", m.moved),
		Before: map[string]any{"key": m.r.From}, After: map[string]any{"key": m.r.To}}
	if err := m.tx.record(m.r.By, a); err != nil {
		return err
	}
	return m.tx.tellMoved(m.r.Site, m.r.From, m.r.To, m.r.Kind != postil.Split)
}

// tellMoved tells the readers of two posts. left is that the first key leads
// elsewhere now, so that whoever listens must listen anew.
func (tx *Tx) tellMoved(site postil.SiteID, from, to postil.PostID, left bool) error {
	target, err := tx.post(site, to)
	if err != nil {
		return err
	}
	source, err := tx.post(site, from)
	if err != nil {
		return err
	}
	if source.Version == 0 {
		source.Version = target.Version // what its readers get from now on
	}
	if err := tx.Emit(postil.Event{Kind: postil.ThreadUpdated, Site: site, Post: from, Version: source.Version, Moved: left}); err != nil {
		return err
	}
	return tx.Emit(postil.Event{Kind: postil.ThreadUpdated, Site: site, Post: to, Version: target.Version})
}
