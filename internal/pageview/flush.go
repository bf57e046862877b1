package pageview

import (
	"context"
	"time"
)

// Run sends batches to the store until ctx ends, and then what is left. Trouble
// of the store does not end it: batches wait and grow.
func (c *Counter) Run(ctx context.Context) error {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			c.finish(context.WithoutCancel(ctx))
			return nil
		case <-tick.C:
		case <-c.full:
		}
		c.readers.turn(c.now(ctx))
		err := c.flush(ctx)
		if failed := err != nil && ctx.Err() == nil; failed != failing {
			failing = failed
			c.report(ctx, err)
		}
	}
}

// report tells the begin and the end of trouble, not every attempt between.
func (c *Counter) report(ctx context.Context, err error) {
	if err != nil {
		c.lg.WarnContext(ctx, "page views cannot be stored; they wait in memory", "err", err)
		return
	}
	c.lg.InfoContext(ctx, "page views are stored again")
}

// flush sends the batch that failed last, or else the open one.
func (c *Counter) flush(ctx context.Context) error {
	sending, number, dropped := c.take()
	if dropped > 0 {
		c.lg.WarnContext(ctx, "too many different pages were read at once; some visits are not counted", "visits", dropped)
	}
	if sending == nil {
		return nil
	}
	sums, _ := sending.list()
	if err := c.sums.AddViews(ctx, c.writer, number, sums); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sending = nil
	return nil
}

// take closes the open batch, unless one is on its way, and returns the one to
// send, nil for none. Only Run calls it, so a batch is sent by one goroutine.
func (c *Counter) take() (sending pages, number, dropped int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sending == nil && len(c.open) > 0 {
		c.sending, c.open, c.visits = c.open, pages{}, 0
		c.sent++
		dropped, c.dropped = c.dropped, 0
	}
	return c.sending, c.sent, dropped
}

// finish sends what is left: the batch on its way and the open one.
func (c *Counter) finish(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lastWords)
	defer cancel()
	for range 2 {
		if err := c.flush(ctx); err != nil {
			c.lg.ErrorContext(ctx, "page views are lost with this stop", "visits", c.waiting(), "err", err)
			return
		}
	}
}

// waiting returns how many visits the store does not have.
func (c *Counter) waiting() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, open := c.open.list()
	_, sending := c.sending.list()
	return open + sending
}
