package store

import (
	"context"
	"time"

	"github.com/postil/postil/internal/postil"
)

// twinWindow is how long the same text from the same hand counts as sent twice
// and not as said again.
const twinWindow = 10 * time.Minute

// AddComment stores a comment as pending together with the event that brings
// it to the checks. then, when given, is applied in the same transaction, for
// authors whose comments need no asking. A request that was stored before
// returns what it stored then.
func (s *Store) AddComment(ctx context.Context, n postil.NewComment, then postil.Rule) (out postil.Stored, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		out, err = tx.addComment(n, then)
		return err
	})
	if err == nil && then == nil && !out.Replayed {
		s.fresh.put(out.Comment)
	}
	return out, err
}

func (tx *Tx) addComment(n postil.NewComment, then postil.Rule) (postil.Stored, error) {
	key, err := tx.key(n.Site, n.Post.ID)
	if err != nil {
		return postil.Stored{}, err
	}
	n.Post.ID = key
	if out, found, err := tx.replayed(n); found || err != nil {
		return out, err
	}
	version, err := tx.openPost(n)
	if err != nil {
		return postil.Stored{}, err
	}
	parent, err := tx.publicParent(n)
	if err != nil {
		return postil.Stored{}, err
	}
	if err := tx.useForm(&n); err != nil {
		return postil.Stored{}, err
	}
	c, err := tx.insertComment(n, parent)
	if err != nil {
		return postil.Stored{}, err
	}
	if err := tx.remember(n, c.ID); err != nil {
		return postil.Stored{}, err
	}
	if err := tx.received(c); err != nil {
		return postil.Stored{}, err
	}
	if then == nil {
		err = tx.Emit(postil.Event{Kind: postil.CommentSubmitted, Site: n.Site, Post: n.Post.ID, Comment: c.ID})
		return postil.Stored{Comment: c, Version: version}, err
	}
	if _, err = tx.change(c.ID, then); err != nil {
		return postil.Stored{}, err
	}
	return tx.stored(c.ID, false)
}

func (tx *Tx) stored(id postil.CommentID, replayed bool) (postil.Stored, error) {
	c, err := tx.comment(id)
	if err != nil {
		return postil.Stored{}, err
	}
	post, err := tx.post(c.Site, c.Post)
	return postil.Stored{Comment: c, Version: post.Version, Replayed: replayed}, err
}

// replayed finds the comment that the same request stored before: by its
// Idempotency-Key, or by the same text from the same hand a moment ago.
func (tx *Tx) replayed(n postil.NewComment) (out postil.Stored, found bool, err error) {
	id, twin, err := sentBefore(context.Background(), tx, n, tx.now)
	if err != nil || id == 0 {
		return out, false, err
	}
	if twin {
		if err := tx.remember(n, id); err != nil {
			return out, false, err
		}
	}
	out, err = tx.stored(id, true)
	return out, true, err
}

// SentBefore returns what the same request stored before, without storing
// anything: for whoever refuses new comments and knows old ones.
func (s *Store) SentBefore(ctx context.Context, n postil.NewComment) (out postil.Stored, found bool, err error) {
	id, _, err := sentBefore(ctx, s, n, s.Now(ctx))
	if err != nil || id == 0 {
		return out, false, err
	}
	out.Replayed = true
	if out.Comment, err = s.Comment(ctx, id); err != nil {
		return out, false, err
	}
	post, err := s.Post(ctx, n.Site, out.Comment.Post)
	out.Version = post.Version
	return out, err == nil, err
}

// sentBefore finds the comment that the same request stored, 0 for none: by its
// key, or as a twin by text and hand.
func sentBefore(ctx context.Context, q queryer, n postil.NewComment, now time.Time) (id postil.CommentID, twin bool, err error) {
	if n.Replay.Key != "" {
		type answered struct {
			body string
			id   postil.CommentID
		}
		old, ok, err := one(ctx, q, func(r scanner) (a answered, err error) { return a, r.Scan(&a.body, &a.id) },
			"SELECT body_hash, comment_id FROM replays WHERE replay_key = ? AND created_at > ?", n.Replay.Key, millis(now.Add(-24*time.Hour)))
		if err != nil {
			return 0, false, err
		}
		if ok && old.body != n.Replay.Body {
			return 0, false, &postil.Error{Kind: postil.Conflict, Slug: "idempotency-mismatch",
				Sentence: "This Idempotency-Key was used for another comment within the last day. Send the new comment with a new key."}
		}
		if ok {
			return old.id, false, nil
		}
	}
	if n.Replay.Twin == "" {
		return 0, false, nil
	}
	id, _, err = one(ctx, q, column[postil.CommentID],
		"SELECT comment_id FROM comments WHERE twin_hash = ? AND twin_hash <> '' AND created_at > ? AND status <> 'deleted' ORDER BY created_at DESC LIMIT 1",
		n.Replay.Twin, millis(now.Add(-twinWindow)))
	return id, true, err
}

