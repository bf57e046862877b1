package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"strconv"

	"github.com/postil/postil/internal/postil"
)

const planColumns = "n.plan_id, n.kind, n.name, coalesce(n.site_id, ''), n.value, n.due_at, n.channel, n.actor, n.actor_name, n.reason, n.created_at"

func scanPlan(r scanner) (p postil.SettingPlan, err error) {
	var value string
	var due, created sql.NullInt64
	err = r.Scan(&p.ID, &p.Kind, &p.Name, &p.Site, &value, &due, &p.By.Channel, &p.By.Actor, &p.By.Name, &p.Reason, &created)
	p.Value, p.Due, p.Created = json.RawMessage(value), when(due), when(created)
	return p, err
}

// maxPlans is how many changes may be planned at a time.
const maxPlans = 1000

// PlannedSettings returns the changes that are to come, the next one first.
func (s *Store) PlannedSettings(ctx context.Context) ([]postil.SettingPlan, error) {
	return list(ctx, s, scanPlan, "SELECT "+planColumns+" FROM planned_settings n ORDER BY n.due_at, n.plan_id LIMIT ?", maxPlans)
}

// PlanSetting stores a change that is to happen later.
func (s *Store) PlanSetting(ctx context.Context, p postil.SettingPlan) (postil.SettingPlan, error) {
	err := s.Write(ctx, func(tx *Tx) error {
		if p.Site != "" {
			if _, err := tx.site(p.Site); err != nil {
				return err
			}
		}
		n, _, err := one(context.Background(), tx, column[int], "SELECT count(*) FROM planned_settings")
		if err == nil && n >= maxPlans {
			err = postil.InvalidField("at", "There are %s planned changes already. Drop some first.", postil.Thousands(maxPlans))
		}
		if err != nil {
			return err
		}
		p.Created = tx.now
		p.ID, err = tx.insert(`INSERT INTO planned_settings (kind, name, site_id, value, due_at, channel, actor, actor_name, reason, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, p.Kind, p.Name, nullText(string(p.Site)), string(p.Value), millis(p.Due),
			string(p.By.Channel), p.By.Actor, p.By.Name, p.Reason, millis(tx.now))
		if err != nil {
			return err
		}
		return tx.auditPlan(p.By, ".plan", p)
	})
	return p, err
}

// DropPlan forgets a planned change, NotFound when there is none.
func (s *Store) DropPlan(ctx context.Context, id int64, by postil.By) (p postil.SettingPlan, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		if p, err = tx.takePlan(id); err != nil {
			return err
		}
		return tx.auditPlan(by, ".unplan", p)
	})
	return p, err
}

// PlanDone forgets a planned change that happened, or that cannot. Doing it
// again is no error.
func (s *Store) PlanDone(ctx context.Context, id int64) error {
	return s.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM planned_settings WHERE plan_id = ?", id)
		return err
	})
}

func (tx *Tx) takePlan(id int64) (postil.SettingPlan, error) {
	p, ok, err := one(context.Background(), tx, scanPlan, "SELECT "+planColumns+" FROM planned_settings n WHERE n.plan_id = ?", id)
	if err == nil && !ok {
		err = postil.Missing()
	}
	if err == nil {
		_, err = tx.exec("DELETE FROM planned_settings WHERE plan_id = ?", id)
	}
	return p, err
}

func (tx *Tx) auditPlan(by postil.By, what string, p postil.SettingPlan) error {
	subject := string(p.Kind) + ":" + p.Name
	if p.Site != "" {
		subject += "@" + string(p.Site)
	}
	return tx.record(by, postil.AuditEntry{Action: string(p.Kind) + what, Subject: subject, Site: p.Site, Detail: p.Reason,
		After: map[string]any{"value": p.Value, "at": p.Due.UTC().Format("2006-01-02T15:04:05Z07:00"), "plan": strconv.FormatInt(p.ID, 10)}})
}
