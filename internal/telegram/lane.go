package telegram

import (
	"time"

	"github.com/sethvargo/go-retry"
	"golang.org/x/time/rate"

	"github.com/postil/postil/internal/postil"
)

// How fast a chat is written to. Telegram lets about 20 messages a minute into
// a group and one a second into a private chat, and tolerates short bursts; a
// burst and the minute after it together stay below that. A single card never
// waits. Edits are what people look at after a press: they only obey a refusal.
const (
	groupPace    = 4 * time.Second
	privatePace  = time.Second
	cardBurst    = 5
	turn         = 8 // new cards in a row before edits are looked for again
	firstPause   = time.Second
	longestPause = 30 * time.Second
	chatPause    = time.Minute // a chat that cannot be reached
	longestChat  = time.Hour
)

// lane is the way into one chat: one message at a time, in order.
type lane struct {
	busy     bool
	until    time.Time // nothing is sent before
	pace     *rate.Limiter
	backoff  retry.Backoff // nil while nothing fails
	failures int           // of a chat that cannot be reached, kept in the store too
	problem  string        // why the last attempt failed
	recent   []time.Time   // when new cards came, of the last minute
	last     int64         // the highest message id that was seen in the chat, 0: none yet
}

func newLane(chat int64) *lane {
	pace := groupPace
	if chat > 0 {
		pace = privatePace
	}
	return &lane{pace: rate.NewLimiter(rate.Every(pace), cardBurst)}
}

// admit reports whether a new card may go out now; if not, the lane is closed
// until it may.
func (l *lane) admit(now time.Time) bool {
	r := l.pace.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait == 0 {
		return true
	}
	r.CancelAt(now)
	l.close(now.Add(wait))
	return false
}

func (l *lane) close(until time.Time) {
	if until.After(l.until) {
		l.until = until
	}
}

// pause closes the lane for longer and longer.
func (l *lane) pause(now time.Time) {
	if l.backoff == nil {
		l.backoff = retry.WithCappedDuration(longestPause, retry.NewExponential(firstPause))
	}
	wait, _ := l.backoff.Next()
	l.close(now.Add(wait))
}

// thrive forgets all trouble.
func (l *lane) thrive() { l.backoff, l.failures, l.problem = nil, 0, "" }

// doubled is first, doubled for each failure after the first, at most most.
func doubled(first time.Duration, failures int, most time.Duration) time.Duration {
	b := retry.WithCappedDuration(most, retry.NewExponential(first))
	wait, _ := b.Next()
	for range min(failures, 32) - 1 {
		wait, _ = b.Next()
	}
	return wait
}

// ahead orders the cards of a chat: edits before new cards, each in the order
// in which they came up.
func ahead(a, b postil.Card) int {
	switch {
	case (a.Message != 0) != (b.Message != 0):
		if a.Message != 0 {
			return -1
		}
		return 1
	case a.ID < b.ID:
		return -1
	case a.ID > b.ID:
		return 1
	}
	return 0
}
