package settings

import (
	"context"
	"log/slog"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Plans keeps changes that are to happen later.
type Plans interface {
	PlannedSettings(ctx context.Context) ([]postil.SettingPlan, error)
	PlanSetting(ctx context.Context, p postil.SettingPlan) (postil.SettingPlan, error)
	DropPlan(ctx context.Context, id int64, by postil.By) (postil.SettingPlan, error)
	PlanDone(ctx context.Context, id int64) error
}

// Planner makes planned changes when their time has come, in the name of who
// planned them.
type Planner struct {
	lg    *slog.Logger
	live  *Live
	plans Plans
}

// NewPlanner returns a planner.
func NewPlanner(lg *slog.Logger, live *Live, plans Plans) *Planner { return &Planner{lg, live, plans} }

// longestPlan is how far ahead a change may be planned.
const longestPlan = 366 * 24 * time.Hour

// Plan checks a change and keeps it until its time. Errors are those of Set, and
// Invalid for a time that is past or too far away.
func (p *Planner) Plan(ctx context.Context, ch postil.SettingChange, at time.Time) (postil.SettingPlan, error) {
	ch, err := p.live.checked(ch)
	if err != nil {
		return postil.SettingPlan{}, err
	}
	if now := p.live.opt.Now(ctx); !at.After(now) || at.Sub(now) > longestPlan {
		return postil.SettingPlan{}, postil.InvalidField("at", "“at” is a time to come, within a year, such as 2026-12-24T18:00:00Z. Leave it out to change the value now.")
	}
	return p.plans.PlanSetting(ctx, postil.SettingPlan{SettingKey: ch.SettingKey, Value: ch.Value, Due: at.UTC(), By: ch.By, Reason: ch.Reason})
}

// Planned returns what is to happen to settings of a kind and a name, or of all
// when they are "", the next first.
func (p *Planner) Planned(ctx context.Context, kind postil.SettingKind, name string) (out []postil.SettingPlan, err error) {
	all, err := p.plans.PlannedSettings(ctx)
	for _, v := range all {
		if (kind == "" || v.Kind == kind) && (name == "" || v.Name == name) {
			out = append(out, v)
		}
	}
	return out, err
}

// Drop forgets a planned change.
func (p *Planner) Drop(ctx context.Context, id int64, by postil.By) error {
	_, err := p.plans.DropPlan(ctx, id, by)
	return err
}

// Run makes changes when they are due, until ctx ends.
func (p *Planner) Run(ctx context.Context) error {
	tick := time.NewTicker(scheduleEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := p.Look(ctx); err != nil && ctx.Err() == nil {
				p.lg.Warn("planned changes of settings could not be made; it is tried again", "err", err)
			}
		}
	}
}

// Look makes what is due. A change that is refused by now, as when its site is
// gone, is dropped.
func (p *Planner) Look(ctx context.Context) error {
	all, err := p.plans.PlannedSettings(ctx)
	if err != nil {
		return err
	}
	now := p.live.opt.Now(ctx)
	for _, v := range all {
		if v.Due.After(now) {
			return nil
		}
		_, err := p.live.Set(ctx, postil.SettingChange{SettingKey: v.SettingKey, Value: v.Value, By: v.By, Reason: v.Reason})
		switch postil.KindOf(err) {
		case postil.Invalid, postil.NotFound:
			if err != nil {
				p.lg.Warn("a planned change of a setting is not possible any more", "setting", v.Name, "err", err)
				err = nil
			}
		}
		if err != nil {
			return err
		}
		if err := p.plans.PlanDone(ctx, v.ID); err != nil {
			return err
		}
	}
	return nil
}
