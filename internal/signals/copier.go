package signals

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Record is the signals that are stored, and a mark of how many were handed on.
type Record interface {
	SignalsAfter(ctx context.Context, id int64, limit int) ([]postil.Signal, error)
	Meta(ctx context.Context, key string) (string, error)
	SetMeta(ctx context.Context, key, value string) error
}

// Carrier hands signals to whoever follows them. What arrives twice is
// recognised by its id.
type Carrier interface {
	PublishSignals(ctx context.Context, all []postil.Signal) (done int, err error)
}

const (
	copyEvery = 2 * time.Second
	copyBatch = 500
	copiedKey = "signals_copied"
)

// Copier hands on what is written down, in order and at least once.
type Copier struct {
	lg     *slog.Logger
	record Record
	to     Carrier
}

// NewCopier returns a copier.
func NewCopier(lg *slog.Logger, record Record, to Carrier) *Copier {
	return &Copier{lg, record, to}
}

// Run copies until ctx ends. While the broker is away it waits: the store has
// everything.
func (c *Copier) Run(ctx context.Context) error {
	tick := time.NewTicker(copyEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := c.Copy(ctx); err != nil && ctx.Err() == nil {
				c.lg.Debug("signals are not handed on for now", "err", err)
			}
		}
	}
}

// Copy hands on everything that was not yet.
func (c *Copier) Copy(ctx context.Context) error {
	mark, err := c.record.Meta(ctx, copiedKey)
	if err != nil {
		return err
	}
	last, _ := strconv.ParseInt(mark, 10, 64) // "": nothing was
	for {
		all, err := c.record.SignalsAfter(ctx, last, copyBatch)
		if err != nil || len(all) == 0 {
			return err
		}
		done, err := c.to.PublishSignals(ctx, all)
		if done > 0 {
			last = all[done-1].ID
			if err := c.record.SetMeta(ctx, copiedKey, strconv.FormatInt(last, 10)); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}
