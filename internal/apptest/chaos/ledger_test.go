//go:build chaos

package chaos

import (
	"fmt"
	"sync"
)

// place is one thread.
type place struct{ site, post string }

// sites are many, because each has a chat of its own and Telegram's pace is
// per chat.
var sites = []string{"blog", "s1", "s2", "s3", "s4", "s5", "s6", "s7"}

var posts = []string{"/posts/one", "/posts/two"}

// entry is one comment: what was asked for, and what was acknowledged.
type entry struct {
	token string // every text of it begins with this, and no other
	place place
	id    string // "" while not acknowledged
	key   string
	round int

	text     string   // acknowledged last
	maybe    []string // sent after that, and never answered
	earlier  []string // acknowledged before that, or never
	sent     int      // requests that asked for it
	removing int      // requests that asked for its deletion
	removed  bool
}

// wish is one decision that somebody asked for by REST; its reason is the
// request's own, so that it can be found again.
type wish struct {
	reason, comment, verb string
	decision              string // acknowledged, "" while not
	undone                bool   // its undo was acknowledged
}

// press is one press of a button.
type press struct {
	callback, data string
	user           int64
	round          int
}

// ledger remembers everything that was acknowledged. It lives in the test's
// memory, where no kill reaches it.
type ledger struct {
	mu      sync.Mutex
	entries map[string]*entry // by token
	wishes  map[string]*wish  // by reason
	presses []*press
	edits   int
	removes int
	trouble []string // answers that must not be
	n       int
	round   int
}

func newLedger() *ledger { return &ledger{entries: map[string]*entry{}, wishes: map[string]*wish{}} }

// with runs f under the lock.
func (l *ledger) with(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// fresh returns an entry that is about to be sent.
func (l *ledger) fresh(p place) (e *entry) {
	l.with(func() {
		l.n++
		e = &entry{token: token(l.n), place: p, round: l.round}
		l.entries[e.token] = e
	})
	return e
}

// token begins every text of the comment with the given number.
func token(n int) string { return fmt.Sprintf("t%06d.", n) }

// wish returns a decision that is about to be asked for.
func (l *ledger) wish(comment, verb string) (w *wish) {
	l.with(func() {
		l.n++
		w = &wish{reason: fmt.Sprintf("w%06d", l.n), comment: comment, verb: verb}
		l.wishes[w.reason] = w
	})
	return w
}

// unfit notes an answer that the service must never give.
func (l *ledger) unfit(what string, status int, problem string) {
	l.with(func() { l.trouble = append(l.trouble, fmt.Sprintf("%s: %d %s", what, status, problem)) })
}

// totals counts what was acknowledged.
func (l *ledger) totals() (comments, decisions int) {
	l.with(func() {
		for _, e := range l.entries {
			if e.id != "" {
				comments++
			}
		}
		for _, w := range l.wishes {
			if w.decision != "" {
				decisions++
			}
			if w.undone {
				decisions++
			}
		}
	})
	return comments, decisions
}
