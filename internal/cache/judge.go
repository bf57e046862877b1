package cache

import "time"

// state is what an entry is worth to a reader.
type state int

const (
	absent state = iota // there is none, or none that may be shown
	due                 // a load is due before it is answered
	tired               // it is answered, and renewed when its time has come
	good                // it is answered
)

// A reader who asks for a version that does not exist yet causes one load in
// this time.
const futilePause = time.Second

// judge says what e is worth to a reader who wants version atLeast.
func (c *Cache) judge(e *Entry, atLeast, now int64) state {
	switch {
	case e == nil || now >= e.keep:
		return absent
	case e.outOfDate():
		if e.brief {
			return absent
		}
		if e.version >= atLeast && now < e.bearable.Load() {
			return tired
		}
		return due
	case e.version < atLeast && e.err == nil && now-e.futile.Load() >= int64(futilePause):
		return due
	case now >= e.fresh:
		return tired
	}
	return good
}

// Loads of one view that may follow each other at once after a pause, so that
// a person who approves and takes back sees both.
const burst = 5

// pace sets when the view of e may be loaded again, after a load that began at
// began in place of old. ration is the time up to which loads have been spent
// (the generic cell rate algorithm).
func (c *Cache) pace(e, old *Entry, began int64) {
	space := int64(c.o.MinRefresh)
	spent := began
	if old != nil {
		spent = max(spent, old.ration)
		e.futile.Store(old.futile.Load())
	}
	e.ration = spent + space
	next := e.ration - (burst-1)*space
	e.next.Store(next)
	if next > began {
		next += space // nobody waits while the load runs that was held back
	}
	e.bearable.Store(next)
}

// pause keeps the view of e from being loaded again at once.
func (c *Cache) pause(e *Entry, now int64) {
	e.next.Store(now + int64(c.o.MinRefresh))
	e.bearable.Store(now + int64(c.o.MinRefresh))
	e.renewing.Store(0)
}
