package store

import (
	"github.com/postil/postil/internal/postil"
)

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
