package outbox

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/postil/postil/internal/postil"
)

// markAtOnce bounds one marking, so that its transaction stays short.
const markAtOnce = 1024

// ledger remembers which events were published and not yet marked in the
// store. It is lost with the process, and then they are published again.
type ledger struct {
	news chan struct{} // has a token when something was added

	mu       sync.Mutex
	unmarked map[postil.EventID]bool
}

func newLedger() *ledger {
	return &ledger{news: make(chan struct{}, 1), unmarked: map[postil.EventID]bool{}}
}

func (l *ledger) add(events []postil.Event) {
	if len(events) == 0 {
		return
	}
	l.mu.Lock()
	for _, e := range events {
		l.unmarked[e.ID] = true
	}
	l.mu.Unlock()
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// ids returns a copy of what is unmarked.
func (l *ledger) ids() map[postil.EventID]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.unmarked)
}

// settle marks everything, or as much as the store takes.
func (l *ledger) settle(ctx context.Context, store Source) error {
	ids := slices.Sorted(maps.Keys(l.ids()))
	for part := range slices.Chunk(ids, markAtOnce) {
		if err := store.MarkPublished(ctx, part); err != nil {
			return err
		}
		l.mu.Lock()
		for _, id := range part {
			delete(l.unmarked, id)
		}
		l.mu.Unlock()
	}
	return nil
}