// openPost makes the post with its first comment, and refuses where nothing
// may be written. It returns the version of the thread.
func (tx *Tx) openPost(n postil.NewComment) (version int64, err error) {
	at, err := tx.threshold(n.Site, n.Post.ID)
	if err != nil {
		return 0, err
	}
	if at.locked && !n.Trusted {
		return 0, postil.Refuse("lockdown", "The author of this blog has paused new comments for now. Please come back later.")
	}
	if at.closed && !n.Trusted {
		return 0, postil.Refuse("post-closed", "Comments on this page are closed. They can still be read.")
	}
	if at.known && !n.Trusted {
		return at.version, nil
	}
	if err := tx.ensurePost(n.Site, n.Post, n.Trusted); err != nil {
		return 0, err
	}
	at, err = tx.threshold(n.Site, n.Post.ID)
	return at.version, err
}

// threshold is what a new comment has to pass.
type threshold struct {
	locked, known, closed bool // of the site; of the post
	version               int64
}

// threshold reads it at once: every comment asks.
func (tx *Tx) threshold(site postil.SiteID, id postil.PostID) (threshold, error) {
	at, ok, err := one(context.Background(), tx, func(r scanner) (v threshold, err error) { return v, r.Scan(&v.locked, &v.known, &v.closed, &v.version) },
		`SELECT EXISTS (SELECT 1 FROM settings t WHERE t.kind = 'config' AND t.name = 'policy.lockdown' AND coalesce(t.site_id, '') IN ('', s.site_id) AND t.value = 'true'),
			p.post_id IS NOT NULL, coalesce(p.closed, 0), coalesce(p.version, 0)
		FROM sites s LEFT JOIN posts p ON p.site_id = s.site_id AND p.post_id = ? WHERE s.site_id = ?`, id, site)
	if err == nil && !ok {
		err = postil.Missing()
	}
	return at, err
}

// publicParent returns the comment that is answered, nil for a root. Unknown,
// foreign and not public parents are one and the same refusal.
func (tx *Tx) publicParent(n postil.NewComment) (*postil.Comment, error) {
	if n.Parent == 0 {
		return nil, nil
	}
	p, err := tx.comment(n.Parent)
	if postil.KindOf(err) == postil.NotFound || err == nil && (p.Site != n.Site || p.Post != n.Post.ID || p.Visible != postil.Shown) {
		return nil, postil.InvalidField("parent_id", "The comment you are answering is not on this page, or was removed. Copy your text, reload the page and answer another one.")
	}
	if err == nil && p.Depth >= postil.MaxDepth {
		return nil, postil.InvalidField("parent_id", "This conversation is as deep as it can get. Answer a comment further up instead.")
	}
	return &p, err
}

// useForm marks a form token as used; the second use is a finding, no refusal.
func (tx *Tx) useForm(n *postil.NewComment) error {
	if n.FormKey == "" {
		return nil
	}
	rows, err := tx.exec("INSERT INTO form_uses (form_key, used_at) VALUES (?, ?) ON CONFLICT DO NOTHING", n.FormKey, millis(tx.now))
	if err == nil && rows == 0 {
		n.Form.Token = "reused"
	}
	return err
}

// remember stores which comment answered a request, for its replay.
func (tx *Tx) remember(n postil.NewComment, id postil.CommentID) error {
	if n.Replay.Key == "" {
		return nil
	}
	_, err := tx.exec("INSERT INTO replays (replay_key, body_hash, comment_id, created_at) VALUES (?, ?, ?, ?) "+
		"ON CONFLICT (replay_key) DO UPDATE SET body_hash = excluded.body_hash, comment_id = excluded.comment_id, created_at = excluded.created_at",
		n.Replay.Key, n.Replay.Body, int64(id), millis(tx.now))
	return err
}
