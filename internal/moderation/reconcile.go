package moderation

import (
	"context"
	"log/slog"
	"time"
)

// Recoverer emits again what seems to have been lost between store and queue.
type Recoverer interface {
	// Reannounce covers what was stored before the given time.
	Reannounce(ctx context.Context, before time.Time, limit int) (int, error)
	// StaleCards covers cards that do not show the state of their comment.
	StaleCards(ctx context.Context) (int64, error)
	Sweep(ctx context.Context) error
}

// Reconciler compares the store with the queue: the store is the truth, and
// what a broker forgot is announced again without anybody noticing.
type Reconciler struct {
	lg    *slog.Logger
	store Recoverer
	now   func(context.Context) time.Time
	after func()    // called when something was emitted or made due
	began time.Time // what was stored before this process is not on its way in it
}

// NewReconciler returns a reconciler that calls after when it found something.
func NewReconciler(lg *slog.Logger, store Recoverer, now func(context.Context) time.Time, after func()) *Reconciler {
	return &Reconciler{lg, store, now, after, now(context.Background())}
}

const (
	reconcileEvery = time.Minute
	reconcileGrace = 20 * time.Second // what is younger may still be on its way
	reconcileBatch = 5000
)

// Run reconciles once at the start, when everything that an earlier process
// left unfinished counts as lost, and then every minute.
func (r *Reconciler) Run(ctx context.Context) error {
	tick := time.NewTicker(reconcileEvery)
	defer tick.Stop()
	before := r.began
	for {
		r.once(ctx, before)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			before = r.now(ctx).Add(-reconcileGrace)
		}
	}
}

func (r *Reconciler) once(ctx context.Context, before time.Time) {
	lost, err := r.store.Reannounce(ctx, before, reconcileBatch)
	stale, err2 := r.store.StaleCards(ctx)
	err3 := r.store.Sweep(ctx)
	for _, e := range []error{err, err2, err3} {
		if e != nil && ctx.Err() == nil {
			r.lg.Error("reconciling store and queue failed; it is tried again in a minute", "err", e)
		}
	}
	if lost > 0 || stale > 0 {
		r.lg.Info("announced again what the queue had lost", "comments", lost, "cards", stale)
		r.after()
	}
}
