package store

import (
	"context"

	"github.com/postil/postil/internal/postil"
)

// EraseUser erases an account and whatever of it its comments carried. Their
// texts stay, as those of a deleted user. NotFound when there is no such user.
func (s *Store) EraseUser(ctx context.Context, id string, by postil.By) error {
	return s.Write(ctx, func(tx *Tx) error {
		threads, err := tx.threadsOf(id)
		if err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE comments SET user_gone = 1, author_name = '', author_email = '', author_website = '',
				actor_id = '', network_id = '', device_hash = '', user_agent = '' WHERE user_id = ?`, id); err != nil {
			return err
		}
		n, err := tx.exec("DELETE FROM users WHERE user_id = ?", id)
		if err != nil {
			return err
		}
		if n == 0 {
			return postil.Missing()
		}
		for _, at := range threads {
			if err := tx.threadChanged(at.Site, at.Post); err != nil {
				return err
			}
		}
		return tx.audit(by, "user.erase", "user:"+id, "")
	})
}

// threadsOf returns each thread that a user wrote in, once.
func (tx *Tx) threadsOf(user string) ([]postil.Event, error) {
	places, err := list(context.Background(), tx, func(r scanner) (at postil.Event, err error) { return at, r.Scan(&at.Site, &at.Post) },
		"SELECT site_id, post_id FROM comments WHERE user_id = ?", user)
	seen := map[postil.Event]bool{}
	var out []postil.Event
	for _, at := range places {
		if !seen[at] {
			seen[at] = true
			out = append(out, at)
		}
	}
	return out, err
}

// threadChanged gives a thread its next version and tells its readers.
func (tx *Tx) threadChanged(site postil.SiteID, id postil.PostID) error {
	if err := tx.bump(site, id, 0, 0); err != nil {
		return err
	}
	p, err := tx.post(site, id)
	if err != nil {
		return err
	}
	return tx.Emit(postil.Event{Kind: postil.ThreadUpdated, Site: site, Post: id, Version: p.Version})
}
