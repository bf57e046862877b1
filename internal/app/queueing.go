package app

import (
	"context"
	"path/filepath"
	"time"

	"github.com/postil/postil/internal/limit"
	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/outbox"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/queue"
	"github.com/postil/postil/internal/settings"
	"github.com/postil/postil/internal/token"
)

// installKey names this store at a shared broker.
const installKey = "install"

// buildQueue connects the store's outbox with the broker and the broker with
// whoever acts on events.
func (a *App) buildQueue(ctx context.Context) error {
	install, err := a.install(ctx)
	if err != nil {
		return err
	}
	a.broker = queue.New(a.lg, queue.Config{URL: a.cfg.NATSURL, Dir: filepath.Join(a.cfg.Data, "nats"), InstallID: install})
	a.limiter = a.newLimiter()
	a.relay = outbox.NewRelay(a.lg, a.store, a.broker, outbox.Options{})
	a.reconciler = moderation.NewReconciler(a.lg, a.store, a.clock.now, a.reconciled)
	checks := a.broker.Consume(queue.Consumer{Name: "checks", Kinds: []postil.EventKind{postil.CommentSubmitted}, Parallel: 16, PerComment: true, Handle: a.worker.Handle})
	watch := a.broker.Watch([]postil.EventKind{postil.CommentDecided, postil.CommentUpdated, postil.CommentReacted, postil.ThreadUpdated, postil.SiteUpdated}, a.follow, a.lostTrack)
	a.tasks = append(a.tasks,
		namedTask{"relay", a.relay.Run},
		namedTask{"checks", checks},
		namedTask{"cache and streams", watch},
		namedTask{"reconciler", a.reconciler.Run},
		namedTask{"workflow", moderation.NewWorkflow(a.lg, a.store, a.door, a.patience).Run},
		namedTask{"summaries", moderation.NewSummaries(a.lg, a.store, a.summaries).Run},
	)
	a.spreadSettings()
	return nil
}

// newLimiter counts in this process, and days in the store, or at the broker for
// all nodes together.
func (a *App) newLimiter() *limit.Limiter {
	if a.cfg.LimitStore != "broker" {
		return limit.New(a.clock.now, 0).Daily(a.store)
	}
	return limit.NewOver(limit.NewShared(a.clock.now, a.broker.Counters(), a.keys.LimitName, 0))
}

// patience is how long comments may wait for a person, as settings have it at
// the moment.
func (a *App) patience() moderation.Patience {
	now := a.settings.Now()
	return moderation.Patience{Remind: settings.RemindAfter.Get(now, ""), Escalate: settings.EscalateAfter.Get(now, ""), Expire: settings.ExpireAfter.Get(now, "")}
}

// summaries says when a site gets its summary, as settings have it at the
// moment.
func (a *App) summaries(site postil.SiteID) postil.SummarySchedule {
	now := a.settings.Now()
	zone, err := time.LoadLocation(settings.SummaryZone.Get(now, site))
	if err != nil {
		zone = time.UTC // the setting is checked; only a list of zones that changed could do this
	}
	return postil.SummarySchedule{Every: postil.SummaryRhythm(settings.SummaryEvery.Get(now, site)), Hour: settings.SummaryHour.Get(now, site), Zone: zone}
}

// install returns the id of this store, made once.
func (a *App) install(ctx context.Context) (string, error) {
	id, err := a.store.Meta(ctx, installKey)
	if err != nil || id != "" {
		return id, err
	}
	return a.store.FirstMeta(ctx, installKey, token.NewNonce())
}

// follow brings this process up to date with an event: first what is kept in
// memory, then the readers who are told.
func (a *App) follow(ev postil.Event) {
	ctx := context.Background()
	if ev.Kind == postil.SiteUpdated {
		a.sites.Forget(ev.Site)
		a.cache.DropAll() // every thread says whether it can be answered
		if _, err := a.sites.Site(ctx, ev.Site); postil.KindOf(err) == postil.NotFound {
			a.hub.End(ev.Site)
		}
		return
	}
	if ev.Moved {
		a.sites.Forget(ev.Site) // it knows which key leads where
	}
	a.follower.Handle(ctx, ev)
}

// lostTrack is called when events may have been missed.
func (a *App) lostTrack() {
	a.follower.OnGap()
}

// reconciled wakes whoever has something to do again.
func (a *App) reconciled() {
	a.relay.Wake()
	a.desk.wake()
}
