package cache

import (
	"sync/atomic"

	"github.com/postil/postil/internal/postil"
)

// Stats is the price list of a cache since it was made. Every Get is one of
// Hits, Stale and Misses; a miss that was answered with an older entry in the
// end counts as Stale too.
type Stats struct {
	Hits         int64 // answered from an entry that is up to date
	Stale        int64 // answered from an older entry
	Misses       int64 // needed a load, its own or another's
	Refused      int64 // turned away, because too many loads were waiting
	Loads        int64 // calls of the Loader, repetitions included
	ThreadLoads  int64 // of these, for threads
	Failed       int64 // calls of the Loader that failed
	Coalesced    int64 // waits for a load that somebody else had begun
	Placeholders int64 // entries made for what does not exist
	Unkept       int64 // answers given and not kept: too large, or the cache failed
	Bytes        int64 // estimated weight of what is kept now
}

type counters struct {
	hits, stale, misses, refused, loads, threadLoads atomic.Int64
	failed, coalesced, placeholders, unkept          atomic.Int64
}

func (n *counters) load(v postil.View) {
	n.loads.Add(1)
	if v.Kind == postil.ThreadView {
		n.threadLoads.Add(1)
	}
}

// Stats returns the counters of now.
func (c *Cache) Stats() Stats {
	n := &c.stats
	c.entries.CleanUp() // so that Bytes knows of the latest entries
	return Stats{
		Hits: n.hits.Load(), Stale: n.stale.Load(), Misses: n.misses.Load(), Refused: n.refused.Load(),
		Loads: n.loads.Load(), ThreadLoads: n.threadLoads.Load(), Failed: n.failed.Load(),
		Coalesced: n.coalesced.Load(), Placeholders: n.placeholders.Load(), Unkept: n.unkept.Load(),
		Bytes: int64(c.entries.WeightedSize()),
	}
}
