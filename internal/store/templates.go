package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/postil/postil/internal/postil"
)

const templateColumns = "t.template_id, coalesce(t.site_id, ''), t.name, t.body, t.created_at, t.updated_at"

func scanTemplate(r scanner) (t postil.ReplyTemplate, err error) {
	var created, updated sql.NullInt64
	err = r.Scan(&t.ID, &t.Site, &t.Name, &t.Text, &created, &updated)
	t.Created, t.Updated = when(created), when(updated)
	return t, err
}

// maxTemplates is how many reply templates are listed.
const maxTemplates = 500

// ReplyTemplates returns the templates for a site and those for every site, or
// for "" all there are, by name.
func (s *Store) ReplyTemplates(ctx context.Context, site postil.SiteID) ([]postil.ReplyTemplate, error) {
	w := &where{}
	if site != "" {
		w.and("(t.site_id = ? OR t.site_id IS NULL)", site)
	}
	all, err := list(ctx, s, scanTemplate, "SELECT "+templateColumns+" FROM reply_templates t"+w.String()+" LIMIT ?", append(w.args, maxTemplates)...)
	slices.SortFunc(all, func(a, b postil.ReplyTemplate) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return all, err
}

// ReplyTemplate returns a template, NotFound when there is none.
func (s *Store) ReplyTemplate(ctx context.Context, id int64) (postil.ReplyTemplate, error) {
	t, ok, err := one(ctx, s, scanTemplate, "SELECT "+templateColumns+" FROM reply_templates t WHERE t.template_id = ?", id)
	if err == nil && !ok {
		err = postil.Missing()
	}
	return t, err
}

// AddReplyTemplate stores a template.
func (s *Store) AddReplyTemplate(ctx context.Context, t postil.ReplyTemplate, by postil.By) (postil.ReplyTemplate, error) {
	err := s.Write(ctx, func(tx *Tx) (err error) {
		if t.Site != "" {
			if _, err := tx.site(t.Site); err != nil {
				return err
			}
		}
		t.Created, t.Updated = tx.now, tx.now
		t.ID, err = tx.insert("INSERT INTO reply_templates (site_id, name, body, created_at, updated_at) VALUES (?, ?, ?, ?, ?)",
			nullText(string(t.Site)), t.Name, t.Text, millis(tx.now), millis(tx.now))
		if err != nil {
			return err
		}
		return tx.record(by, postil.AuditEntry{Action: "reply-template.add", Subject: "reply-template:" + t.Label(), Site: t.Site, Detail: t.Name})
	})
	return t, err
}

// RemoveReplyTemplate takes a template away; one that is gone already is no error.
func (s *Store) RemoveReplyTemplate(ctx context.Context, t postil.ReplyTemplate, by postil.By) error {
	return s.Write(ctx, func(tx *Tx) error {
		gone, err := tx.exec("DELETE FROM reply_templates WHERE template_id = ?", t.ID)
		if err != nil || gone == 0 {
			return err
		}
		return tx.record(by, postil.AuditEntry{Action: "reply-template.remove", Subject: "reply-template:" + t.Label(), Site: t.Site, Detail: t.Name})
	})
}
