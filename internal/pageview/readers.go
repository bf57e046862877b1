package pageview

import (
	"hash/maphash"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/postil/postil/internal/postil"
)

// maxReaders bounds the memory for who has read what today, some 20 MB. Beyond
// it some reloads count.
const maxReaders = 200_000

// readers remembers who has read which post today: as hashes under a key that
// is made anew each day and never leaves this memory.
type readers struct {
	seen *otter.Cache[uint64, struct{}]
	mu   sync.Mutex
	day  time.Time
	key  maphash.Seed
}

func newReaders() *readers {
	return &readers{key: maphash.MakeSeed(), seen: otter.Must(&otter.Options[uint64, struct{}]{
		MaximumSize: maxReaders,
		Executor:    func(tidy func()) { tidy() }, // no goroutine: its work is short
	})}
}

// first reports whether the visitor has not read this post on the day of now.
func (r *readers) first(v postil.Visit, now time.Time) bool {
	key := r.turn(now)
	who := struct{ actor, site, post string }{v.Actor, string(v.Site), string(v.Post)}
	_, fresh := r.seen.SetIfAbsent(maphash.Comparable(key, who), struct{}{})
	return fresh
}

// turn forgets everybody when a new UTC day has begun, and returns the key of
// the day.
func (r *readers) turn(now time.Time) maphash.Seed {
	day := now.UTC().Truncate(24 * time.Hour)
	r.mu.Lock()
	defer r.mu.Unlock()
	if day.After(r.day) {
		r.day, r.key = day, maphash.MakeSeed()
		r.seen.InvalidateAll()
	}
	return r.key
}
