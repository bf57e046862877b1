package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
)

const auditColumns = "a.audit_id, a.at, a.channel, a.actor, a.actor_name, a.action, a.subject, a.site_id, a.detail, a.batch, a.before, a.after"

const (
	maxAudit  = 1000 // lines of a page
	auditLook = 5000 // lines that are looked at for one page
)

func scanAudit(r scanner) (a postil.AuditEntry, err error) {
	var at sql.NullInt64
	var before, after string
	if err = r.Scan(&a.ID, &at, &a.By.Channel, &a.By.Actor, &a.By.Name, &a.Action, &a.Subject, &a.Site, &a.Detail, &a.Batch, &before, &after); err != nil {
		return a, err
	}
	a.At = when(at)
	if err = json.Unmarshal([]byte(before), &a.Before); err != nil {
		return a, err
	}
	return a, json.Unmarshal([]byte(after), &a.After)
}

// audit writes down who changed what.
func (tx *Tx) audit(by postil.By, action, subject, detail string) error {
	return tx.record(by, postil.AuditEntry{Action: action, Subject: subject, Detail: detail})
}

// record is audit with the site and what was before and after. Where the site
// is not said it is that of the subject.
func (tx *Tx) record(by postil.By, a postil.AuditEntry) error {
	if a.Site == "" {
		a.Site = siteOfSubject(a.Subject)
	}
	before, err := jsonObject(a.Before)
	if err != nil {
		return err
	}
	after, err := jsonObject(a.After)
	if err != nil {
		return err
	}
	_, err = tx.exec("INSERT INTO audit (at, channel, actor, actor_name, action, subject, site_id, detail, batch, before, after) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		millis(tx.now), string(by.Channel), by.Actor, by.Name, a.Action, a.Subject, a.Site, a.Detail, a.Batch, before, after)
	return err
}

func jsonObject(v map[string]any) (string, error) {
	if len(v) == 0 {
		return "{}", nil
	}
	b, err := json.Marshal(v)
	return string(b), err
}

// siteOfSubject reads the site of "site:KEY" and "post:KEY:…".
func siteOfSubject(subject string) postil.SiteID {
	kind, rest, _ := strings.Cut(subject, ":")
	if kind != "site" && kind != "post" {
		return ""
	}
	key, _, _ := strings.Cut(rest, ":")
	return postil.SiteID(key)
}

// changes returns what differs between two sets of settings.
func changes(before, after map[string]any) (was, is map[string]any) {
	was, is = map[string]any{}, map[string]any{}
	for name, v := range after {
		old, _ := json.Marshal(before[name]) // values of a row can always be written
		now, _ := json.Marshal(v)
		if string(old) != string(now) {
			was[name], is[name] = before[name], v
		}
	}
	return was, is
}

// Audit returns a page of the log.
func (s *Store) Audit(ctx context.Context, f postil.AuditFilter) (page postil.AuditPage, err error) {
	f.Limit = min(max(f.Limit, 1), maxAudit)
	below := int64(1<<63 - 1)
	if f.Cursor != "" {
		if below, err = strconv.ParseInt(f.Cursor, 10, 64); err != nil || below < 1 {
			return page, postil.InvalidField("cursor", "This marker of a page is damaged. Load the log from its start, without “cursor”.")
		}
	}
	phrases := markup.SearchPhrases(f.Query)
	for looked := 0; ; looked += maxAudit {
		rows, err := s.auditRows(ctx, f, below)
		if err != nil {
			return page, err
		}
		for _, a := range rows {
			if len(page.Entries) == f.Limit {
				page.Next = strconv.FormatInt(below, 10)
				return page, nil
			}
			below = a.ID
			if tells(a, phrases) {
				page.Entries = append(page.Entries, a)
			}
		}
		if len(rows) < maxAudit {
			return page, nil
		}
		if looked >= auditLook {
			page.Next = strconv.FormatInt(below, 10)
			return page, nil
		}
	}
}

// auditRows walks along the log, or along that of one site; a time only narrows
// it, since an index of times would have the lines sorted.
func (s *Store) auditRows(ctx context.Context, f postil.AuditFilter, below int64) ([]postil.AuditEntry, error) {
	w := &where{}
	w.and("a.audit_id < ?", below)
	switch len(f.Sites) {
	case 0:
	case 1:
		w.and("a.site_id = ?", f.Sites[0])
	default:
		w.in("+a.site_id", anys(f.Sites)) // the log gives the order
	}
	if f.Actor != "" {
		w.and("? IN (a.actor, a.actor_name)", f.Actor)
	}
	if f.Action != "" {
		w.and("substr(a.action, 1, length(?)) = ?", f.Action, f.Action)
	}
	if f.Subject != "" {
		w.and("a.subject = ?", f.Subject)
	}
	if f.Channel != "" {
		w.and("a.channel = ?", string(f.Channel))
	}
	if !f.From.IsZero() {
		w.and("+a.at >= ?", millis(f.From))
	}
	if !f.To.IsZero() {
		w.and("+a.at < ?", millis(f.To))
	}
	return list(ctx, s, scanAudit, "SELECT "+auditColumns+" FROM audit a"+w.String()+" ORDER BY a.audit_id DESC LIMIT ?", append(w.args, maxAudit)...)
}

// tells reports whether a line has all of the phrases.
func tells(a postil.AuditEntry, phrases []markup.SearchPhrase) bool {
	if len(phrases) == 0 {
		return true
	}
	before, _ := jsonObject(a.Before) // came out of JSON
	after, _ := jsonObject(a.After)
	text := strings.Join([]string{a.Action, a.Subject, a.By.Actor, a.By.Name, a.Detail, before, after}, "\n")
	words, form := " "+strings.Join(markup.SearchWords(text), " ")+" ", markup.SearchForm(text)
	for _, p := range phrases {
		if !strings.Contains(words, " "+strings.Join(p.Words, " ")+" ") && len(p.Words) > 0 || !strings.Contains(form, p.Literal) {
			return false
		}
	}
	return true
}
