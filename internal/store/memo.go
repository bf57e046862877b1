package store

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Some of what every comment asks for is written once in a month: sites with
// their settings. It is kept in memory, each value with the number
// that the writer raises when a transaction touched one of their tables, before
// whoever caused it gets his answer. A value that was read before that is read
// again, so nobody ever sees less than what was acknowledged to him. Another
// process, such as a command beside the server, raises no number here: so a memo
// is used for a moment only, which is long where comments come in a crowd.

// seldom are the tables of which memos are made. Rows that go with a site by a
// foreign key go with a statement about the site.
var seldom = []string{"sites", "settings"}

// stirs reports whether a statement writes what memos are made of.
func stirs(query string) bool {
	words := strings.Fields(query)
	for i, word := range words[:len(words)-1] {
		switch strings.ToUpper(word) {
		case "SELECT", "WITH":
			return false
		case "INTO", "UPDATE", "FROM":
			return slices.Contains(seldom, strings.ToLower(words[i+1]))
		}
	}
	return false
}

// memory is what the store knows without reading.
type memory struct {
	epoch  atomic.Int64 // raised when a memo may have become wrong
	taught atomic.Int64 // no decision behind this one teaches anything
	sites  memo[postil.SiteID, postil.Site]
}

// forget drops what the transaction made wrong that was just committed.
func (w *writer) forget() {
	if w.stirred {
		w.s.memory.epoch.Add(1)
	}
	if w.taught != 0 {
		w.s.memory.taught.Store(int64(w.taught))
	}
}

// memo keeps answers for as long as no one has written what they are made of.
type memo[K comparable, V any] struct {
	mu    sync.RWMutex
	epoch int64
	since time.Time // none of the answers was read before
	known map[K]V
}

const (
	maxMemo = 1024                   // bounds the answers of a memo
	moment  = 250 * time.Millisecond // after that what another process wrote counts
)

// get returns the answer, from read when it is not known.
func (m *memo[K, V]) get(epoch *atomic.Int64, k K, read func() (V, error)) (V, error) {
	now, began := epoch.Load(), time.Now() // before the store is read: what is written after that raises it
	m.mu.RLock()
	v, ok := m.known[k]
	ok = ok && m.epoch == now && began.Sub(m.since) < moment
	m.mu.RUnlock()
	if ok {
		return v, nil
	}
	v, err := read()
	if err != nil {
		return v, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.epoch > now: // somebody knows better
		return v, nil
	case m.epoch < now || began.Sub(m.since) >= moment || len(m.known) >= maxMemo:
		m.epoch, m.since, m.known = now, began, map[K]V{}
	}
	m.known[k] = v
	return v, nil
}
