package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/postil/postil/internal/postil"
)

const siteColumns = "s.site_id, s.name, s.origins, s.created_at, s.reactions, " + settingsOnSite

func scanSite(r scanner) (v postil.Site, err error) {
	var origins, settings string
	var created sql.NullInt64
	var reactions sql.NullString
	if err = r.Scan(&v.ID, &v.Name, &origins, &created, &reactions, &settings); err != nil {
		return v, err
	}
	v.Created, v.Reactions = when(created), postil.DefaultReactions()
	if reactions.Valid {
		v.Reactions = nil
		if err = json.Unmarshal([]byte(reactions.String), &v.Reactions); err != nil {
			return v, err
		}
	}
	if err = json.Unmarshal([]byte(origins), &v.Origins); err != nil {
		return v, err
	}
	var rows []carried
	if err = json.Unmarshal([]byte(settings), &rows); err != nil {
		return v, err
	}
	return v, carry(&v, rows)
}

// Site returns a site, NotFound when there is none. It is kept in memory and
// shared: whoever wants another one makes a copy.
func (s *Store) Site(ctx context.Context, id postil.SiteID) (postil.Site, error) {
	return s.memory.sites.get(&s.memory.epoch, id, func() (postil.Site, error) { return site(ctx, s, id) })
}

func site(ctx context.Context, q queryer, id postil.SiteID) (postil.Site, error) {
	v, ok, err := one(ctx, q, scanSite, "SELECT "+siteColumns+" FROM sites s WHERE s.site_id = ?", id)
	if err == nil && !ok {
		err = postil.Missing()
	}
	return v, err
}

func (tx *Tx) site(id postil.SiteID) (postil.Site, error) { return site(context.Background(), tx, id) }

// Sites returns all sites, the first made first: it is the default site.
func (s *Store) Sites(ctx context.Context) ([]postil.Site, error) {
	return list(ctx, s, scanSite, "SELECT "+siteColumns+" FROM sites s ORDER BY s.created_at, s.rowid")
}

// AddSite makes a site, Conflict when its key is taken. Of its settings those
// are its own that are not what counts where nobody decided anything.
func (s *Store) AddSite(ctx context.Context, v postil.Site, by postil.By) (postil.Site, error) {
	err := s.Write(ctx, func(tx *Tx) error {
		origins, err := json.Marshal(append([]string{}, v.Origins...))
		if err != nil {
			return err
		}
		_, err = tx.exec("INSERT INTO sites (site_id, name, origins, created_at, reactions) VALUES (?, ?, ?, ?, ?)", v.ID, v.Name, string(origins), millis(tx.now), offered(v))
		if duplicate(err) {
			return &postil.Error{Kind: postil.Conflict, Field: "key", Sentence: fmt.Sprintf("There is a site “%s” already. Change it with “postil site set %s …”, or choose another key.", v.ID, v.ID)}
		}
		if err != nil {
			return err
		}
		if err := tx.setCarried(v, postil.NewSite(v.ID), by); err != nil {
			return err
		}
		if v, err = tx.site(v.ID); err != nil {
			return err
		}
		return tx.record(by, postil.AuditEntry{Action: "site.add", Subject: "site:" + string(v.ID), After: siteSettings(v)})
	})
	return v, err
}

// offered is how the reactions of a site are stored: NULL for the usual ones,
// so that a site that chose nothing follows when they change.
func offered(v postil.Site) sql.NullString {
	if v.Reactions == nil || slices.Equal(v.Reactions, postil.DefaultReactions()) {
		return sql.NullString{}
	}
	raw, _ := json.Marshal(v.Reactions) // strings can always be encoded
	return sql.NullString{String: string(raw), Valid: true}
}

// SetSite changes a site by the given function, which may refuse. What it
// carries of its settings is written as such.
func (s *Store) SetSite(ctx context.Context, id postil.SiteID, by postil.By, change func(*postil.Site) error) (v postil.Site, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		was, err := tx.site(id)
		if err != nil {
			return err
		}
		v = was
		if err = change(&v); err != nil {
			return err
		}
		origins, err := json.Marshal(append([]string{}, v.Origins...))
		if err != nil {
			return err
		}
		_, err = tx.exec("UPDATE sites SET name = ?, origins = ?, reactions = ? WHERE site_id = ?", v.Name, string(origins), offered(v), id)
		if err != nil {
			return err
		}
		if err := tx.setCarried(v, was, by); err != nil {
			return err
		}
		before, after := changes(siteSettings(was), siteSettings(v))
		if err := tx.record(by, postil.AuditEntry{Action: "site.set", Subject: "site:" + string(id), Before: before, After: after}); err != nil {
			return err
		}
		if v, err = tx.site(id); err != nil {
			return err
		}
		return tx.Emit(postil.Event{Kind: postil.SiteUpdated, Site: id})
	})
	return v, err
}

// siteSettings are the settings of a site, as the audit log shows them.
func siteSettings(v postil.Site) map[string]any {
	b, _ := json.Marshal(v) // a site can always be written
	var all map[string]any
	_ = json.Unmarshal(b, &all)
	out := make(map[string]any, len(all))
	for name, value := range all {
		if name != "ID" && name != "Created" {
			out[strings.ToLower(apiName.ReplaceAllString(name, "${1}_$2"))] = value
		}
	}
	return out
}

// apiName finds where the name of a field has another word: MaxLinks is max_links.
var apiName = regexp.MustCompile(`([a-z])([A-Z])`)

// RemoveSite erases a site with everything that belongs to it.
func (s *Store) RemoveSite(ctx context.Context, id postil.SiteID, by postil.By) error {
	return s.Write(ctx, func(tx *Tx) error {
		n, err := tx.exec("DELETE FROM sites WHERE site_id = ?", id)
		if err != nil {
			return err
		}
		if n == 0 {
			return postil.Missing()
		}
		if err := tx.audit(by, "site.remove", "site:"+string(id), ""); err != nil {
			return err
		}
		return tx.Emit(postil.Event{Kind: postil.SiteUpdated, Site: id})
	})
}

// Record writes down what somebody did that changed nothing in the store.
func (s *Store) Record(ctx context.Context, by postil.By, action, subject string) error {
	return s.Write(ctx, func(tx *Tx) error { return tx.audit(by, action, subject, "") })
}
