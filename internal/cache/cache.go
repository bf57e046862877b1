package cache

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/postil/postil/internal/postil"
)

// Loader makes the answer that v names from the store. It is called from a
// goroutine of its own with a context that outlives the reader who asked.
type Loader func(ctx context.Context, v postil.View) (Fresh, error)

// Fresh is an answer as the Loader made it. The cache owns Body from then on.
type Fresh struct {
	Body    []byte
	Version int64 // of the thread; 0 for views without a version
	Missing bool  // what was asked for does not exist (yet): kept for Options.Placeholder only
}

// Options are the measures of a cache. What is zero takes the value named.
type Options struct {
	Bytes       int64         // budget for all entries in all encodings; 64 MiB
	Fresh       time.Duration // how long an entry counts as new without news; 10 s
	Retain      time.Duration // how long it may be answered when nothing newer can be had; 1 h
	Placeholder time.Duration // how long the answer for what does not exist is kept; 2 s
	Loads       int           // loads at once; 4
	Queue       int           // loads that may wait for their turn; 64
	Timeout     time.Duration // of a load, its wait included; 2 s

	// MinRefresh spaces the loads of one view: in the long run there is one in
	// this time, after a pause up to five in a row; 100 ms. Negative lifts the
	// bound. While a view changes faster than that, readers get an answer that
	// is at most twice this old, and wait for no load; one who asks for a
	// version waits for it.
	MinRefresh time.Duration

	Now func() time.Time // time.Now
}

// Cache keeps the public answers. Its methods may be called at any time from
// any goroutine.
type Cache struct {
	lg      *slog.Logger
	loader  Loader
	o       Options
	entries *otter.Cache[postil.View, *Entry]
	put     func(postil.View, *Entry) // into entries
	epochs  *epochs
	stats   counters
	slots   chan struct{} // held while loading

	ctx     context.Context // of all loads, ends with Close
	stop    context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	flights map[postil.View]*flight
	closed  bool
}

// New returns an empty cache. It starts nothing; Close ends the loads that
// readers have started.
func New(lg *slog.Logger, loader Loader, o Options) *Cache {
	o = o.withDefaults()
	c := &Cache{lg: lg, loader: loader, o: o, epochs: newEpochs(),
		slots: make(chan struct{}, o.Loads), flights: map[postil.View]*flight{}}
	// The clocks are ours: an expired entry is a spare one, and otter would
	// start a goroutine to remove it. Its part is admission: what is asked for
	// once cannot push out what is asked for often.
	c.entries = otter.Must(&otter.Options[postil.View, *Entry]{
		MaximumWeight: uint64(o.Bytes), Weigher: weigh, Logger: &otter.NoopLogger{}})
	c.put = func(v postil.View, e *Entry) { c.entries.Set(v, e) }
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

func (o Options) withDefaults() Options {
	o.Bytes = cmp.Or(o.Bytes, 64<<20)
	o.Fresh = cmp.Or(o.Fresh, 10*time.Second)
	o.Retain = max(cmp.Or(o.Retain, time.Hour), o.Fresh)
	o.Placeholder = cmp.Or(o.Placeholder, 2*time.Second)
	o.Loads = cmp.Or(o.Loads, 4)
	o.Queue = cmp.Or(o.Queue, 64)
	o.Timeout = cmp.Or(o.Timeout, 2*time.Second)
	o.MinRefresh = max(cmp.Or(o.MinRefresh, 100*time.Millisecond), 0)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Get returns the answer that v names, from the cache or through the Loader.
// It is at least as new as every change that was announced before the call,
// and of version atLeast where there is such a version, with the exceptions of
// the package comment. A version that does not exist yet costs one load a
// second at most and gets the newest answer.
//
// The errors are those of the Loader, and Unavailable when too many loads are
// waiting or ctx ends first.
func (c *Cache) Get(ctx context.Context, v postil.View, atLeast int64) (*Entry, error) {
	now := c.now()
	e, _ := c.entries.GetIfPresent(v)
	switch c.judge(e, atLeast, now) {
	case good:
		c.stats.hits.Add(1)
		return e.answer()
	case tired:
		c.stats.stale.Add(1)
		c.renew(ctx, v, e, now)
		return e.answer()
	}
	c.stats.misses.Add(1)
	return c.wait(ctx, v, e, atLeast)
}

// Drop makes every answer that shows something of the post out of date; with
// post "" every answer of the site.
func (c *Cache) Drop(site postil.SiteID, post postil.PostID) { c.epochs.changed(site, post) }

// Invalidate does what Drop does, when readers can see what ev announces.
func (c *Cache) Invalidate(_ context.Context, ev postil.Event) {
	switch {
	case ev.Kind == postil.CommentReacted:
		c.epochs.counter(scope{ev.Site, ev.Post, onePost}).Add(1) // lists over posts show no reactions
	case ev.Version != 0, ev.Kind == postil.ThreadUpdated:
		c.Drop(ev.Site, ev.Post)
	}
}

// DropAll makes every answer out of date. It is for when events were missed.
func (c *Cache) DropAll() { c.epochs.all.Add(1) }

// Close cancels the loads that are under way and returns when they have ended.
// Afterwards Get answers from what is there.
func (c *Cache) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.stop()
	c.running.Wait()
	c.entries.StopAllGoroutines()
}

func (c *Cache) now() int64 { return c.o.Now().UnixNano() }

// peek returns the entry of v without counting as interest in it.
func (c *Cache) peek(v postil.View) *Entry {
	e, ok := c.entries.GetEntryQuietly(v)
	if !ok {
		return nil
	}
	return e.Value
}
