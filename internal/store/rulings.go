package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/postil/postil/internal/postil"
)

const rulingColumns = `x.rule_id, coalesce(x.site_id, ''), x.kind, x.value, x.effect, x.shown, x.reason, x.list, x.until_at,
	x.channel, x.actor, x.actor_name, x.created_at`

func scanRuling(r scanner) (v postil.Ruling, err error) {
	var until, created sql.NullInt64
	err = r.Scan(&v.ID, &v.Site, &v.Subject.Kind, &v.Subject.Value, &v.Effect, &v.Shown, &v.Reason, &v.List, &until,
		&v.By.Channel, &v.By.Actor, &v.By.Name, &created)
	v.Until, v.Created = when(until), when(created)
	return v, err
}

// rulesKey is the value that changes with every rule, so that whoever keeps
// rules in memory knows when to read them again.
const rulesKey = "rules"

// Lay stores a rule, in the place of the one that its subject had on its site.
func (s *Store) Lay(ctx context.Context, r postil.Ruling, by postil.By) (postil.Ruling, error) {
	err := s.Write(ctx, func(tx *Tx) (err error) {
		if r.Site != "" {
			if _, err := tx.site(r.Site); err != nil {
				return err
			}
		}
		r.By, r.Created = by, tx.now
		if r.ID, err = tx.lay(r, true); err != nil {
			return err
		}
		if err := tx.audit(by, "rule.add", "rule:"+r.ID.String(), ruleInWords(r)); err != nil {
			return err
		}
		return tx.rulesChanged()
	})
	return r, err
}

