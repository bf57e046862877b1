package store

import (
	"context"
	"database/sql"

	"github.com/postil/postil/internal/postil"
)

const postColumns = "p.site_id, p.post_id, p.title, p.url, p.titled_by, p.closed, p.version, p.comment_count, p.root_count, p.created_at"

func scanPost(r scanner) (p postil.Post, err error) {
	var created sql.NullInt64
	err = r.Scan(&p.Site, &p.ID, &p.Title, &p.URL, &p.TitledBy, &p.Closed, &p.Version, &p.Count, &p.Roots, &created)
	p.Created = when(created)
	return p, err
}

// Post returns a post. One that nobody has commented on yet has its key and
// nothing else; that is no error.
func (s *Store) Post(ctx context.Context, site postil.SiteID, id postil.PostID) (postil.Post, error) {
	return post(ctx, s, site, id)
}

func post(ctx context.Context, q queryer, site postil.SiteID, id postil.PostID) (postil.Post, error) {
	p, ok, err := one(ctx, q, scanPost, "SELECT "+postColumns+" FROM posts p WHERE p.site_id = ? AND p.post_id = ?", site, id)
	if err == nil && !ok {
		p = postil.Post{Site: site, ID: id}
	}
	return p, err
}

func (tx *Tx) post(site postil.SiteID, id postil.PostID) (postil.Post, error) {
	return post(context.Background(), tx, site, id)
}

// ensurePost makes the post unless it exists. Only the word of the blog's
// author for its title and address is taken at once, in place of a visitor's;
// for that of visitors see namePost.
func (tx *Tx) ensurePost(site postil.SiteID, ref postil.PostRef, trusted bool) error {
	by := "visitor"
	if trusted && ref.Title != "" {
		by = "admin"
	} else {
		ref.Title, ref.URL = "", ""
	}
	_, err := tx.exec(`INSERT INTO posts (site_id, post_id, title, url, titled_by, created_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (site_id, post_id) DO UPDATE SET titled_by = excluded.titled_by, title = excluded.title,
			url = CASE WHEN excluded.url <> '' THEN excluded.url ELSE posts.url END
		WHERE posts.titled_by = 'visitor' AND excluded.titled_by = 'admin'`,
		site, ref.ID, ref.Title, ref.URL, by, millis(tx.now))
	return err
}

// namePost takes title and address of a post from a comment that has become
// public: a title is as good a place for an advertisement as a text, so it
// counts when somebody has decided about what it came with. The first public
// comment names the post, later ones only what is still missing, and no
// visitor what an admin has named.
func (tx *Tx) namePost(c postil.Comment, first bool) error {
	_, err := tx.exec(`UPDATE posts SET title = CASE WHEN ? OR title = '' THEN ? ELSE title END, url = CASE WHEN ? OR url = '' THEN ? ELSE url END
		WHERE site_id = ? AND post_id = ? AND titled_by = 'visitor'`, first, c.Page.Title, first, c.Page.URL, c.Site, c.Post)
	return err
}

// SetPost changes a post and tells its readers.
func (s *Store) SetPost(ctx context.Context, site postil.SiteID, id postil.PostID, ch postil.PostChange, by postil.By) (out postil.Post, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		if _, err := tx.site(site); err != nil {
			return err
		}
		if id, err = tx.key(site, id); err != nil {
			return err
		}
		if err := tx.ensurePost(site, postil.PostRef{ID: id}, false); err != nil {
			return err
		}
		was, err := tx.post(site, id)
		if err != nil {
			return err
		}
		_, err = tx.exec(`UPDATE posts SET title = coalesce(?, title), url = coalesce(?, url), closed = coalesce(?, closed),
				titled_by = CASE WHEN ? OR ? THEN 'admin' ELSE titled_by END
			WHERE site_id = ? AND post_id = ?`, ch.Title, ch.URL, ch.Closed, ch.Title != nil, ch.URL != nil, site, id)
		if err != nil {
			return err
		}
		if err := tx.bump(site, id, 0, 0); err != nil {
			return err
		}
		if out, err = tx.post(site, id); err != nil {
			return err
		}
		before, after := changes(postSettings(was), postSettings(out))
		if err := tx.record(by, postil.AuditEntry{Action: "post.set", Subject: "post:" + string(site) + ":" + string(id), Before: before, After: after}); err != nil {
			return err
		}
		return tx.Emit(postil.Event{Kind: postil.ThreadUpdated, Site: site, Post: id, Version: out.Version})
	})
	return out, err
}

func postSettings(p postil.Post) map[string]any {
	return map[string]any{"title": p.Title, "url": p.URL, "closed": p.Closed}
}

// Counts returns the number of shown comments for each key; a post that nobody
// has commented on counts 0.
func (s *Store) Counts(ctx context.Context, site postil.SiteID, ids []postil.PostID) (map[postil.PostID]int, error) {
	out := make(map[postil.PostID]int, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	for _, id := range ids {
		out[id] = 0
	}
	marks, n := placeholders(len(ids))
	posts, err := list(ctx, s, scanPost, "SELECT "+postColumns+" FROM posts p WHERE p.site_id = ? AND p.post_id IN ("+marks+")",
		append([]any{site}, fill(ids, n)...)...)
	for _, p := range posts {
		out[p.ID] = p.Count
	}
	return out, err
}

// bump moves the counts of a post and gives it its next version.
func (tx *Tx) bump(site postil.SiteID, id postil.PostID, comments, roots int) error {
	_, err := tx.exec(`UPDATE posts SET version = version + 1, comment_count = comment_count + ?, root_count = root_count + ?
		WHERE site_id = ? AND post_id = ?`, comments, roots, site, id)
	return err
}
