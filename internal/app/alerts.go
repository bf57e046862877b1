package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/postil/postil/internal/alerts"
	"github.com/postil/postil/internal/doctor"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/settings"
)

// buildAlerts puts together what is trouble, and who is told.
func (a *App) buildAlerts(context.Context) error {
	again := func() time.Duration { return settings.AlertAgain.Get(a.settings.Now(), "") }
	watch := alerts.New(a.lg, a.store, a.tellAlert, a.clock.now, again, a.alertRules())
	a.tasks = append(a.tasks, namedTask{"alerts", watch.Run})
	return nil
}

// tellAlert tells whoever can be told, and has webhooks called.
func (a *App) tellAlert(ctx context.Context, i postil.Incident, phase postil.Phase) error {
	a.hooks.Wake()
	return a.desk.alert(ctx, i, phase)
}

// alertRules are the kinds of trouble. deploy/prometheus-alerts.yml has the same.
func (a *App) alertRules() []alerts.Rule {
	over := func(e *settings.Int) func() float64 {
		return func() float64 { return float64(e.Get(a.settings.Now(), "")) }
	}
	errors := &recent{count: func() int64 { return a.noticed.failed.Load() + a.noticed.busy.Load() }}
	return []alerts.Rule{
		{Name: "errors", Over: over(settings.AlertErrors), Value: errors.grown,
			Says: func(v float64) string {
				return fmt.Sprintf("%.0f requests failed in five minutes through a fault of the service. The log says why.", v)
			}},
		{Name: "cards", Over: over(settings.AlertCards), Lasts: 15 * time.Minute, Value: counted(a.store.UndeliveredCards),
			Says: func(v float64) string {
				return fmt.Sprintf("%.0f Telegram cards cannot be delivered. Check the token and the chats with “postil doctor”.", v)
			}},
		{Name: "backlog", Over: over(settings.AlertBacklog), Lasts: 5 * time.Minute, Value: counted(a.store.Backlog),
			Says: func(v float64) string {
				return fmt.Sprintf("%.0f events wait for the broker; moderators hear late of comments. Check the NATS server and the free space.", v)
			}},
		{Name: "disk", Over: func() float64 { return 1 }, Value: a.diskShort,
			Says: func(v float64) string {
				return fmt.Sprintf("The disk lacks %.0f MB of the free space that the service should have. Make room before nothing can be stored.", v)
			}},
		{Name: "backup", Over: func() float64 { return 1 }, Value: a.backupAge,
			Says: func(v float64) string {
				return fmt.Sprintf("The last good backup is %.0f hours old. Run “postil backup FILE” and read what it says.", v)
			}},
	}
}

func counted(ask func(context.Context) (int, error)) func(context.Context) (float64, bool) {
	return func(ctx context.Context) (float64, bool) {
		n, err := ask(ctx)
		return float64(n), err == nil
	}
}

// diskShort returns how many megabytes are missing from the space that should
// be free.
func (a *App) diskShort(context.Context) (float64, bool) {
	free, err := doctor.FreeBytes(a.cfg.Data)
	return float64(settings.AlertDisk.Get(a.settings.Now(), "")) - float64(free>>20), err == nil
}

// backupAge returns how old the last good backup is, in hours, once it is too
// old or the last try failed.
func (a *App) backupAge(ctx context.Context) (float64, bool) {
	if a.backups.Status() == nil {
		return 0, true
	}
	last := a.backups.Last()
	if last.IsZero() {
		return 49, true // two nights, as the keeper counts
	}
	return max(1, a.clock.now(ctx).Sub(last).Hours()), true
}

// recent is how much a counter has grown in the last five minutes.
type recent struct {
	count func() int64

	mu   sync.Mutex
	seen []reading
}

type reading struct {
	at time.Time
	n  int64
}

const recently = 5 * time.Minute

func (r *recent) grown(context.Context) (float64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := reading{time.Now(), r.count()}
	r.seen = append(r.seen, now)
	for len(r.seen) > 1 && now.at.Sub(r.seen[0].at) > recently {
		r.seen = r.seen[1:]
	}
	return float64(now.n - r.seen[0].n), true
}
