package pageview

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/postil/postil/internal/postil"
)

const (
	flushEvery = 5 * time.Second // a batch waits this long at most
	batchSize  = 1_000           // visits after which it waits no longer
	maxPages   = 5_000           // posts in memory; more come only while the store fails or somebody invents paths
	lastWords  = 10 * time.Second
)

// Sums keeps the numbers.
type Sums interface {
	// AddViews adds a batch. One with the number of an earlier one of the same
	// writer is not added again.
	AddViews(ctx context.Context, writer string, batch int64, sums []postil.HourViews) error
	// Views returns the number of a post and the last batch of writer in it.
	Views(ctx context.Context, site postil.SiteID, post postil.PostID, writer string) (n, batch int64, err error)
}

// Counter counts visits. It is safe for many goroutines.
type Counter struct {
	lg      *slog.Logger
	sums    Sums
	now     func(context.Context) time.Time
	writer  string
	readers *readers
	full    chan struct{} // a batch is large enough

	mu      sync.Mutex
	open    pages // the batch that visits go into; its number is sent+1
	sending pages // the batch with the number sent, nil when the store has it
	sent    int64
	visits  int   // in open
	total   int64 // since the start
	dropped int64 // visits that found no place since the last batch
}

// New returns a counter. writer is the name of this process, which no other
// process ever has. Until Run runs, visits wait in memory.
func New(lg *slog.Logger, sums Sums, writer string, now func(context.Context) time.Time) *Counter {
	return &Counter{lg: lg, sums: sums, now: now, writer: writer, readers: newReaders(), full: make(chan struct{}, 1), open: pages{}}
}

// Visit counts a visit, unless the rule of the package says otherwise, and
// reports whether it did. It waits for nothing.
func (c *Counter) Visit(ctx context.Context, v postil.Visit) bool {
	now := c.now(ctx)
	if v.Owner || v.Early || isRobot(v.Agent) || !c.readers.first(v, now) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.open.add(page{v.Site, v.Post}, now.UTC().Truncate(time.Hour)) {
		c.dropped++
		return false
	}
	c.total++
	if c.visits++; c.visits%batchSize == 0 {
		select {
		case c.full <- struct{}{}:
		default:
		}
	}
	return true
}

// Count returns how often a post was read, with the visits that are not in the
// store yet. It fails when the store cannot be read.
func (c *Counter) Count(ctx context.Context, site postil.SiteID, post postil.PostID) (int64, error) {
	c.mu.Lock()
	key := page{site, post}
	sent, sending, open := c.sent, c.sending.sum(key), c.open.sum(key)
	c.mu.Unlock()
	n, stored, err := c.sums.Views(ctx, site, post, c.writer)
	if err != nil {
		return 0, err
	}
	// The store may have received a batch since we looked into memory.
	if stored < sent {
		n += sending
	}
	if stored <= sent {
		n += open
	}
	return n, nil
}

// Total returns how many visits were counted since the start.
func (c *Counter) Total() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// page is what has a number.
type page struct {
	site postil.SiteID
	post postil.PostID
}

// pages are visits by page and hour; a page has few hours at a time.
type pages map[page][]hour

type hour struct {
	at time.Time
	n  int64
}

// add counts one visit; false when there is no place for another page.
func (p pages) add(key page, at time.Time) bool {
	hours, known := p[key]
	for i := range hours {
		if hours[i].at.Equal(at) {
			hours[i].n++
			return true
		}
	}
	if !known && len(p) >= maxPages {
		return false
	}
	p[key] = append(hours, hour{at, 1})
	return true
}

func (p pages) sum(key page) (n int64) {
	for _, h := range p[key] {
		n += h.n
	}
	return n
}

func (p pages) list() (sums []postil.HourViews, visits int64) {
	for key, hours := range p {
		for _, h := range hours {
			sums = append(sums, postil.HourViews{Site: key.site, Post: key.post, Hour: h.at, N: h.n})
			visits += h.n
		}
	}
	return sums, visits
}
