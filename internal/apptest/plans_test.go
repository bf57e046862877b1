package apptest

import (
	"testing"
	"time"
)

func TestAPlannedChangeOfASettingHappensAtItsTimeAndCanBeDropped(t *testing.T) {
	t.Parallel()
	a := Start(t, Options{})
	type plans struct {
		Plans []struct {
			ID    string
			Value any
			By    string
		}
	}
	plan := func(name string, value any, at time.Time, status int) {
		t.Helper()
		if got := a.Admin(t, "PUT", "config/"+name, map[string]any{"value": value, "at": at.UTC().Format(time.RFC3339Nano), "reason": "the holidays"}); got.Status != status {
			t.Fatalf("%s at %s: %d %s", name, at, got.Status, got.Body)
		}
	}
	plan("limits.text", 77, time.Now().Add(time.Hour), 202)
	plan("limits.text", 0, time.Now().Add(time.Hour), 400)
	plan("limits.text", 77, time.Now().Add(-time.Hour), 400)
	var all plans
	a.Admin(t, "GET", "config/limits.text/plans", nil).JSON(t, &all)
	if len(all.Plans) != 1 || all.Plans[0].Value != 77.0 {
		t.Fatalf("%+v", all)
	}
	for _, status := range []int{204, 404} {
		if got := a.Admin(t, "DELETE", "config/limits.text/plans/"+all.Plans[0].ID, nil); got.Status != status {
			t.Errorf("dropping: %d, want %d", got.Status, status)
		}
	}
	plan("limits.text", 99, time.Now().Add(2*time.Second), 202)
	Eventually(t, 2*time.Minute, "the planned value counts", func() bool {
		var now struct{ Value int }
		a.Admin(t, "GET", "config/limits.text", nil).JSON(t, &now)
		return now.Value == 99
	})
	Eventually(t, time.Minute, "the plan is done", func() bool {
		var left plans
		a.Admin(t, "GET", "config/limits.text/plans", nil).JSON(t, &left)
		return len(left.Plans) == 0
	})
	var log struct {
		History []struct{ Reason string }
	}
	a.Admin(t, "GET", "config/limits.text/history", nil).JSON(t, &log)
	if len(log.History) != 1 || log.History[0].Reason != "the holidays" {
		t.Errorf("%+v", log)
	}
}
