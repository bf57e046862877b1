package cache

import (
	"fmt"

	"github.com/postil/postil/internal/postil"
)

// land puts what a flight brought into the cache and hands it to those who
// wait. Without a change in between, a lower version comes from a store that
// lags behind, and what is there stays. After a change it is the truth: the
// post was erased and made anew.
func (c *Cache) land(f *flight, e *Entry) {
	now := c.now()
	old := c.peek(f.view)
	if old.spare(now) && !e.brief && old.seen >= e.seen && old.version > e.version {
		c.pause(old, now)
		f.deliver(old, now)
		return
	}
	c.pace(e, old, f.began)
	if e.brief {
		c.stats.placeholders.Add(1)
	}
	e.encodeLike(old)
	f.deliver(e, now)
	c.keep(f.view, e)
}

// deliver hands e to those who wait, and remembers on it that the version they
// asked for does not exist.
func (f *flight) deliver(e *Entry, now int64) {
	if e.version < f.want {
		e.futile.Store(now)
	}
	f.entry, f.err = e, nil
}

// fail decides what stays of a flight that brought nothing. What does not
// exist is remembered as long as a placeholder. Trouble is remembered for a
// moment, beside the entry that may still be answered or in place of one, so
// that a store in trouble is not asked again by every reader.
func (c *Cache) fail(f *flight, err error) {
	f.err = err
	now := c.now()
	old := c.peek(f.view)
	switch {
	case postil.KindOf(err) == postil.NotFound:
		c.stats.placeholders.Add(1)
		c.refuse(f, err, now+int64(c.o.Placeholder))
	case old.spare(now):
		c.pause(old, now)
		c.lg.Warn("load failed, the older answer stays", "view", f.view.Kind, "site", f.view.Site, "err", err)
	case passing(err) && c.o.MinRefresh > 0:
		c.refuse(f, err, now+int64(c.o.MinRefresh))
	}
}

// refuse keeps an error as the answer of a view until the time given.
func (c *Cache) refuse(f *flight, err error, until int64) {
	e := newEntry(nil, 0)
	e.err, e.brief, e.scopes, e.seen = err, true, f.scopes, f.seen
	e.fresh, e.keep = until, until
	c.keep(f.view, e)
}

// keep stores an entry. That it cannot be kept is no reason not to answer.
func (c *Cache) keep(v postil.View, e *Entry) {
	defer func() {
		if p := recover(); p != nil {
			c.unkept(v, fmt.Errorf("panic: %v", p))
		}
	}()
	if size := int64(weigh(v, e)); size > c.o.Bytes {
		c.unkept(v, fmt.Errorf("%d bytes do not fit into %d", size, c.o.Bytes))
		return
	}
	c.put(v, e)
}

func (c *Cache) unkept(v postil.View, err error) {
	c.stats.unkept.Add(1)
	c.lg.Warn("answer not kept", "view", v.Kind, "site", v.Site, "err", err)
}

// fallBack answers a reader whose load failed with err: with the older entry
// when the trouble is a passing one, else with err.
func (c *Cache) fallBack(old *Entry, err error) (*Entry, error) {
	if passing(err) && old.spare(c.now()) {
		c.stats.stale.Add(1)
		return old, nil
	}
	return nil, err
}

// turnAway answers a reader for whom there is no room.
func (c *Cache) turnAway(old *Entry) (*Entry, error) {
	e, err := c.fallBack(old, overloaded(nil))
	if err != nil {
		c.stats.refused.Add(1)
	}
	return e, err
}

// passing reports whether err says nothing about what was asked for.
func passing(err error) bool {
	switch postil.KindOf(err) {
	case postil.Internal, postil.Unavailable:
		return true
	}
	return false
}
