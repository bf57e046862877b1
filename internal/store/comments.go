package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/postil/postil/internal/postil"
)

const commentColumns = `c.comment_id, c.site_id, c.post_id, c.user_id, c.parent_comment_id, c.comment_body, c.status, c.created_at,
	c.comment_html, c.author_name, c.author_email, c.author_website, c.author_badge, c.user_gone,
	c.actor_id, c.network_id, c.device_hash, c.user_agent, c.form_state, c.edit_nonce,
	c.status_before, c.edited_at, c.revision, c.draft_body, c.draft_html, c.draft_at,
	c.checked_at, c.verdict, c.findings, c.root_comment_id, c.depth, c.visibility, c.reply_count, c.score,
	c.reactions, c.report_count, c.page_title, c.page_url`

func scanComment(r scanner) (c postil.Comment, err error) {
	var user, draft, draftHTML sql.NullString
	var parent, created, edited, draftAt, checked, root sql.NullInt64
	var form, findings, reactions string
	err = r.Scan(&c.ID, &c.Site, &c.Post, &user, &parent, &c.Text, &c.Status, &created,
		&c.HTML, &c.Author.Name, &c.Author.Email, &c.Author.Website, &c.Author.Badge, &c.UserGone,
		&c.Origin.Actor, &c.Origin.Network, &c.Origin.Device, &c.Origin.UserAgent, &form, &c.Nonce,
		&c.Before, &edited, &c.Revision, &draft, &draftHTML, &draftAt,
		&checked, &c.Verdict, &findings, &root, &c.Depth, &c.Visible, &c.Replies, &c.Score,
		&reactions, &c.Reports, &c.Page.Title, &c.Page.URL)
	if err != nil {
		return c, err
	}
	c.UserID, c.Parent, c.Root = user.String, postil.CommentID(parent.Int64), postil.CommentID(root.Int64)
	c.Created, c.Edited, c.Checked = when(created), when(edited), when(checked)
	if draft.Valid {
		c.Draft = &postil.Draft{Text: draft.String, HTML: draftHTML.String, At: when(draftAt)}
	}
	c.Page.ID = c.Post
	if c.Reactions, err = numbers(reactions); err != nil {
		return c, err
	}
	if err = json.Unmarshal([]byte(form), &c.FormState); err != nil {
		return c, err
	}
	return c, json.Unmarshal([]byte(findings), &c.Findings)
}

// Comment returns a comment whatever its status, NotFound when there is none.
func (s *Store) Comment(ctx context.Context, id postil.CommentID) (postil.Comment, error) {
	return comment(ctx, s, id)
}

func comment(ctx context.Context, q queryer, id postil.CommentID) (postil.Comment, error) {
	c, ok, err := one(ctx, q, scanComment, "SELECT "+commentColumns+" FROM comments c WHERE c.comment_id = ?", int64(id))
	if err == nil && !ok {
		err = postil.Missing()
	}
	return c, err
}

func (tx *Tx) comment(id postil.CommentID) (postil.Comment, error) {
	return comment(context.Background(), tx, id)
}

// Comments returns the comments with these ids that exist, in no given order.
func (s *Store) Comments(ctx context.Context, ids []postil.CommentID) ([]postil.Comment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, n := placeholders(len(ids))
	return list(ctx, s, scanComment, "SELECT "+commentColumns+" FROM comments c WHERE c.comment_id IN ("+marks+")", fill(ids, n)...)
}

// insertComment stores a new pending comment below parent (nil for a root) and
// returns it as it would be read.
func (tx *Tx) insertComment(n postil.NewComment, parent *postil.Comment) (postil.Comment, error) {
	form, err := json.Marshal(n.Form)
	if err != nil {
		return postil.Comment{}, err
	}
	at, err := tx.place(parent)
	if err != nil {
		return postil.Comment{}, err
	}
	_, err = tx.exec(`INSERT INTO comments (comment_id, site_id, post_id, parent_comment_id, comment_body, comment_html, created_at,
			author_name, author_email, author_website, author_badge, actor_id, network_id, device_hash, user_agent,
			form_state, twin_hash, text_hash, edit_nonce, root_comment_id, depth, reply_path, page_title, page_url)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		int64(at.id), n.Site, n.Post.ID, nullID(at.parent), n.Text, n.HTML, millis(tx.now),
		n.Author.Name, n.Author.Email, n.Author.Website, n.Author.Badge, n.Origin.Actor, n.Origin.Network, n.Origin.Device, n.Origin.UserAgent,
		string(form), n.Replay.Twin, n.TextHash, n.Nonce, int64(at.root), at.depth, at.path, n.Post.Title, n.Post.URL)
	return postil.Comment{ID: at.id, Site: n.Site, Post: n.Post.ID, Parent: at.parent, Root: at.root, Depth: at.depth,
		Author: n.Author, Origin: n.Origin, Text: n.Text, HTML: n.HTML, FormState: n.Form, Nonce: n.Nonce,
		Page: n.Post, Status: postil.Pending, Revision: 1, Created: time.UnixMilli(millis(tx.now)).UTC()}, err
}

// location is where a comment stands in its thread.
type location struct {
	id, parent, root postil.CommentID
	depth            int
	path             []byte // empty for a root, see the migration
}

// place finds the location of a new comment below parent.
func (tx *Tx) place(parent *postil.Comment) (at location, err error) {
	if at.id, err = tx.nextCommentID(); err != nil || parent == nil {
		at.root, at.path = at.id, []byte{}
		return at, err
	}
	above, _, err := one(context.Background(), tx, column[[]byte], "SELECT reply_path FROM comments WHERE comment_id = ?", int64(parent.ID))
	at.below(*parent, above, millis(tx.now))
	return at, err
}
