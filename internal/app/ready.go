package app

import (
	"context"
	"fmt"

	"github.com/postil/postil/internal/httpapi"
)

// backlogLimit is how many events may wait for the broker before somebody
// should look.
const backlogLimit = 1000

// ready says how the service is. Only a store that cannot be written makes it
// unable to accept comments; all else is degraded.
func (a *App) ready(ctx context.Context) httpapi.Report {
	r := httpapi.Report{Status: "ok", Accepting: true, Backup: a.backups.Last(), Checks: map[string]string{"store": "ok", "broker": "ok", "telegram": "ok", "backlog": "ok", "backup": "ok"}}
	note := func(part string, err error) {
		if err != nil {
			r.Status, r.Checks[part] = "degraded", err.Error()
		}
	}
	if err := a.store.Probe(ctx); err != nil {
		r.Accepting = false
		note("store", err)
	}
	note("broker", a.broker.Status())
	note("telegram", a.desk.status(ctx))
	if a.cfg.TelegramToken.IsZero() {
		r.Checks["telegram"] = "off"
	}
	waiting, err := a.store.Backlog(ctx)
	if err == nil && waiting > backlogLimit {
		err = fmt.Errorf("%d events wait for the broker", waiting)
	}
	note("backlog", err)
	note("backup", a.backups.Status())
	return r
}
