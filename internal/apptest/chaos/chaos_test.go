//go:build chaos

package chaos

import (
	"context"
	"flag"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
)

var (
	rounds = flag.Int("rounds", 5, "how often the service is killed under load")
	seed   = flag.Uint64("seed", 0, "what the clients do; 0 takes a new one")
)

// patience is longer than the reconciler's minute: what takes longer than
// that to come right does not come right by itself.
const patience = 100 * time.Second

func TestNothingAcknowledgedIsLost(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", *seed)
	w := newWorld(t, *seed)
	ctx := context.Background()
	w.mode(false)
	w.serve(ctx)
	w.addSites(ctx)
	for n := range *rounds {
		w.round(ctx, n)
		if t.Failed() {
			break
		}
	}
	w.finish(ctx)
}

// round kills the service under load, and perhaps again while it starts, and
// waits until everything is as it must be.
func (w *world) round(ctx context.Context, n int) {
	w.ledger.with(func() { w.ledger.round = n })
	w.kill() // it was idle
	w.mode(n%2 == 1)
	if w.rng.IntN(4) == 0 {
		w.forgetQueue()
	}
	w.stumble()
	w.serve(ctx)
	w.load(100*time.Millisecond + time.Duration(w.rng.Int64N(int64(1400*time.Millisecond))))
	if w.rng.IntN(3) == 0 {
		w.forgetQueue()
	}
	if w.rng.IntN(3) == 0 {
		w.stumble()
	}
	if w.rng.IntN(8) == 0 { // what one desk left over is the other's
		w.mode(!w.telegram)
	}
	w.serve(ctx)
	w.report(w.settled(false, patience))
	w.check(n%10 == 9)
	if !w.t.Failed() {
		w.tidyUp(ctx)
	}
}

// report fails the test for what is still wrong.
func (w *world) report(a *audit) {
	w.t.Helper()
	for i, f := range a.found {
		if i == 20 {
			w.t.Errorf("… and %d more", len(a.found)-i)
			break
		}
		w.t.Errorf("round %d, seed %d: %s: %s", w.ledger.round, *seed, f.kind, f.text)
	}
	w.ledger.with(func() {
		for _, what := range w.ledger.trouble {
			w.t.Errorf("round %d, seed %d: an answer that must not be: %s", w.ledger.round, *seed, what)
		}
		w.ledger.trouble = nil
	})
}

func (w *world) check(integrity bool) {
	w.t.Helper()
	if !integrity {
		return
	}
	if verdict, err := whole(filepath.Join(w.node.data, "postil.db")); err != nil || verdict != "ok" {
		w.t.Errorf("round %d, seed %d: the database says %q, %v", w.ledger.round, *seed, verdict, err)
	}
}

// tidyUp decides about what is left of this round, so that rounds stay alike.
func (w *world) tidyUp(ctx context.Context) {
	m := w.moderators[0]
	for range 200 {
		ids := m.waiting()
		if len(ids) <= 2 {
			return
		}
		for _, id := range ids {
			m.decide(m.wanted(id, "approve", ""))
		}
	}
}

// finish compares everything once more and prints the sum.
func (w *world) finish(ctx context.Context) {
	w.t.Helper()
	a := w.settled(true, map[bool]time.Duration{true: time.Second, false: patience}[w.t.Failed()])
	w.report(a)
	w.check(true)
	w.logs("panic", "locked", "SQLITE")
	comments, decisions := w.ledger.totals()
	kinds := map[string]int{}
	for _, f := range a.found {
		kinds[f.kind]++
	}
	doubles := w.doubles()
	w.t.Logf("%d rounds, %d kills: %d acknowledged comments, %d edits, %d deletions, %d decisions (%d by buttons); lost %d, doubled %d, stuck %d, wrong %d; comments with two cards %d; slowest settling %v",
		w.ledger.round+1, len(w.kills), comments, w.ledger.edits, w.ledger.removes, decisions+a.acked, a.acked,
		kinds["lost"], kinds["doubled"], kinds["stuck"], kinds["wrong"], len(doubles), w.slowest.Round(time.Millisecond))
	w.t.Logf("and what else happened: %v", w.happened)
	for _, list := range doubles {
		for _, m := range list[:len(list)-1] {
			if gap, ok := w.killedAfter(m.SentAt); ok {
				w.t.Logf("message %d of chat %d was sent %v before a kill, and again", m.ID, m.ChatID, gap.Round(time.Millisecond))
			} else {
				w.t.Errorf("sent again, and no process died after the first: %+v", list)
			}
		}
	}
}

// killedAfter reports whether a process died so soon after at that it may not
// have noted what it had sent.
func (w *world) killedAfter(at time.Time) (gap time.Duration, ok bool) {
	for _, k := range w.kills {
		if gap = k.Sub(at); gap > 0 && gap < time.Second {
			return gap, true
		}
	}
	return 0, false
}

// doubles returns the comments with two cards.
func (w *world) doubles() [][]fakebot.Message {
	a := &audit{w: w, file: &file{}}
	a.cards()
	return a.doubles
}

// logs fails the test for words that no log may contain, and shows errors.
func (w *world) logs(never ...string) {
	w.t.Helper()
	bad, err := w.node.complaints(never...)
	if err != nil {
		w.t.Error(err)
	}
	for _, line := range bad[:min(len(bad), 10)] {
		w.t.Errorf("the log says: %s", line)
	}
	errs, _ := w.node.complaints(`"level":"ERROR"`)
	kinds := map[string]int{}
	for _, line := range errs {
		_, msg, _ := strings.Cut(line, `"msg":`)
		kinds[msg[:min(len(msg), 160)]]++
	}
	for msg, n := range kinds {
		w.t.Logf("%d times in the logs, as an error: %s", n, msg)
	}
}
