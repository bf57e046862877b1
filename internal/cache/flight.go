package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/postil/postil/internal/postil"
)

// flight is one load with everybody who waits for it. There is at most one for
// a view, so that what lands later has been read later.
type flight struct {
	view   postil.View
	scopes []*atomic.Uint64
	want   int64         // the version that its starter asked for
	delay  time.Duration // before it begins
	began  int64         // when the data was about to be read
	seen   uint64        // sum of scopes at that time
	done   chan struct{} // closed when entry or err is set
	entry  *Entry
	err    error
}

var errNoResult = errors.New("the load ended without a result")

func overloaded(cause error) error {
	return postil.Busy("overloaded", "Too many people are reading at this moment. Please try again in a few seconds.", time.Second, cause)
}

// wait gets v through a flight. old is what is there, if anything.
func (c *Cache) wait(ctx context.Context, v postil.View, old *Entry, atLeast int64) (*Entry, error) {
	scopes := c.epochs.scopes(v)
	need := sum(scopes)
	for round := 0; ; round++ {
		f, e, mine := c.join(ctx, v, scopes, atLeast)
		if e != nil {
			return e.answer()
		}
		if f == nil {
			return c.turnAway(old)
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			return c.fallBack(old, overloaded(ctx.Err()))
		}
		if f.err != nil {
			return c.fallBack(old, f.err)
		}
		// A flight that had begun before we came may have missed the change
		// that we came for. The one after it cannot.
		if mine || round > 0 || (f.entry.seen >= need && f.entry.version >= atLeast) {
			return f.entry, nil
		}
	}
}

// join returns the flight of v, and whether it was started for this call; or
// an entry, when one has landed since the caller looked; or neither, when too
// many flights are waiting.
func (c *Cache) join(ctx context.Context, v postil.View, scopes []*atomic.Uint64, atLeast int64) (f *flight, e *Entry, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.flights[v]; f != nil {
		c.stats.coalesced.Add(1)
		return f, nil, false
	}
	now := c.now()
	e = c.peek(v)
	if c.judge(e, atLeast, now) >= tired {
		return nil, e, false
	}
	f = &flight{view: v, scopes: scopes, want: atLeast}
	if e != nil {
		f.delay = time.Duration(e.next.Load() - now)
	}
	if !c.launch(ctx, f) {
		return nil, nil, false
	}
	return f, nil, true
}

// renew loads v behind the answer e that was just given, unless somebody does
// so already, it is too early, or the store has enough to do.
func (c *Cache) renew(ctx context.Context, v postil.View, e *Entry, now int64) {
	until := e.renewing.Load()
	if now < max(until, e.next.Load()) || !e.renewing.CompareAndSwap(until, now+int64(c.o.Timeout)) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flights[v] == nil && !c.launch(ctx, &flight{view: v, scopes: e.scopes}) {
		e.renewing.Store(0)
	}
}

// launch starts f, or reports false when there is no room. c.mu is held.
func (c *Cache) launch(ctx context.Context, f *flight) bool {
	if c.closed || len(c.flights) >= c.o.Loads+c.o.Queue {
		return false
	}
	f.done, f.err = make(chan struct{}), errNoResult
	f.began, f.seen = c.now(), sum(f.scopes)
	c.flights[f.view] = f
	c.running.Go(func() { c.fly(ctx, f) })
	return true
}

// fly loads and lands. It outlives the reader who started it, and it clears
// up even when the loader ends the goroutine.
func (c *Cache) fly(ctx context.Context, f *flight) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.o.Timeout)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	defer func() {
		c.mu.Lock()
		delete(c.flights, f.view)
		c.mu.Unlock()
		close(f.done)
	}()
	e, err := c.load(ctx, f)
	if err != nil && ctx.Err() != nil && postil.KindOf(err) == postil.Internal {
		err = overloaded(err)
	}
	if err != nil {
		c.fail(f, err)
		return
	}
	c.land(f, e)
}

// load waits for its turn and asks the Loader, a second time when the first
// failure was a passing one: reading twice does no harm.
func (c *Cache) load(ctx context.Context, f *flight) (*Entry, error) {
	if err := c.turn(ctx, f.delay); err != nil {
		return nil, err
	}
	defer func() { <-c.slots }()
	f.began, f.seen = c.now(), sum(f.scopes)
	fresh, err := c.ask(ctx, f.view)
	if postil.KindOf(err) == postil.Unavailable && ctx.Err() == nil {
		fresh, err = c.ask(ctx, f.view)
	}
	if err != nil {
		return nil, err
	}
	e := newEntry(fresh.Body, fresh.Version)
	e.seen, e.scopes, e.brief = f.seen, f.scopes, fresh.Missing
	e.fresh, e.keep = f.began+int64(c.o.Fresh), f.began+int64(c.o.Retain)
	if e.brief {
		e.fresh = f.began + int64(c.o.Placeholder)
		e.keep = e.fresh
	}
	return e, nil
}

// turn waits until the flight may begin and one of the slots is free.
func (c *Cache) turn(ctx context.Context, delay time.Duration) error {
	if delay > 0 {
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	select {
	case c.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ask calls the Loader and turns its panic into an error.
func (c *Cache) ask(ctx context.Context, v postil.View) (fresh Fresh, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("loading %s: panic: %v\n%s", v.Kind, p, debug.Stack())
		}
		if err != nil {
			c.stats.failed.Add(1)
		}
	}()
	c.stats.load(v)
	return c.loader(ctx, v)
}
