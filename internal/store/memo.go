package store

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/postil/postil/internal/postil"
)

// Some of what every comment asks for is written once in a month: sites with
// their settings, and rules. It is kept in memory, each value with the number
// that the writer raises when a transaction touched one of their tables, before
// whoever caused it gets his answer. A value that was read before that is read
// again, so nobody ever sees less than what was acknowledged to him.

// seldom are the tables of which memos are made. Rows that go with a site by a
// foreign key go with a statement about the site.
var seldom = []string{"sites", "settings", "rules"}

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
	rules  memo[struct{}, string] // their mark
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
	known map[K]V
}

// maxMemo bounds the answers of a memo.
const maxMemo = 1024

// get returns the answer, from read when it is not known.
func (m *memo[K, V]) get(epoch *atomic.Int64, k K, read func() (V, error)) (V, error) {
	now := epoch.Load() // before the store is read: what is written after that raises it
	m.mu.RLock()
	v, ok := m.known[k]
	ok = ok && m.epoch == now
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
	case m.epoch < now || m.known == nil || len(m.known) >= maxMemo:
		m.epoch, m.known = now, map[K]V{}
	}
	m.known[k] = v
	return v, nil
}