// lay writes a rule and returns its id, 0 when one stands in the way that may
// not be replaced: an imported entry never takes the place of somebody's word.
func (tx *Tx) lay(r postil.Ruling, replace bool) (postil.RulingID, error) {
	old, found, err := one(context.Background(), tx, scanRuling,
		"SELECT "+rulingColumns+" FROM rules x WHERE x.kind = ? AND x.value = ? AND coalesce(x.site_id, '') = ?", r.Subject.Kind, r.Subject.Value, r.Site)
	if err != nil || found && !replace && old.List != r.List {
		return 0, err
	}
	if found {
		if _, err := tx.exec("DELETE FROM rules WHERE rule_id = ?", int64(old.ID)); err != nil {
			return 0, err
		}
	}
	id, err := tx.insert(`INSERT INTO rules (site_id, kind, value, effect, shown, reason, list, until_at, channel, actor, actor_name, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, nullText(string(r.Site)), r.Subject.Kind, r.Subject.Value, r.Effect, r.Shown, r.Reason, r.List,
		nullMillis(r.Until), string(r.By.Channel), r.By.Actor, r.By.Name, millis(r.Created))
	return postil.RulingID(id), err
}

// ruleInWords is a rule as the audit log writes it.
func ruleInWords(r postil.Ruling) string {
	site := string(r.Site)
	if site == "" {
		site = "every site"
	}
	text := fmt.Sprintf("%s %s “%s” on %s", r.Effect, r.Subject.Kind, r.Shown, site)
	if !r.Until.IsZero() {
		text += " until " + r.Until.UTC().Format(time.RFC3339)
	}
	if r.Reason != "" {
		text += ": " + r.Reason
	}
	return text
}

func (tx *Tx) rulesChanged() error {
	v, _, err := one(context.Background(), tx, column[string], "SELECT value FROM meta WHERE key = ?", rulesKey)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(v)
	return tx.setMeta(rulesKey, strconv.Itoa(n+1))
}

// Lift takes a rule back, NotFound when there is none. It returns what it was.
func (s *Store) Lift(ctx context.Context, id postil.RulingID, by postil.By) (r postil.Ruling, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		var found bool
		r, found, err = one(context.Background(), tx, scanRuling, "SELECT "+rulingColumns+" FROM rules x WHERE x.rule_id = ?", int64(id))
		if err != nil {
			return err
		}
		if !found {
			return postil.Missing()
		}
		if _, err := tx.exec("DELETE FROM rules WHERE rule_id = ?", int64(id)); err != nil {
			return err
		}
		if err := tx.audit(by, "rule.remove", "rule:"+id.String(), ruleInWords(r)); err != nil {
			return err
		}
		return tx.rulesChanged()
	})
	return r, err
}

// Import stores entries of a list, all of which have the same site, list and
// effect, and returns how many are in force through it: a subject that has a
// rule of its own, or stands in another list, keeps that.
func (s *Store) Import(ctx context.Context, entries []postil.Ruling, by postil.By) (n int, err error) {
	if len(entries) == 0 {
		return 0, nil
	}
	err = s.Write(ctx, func(tx *Tx) error {
		n = 0
		of := entries[0]
		if of.Site != "" {
			if _, err := tx.site(of.Site); err != nil {
				return err
			}
		}
		for _, r := range entries {
			r.By, r.Created = by, tx.now
			id, err := tx.lay(r, false)
			if err != nil {
				return err
			}
			if id != 0 {
				n++
			}
		}
		if err := tx.audit(by, "rules.import", "list:"+of.List, fmt.Sprintf("%d entries, %s", n, of.Effect)); err != nil {
			return err
		}
		return tx.rulesChanged()
	})
	return n, err
}

// DropList takes back what was imported with a list on a site ("": on every
// site) and returns how much that was.
func (s *Store) DropList(ctx context.Context, site postil.SiteID, list string, by postil.By) (n int64, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		n, err = tx.exec("DELETE FROM rules WHERE list = ? AND list <> '' AND coalesce(site_id, '') = ?", list, site)
		if err != nil {
			return err
		}
		if n == 0 {
			return postil.Missing()
		}
		if err := tx.audit(by, "rules.drop", "list:"+list, fmt.Sprintf("%d entries", n)); err != nil {
			return err
		}
		return tx.rulesChanged()
	})
	return n, err
}

// Ruling returns a rule, NotFound when there is none.
func (s *Store) Ruling(ctx context.Context, id postil.RulingID) (postil.Ruling, error) {
	r, ok, err := one(ctx, s, scanRuling, "SELECT "+rulingColumns+" FROM rules x WHERE x.rule_id = ?", int64(id))
	if err == nil && !ok {
		err = postil.Missing()
	}
	return r, err
}

// Rulings returns a page of rules, the newest first, those that are over included.
func (s *Store) Rulings(ctx context.Context, f postil.RulingFilter) ([]postil.Ruling, error) {
	w := &where{}
	if f.List != "" {
		w.and("x.list = ? AND x.list <> ''", f.List)
	} else {
		w.and("x.list = ''")
	}
	if f.Before != 0 {
		w.and("x.rule_id < ?", int64(f.Before))
	}
	if len(f.Sites) > 0 {
		w.in("coalesce(x.site_id, '')", append(anys(f.Sites), ""))
	}
	return list(ctx, s, scanRuling, "SELECT "+rulingColumns+" FROM rules x"+w.String()+" ORDER BY x.rule_id DESC LIMIT ?",
		append(w.args, min(max(f.Limit, 1), maxListed))...)
}

// RulingLists returns the lists that were imported.
func (s *Store) RulingLists(ctx context.Context) ([]postil.RulingList, error) {
	return list(ctx, s, func(r scanner) (v postil.RulingList, err error) {
		var created sql.NullInt64
		err = r.Scan(&v.Name, &v.Site, &v.Kind, &v.Effect, &v.Entries, &created)
		v.Created = when(created)
		return v, err
	}, `SELECT x.list, coalesce(x.site_id, ''), min(x.kind), min(x.effect), count(*), min(x.created_at) FROM rules x WHERE x.list <> ''
		GROUP BY x.list, coalesce(x.site_id, '') ORDER BY x.list, coalesce(x.site_id, '')`)
}

// ListEntries returns the rules about words, names and hosts of one site, or
// with "" those for every site.
func (s *Store) ListEntries(ctx context.Context, site postil.SiteID) ([]postil.Ruling, error) {
	return list(ctx, s, scanRuling, "SELECT "+rulingColumns+` FROM rules x WHERE x.kind IN ('word', 'name', 'host') AND coalesce(x.site_id, '') = ?`, site)
}

// rulingsOn returns the rules about who wrote a comment that are in force, and
// the mark that changes with every rule.
func (s *Store) rulingsOn(ctx context.Context, c postil.Comment) (rulings []postil.Ruling, mark string, err error) {
	if mark, err = s.Meta(ctx, rulesKey); err != nil || mark == "" {
		return nil, "", err
	}
	all, err := list(ctx, s, scanRuling, "SELECT "+rulingColumns+` FROM rules x
		WHERE (x.kind = 'device' AND x.value = ? OR x.kind = 'user' AND x.value = ? OR x.kind = 'network' AND x.value = ? OR x.kind = 'name' AND x.value = ?)
			AND coalesce(x.site_id, '') IN (?, '')`,
		c.Origin.Device, c.UserID, c.Origin.Network, postil.NameKey(c.Author.Name), c.Site)
	for _, r := range all {
		if r.InForce(c.Created) && (r.Subject.Kind != postil.OnName || r.Effect == postil.EffectBan) {
			rulings = append(rulings, r)
		}
	}
	return rulings, mark, err
}
