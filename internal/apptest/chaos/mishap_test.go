//go:build chaos

package chaos

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/postil/postil/internal/apptest/fakebot"
)

// Mishaps are what happens to a machine beside a kill. Each begins while
// everybody is at work and is over before the round is judged; while it lasts
// the service may refuse, and may not lie.

// mishap is one of them. It returns when it has happened.
type mishap struct {
	name string
	do   func(w *world, ctx context.Context)
}

var mishaps = []mishap{
	{"another process locks the store", (*world).lockStore},
	{"files may not grow", (*world).fullDisk},
	{"the directory is read-only", (*world).readOnly},
	{"the machine stands still", (*world).standStill},
	{"the Bot API says 429", func(w *world, ctx context.Context) { w.botFails(ctx, fakebot.TooManyRequests(1)) }},
	{"the Bot API says 502", func(w *world, ctx context.Context) { w.botFails(ctx, fakebot.BadGateway()) }},
	{"the Bot API is slow", func(w *world, ctx context.Context) { w.botFails(ctx, fakebot.Fault{Hang: 300 * time.Millisecond}) }},
}

// perhaps lets one mishap happen in every second round.
func (w *world) perhaps(ctx context.Context) {
	if w.rng.IntN(2) == 0 {
		return
	}
	m := mishaps[w.rng.IntN(len(mishaps))]
	w.happened[m.name]++
	m.do(w, ctx)
}

// lockStore holds the store for a moment, as a careless program would.
func (w *world) lockStore(ctx context.Context) {
	path := (&url.URL{Scheme: "file", Opaque: filepath.Join(w.node.data, "postil.db"), RawQuery: "_txlock=immediate&_pragma=busy_timeout(2000)"}).String()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		w.t.Error(err)
		return
	}
	defer db.Close()
	if tx, err := db.Begin(); err == nil { // the service may be faster
		rest(ctx, time.Duration(100+w.rng.IntN(900))*time.Millisecond)
		_ = tx.Rollback()
	}
}

// fullDisk lets no file of the service grow any more. The kernel ends a
// process that tries it nevertheless, unless the process catches that: either
// is what a full disk may do.
func (w *world) fullDisk(ctx context.Context) {
	info, err := os.Stat(filepath.Join(w.node.data, "postil.db-wal"))
	if err != nil || w.node.cmd == nil {
		return
	}
	limit := unix.Rlimit{Cur: uint64(info.Size()) + 64<<10, Max: unix.RLIM_INFINITY}
	pid := w.node.cmd.Process.Pid
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
		return // it has died meanwhile
	}
	rest(ctx, time.Duration(100+w.rng.IntN(400))*time.Millisecond)
	limit.Cur = unix.RLIM_INFINITY
	_ = unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil)
}

// readOnly takes the right to make files in the directory, which root ignores;
// what is open stays writable.
func (w *world) readOnly(ctx context.Context) {
	_ = os.Chmod(w.node.data, 0o500)
	defer os.Chmod(w.node.data, 0o700)
	rest(ctx, time.Duration(100+w.rng.IntN(400))*time.Millisecond)
}

// standStill stops the process in its tracks: its clock jumps when it goes on.
func (w *world) standStill(ctx context.Context) {
	if w.node.cmd == nil {
		return
	}
	_ = w.node.cmd.Process.Signal(syscall.SIGSTOP)
	rest(ctx, time.Duration(200+w.rng.IntN(1500))*time.Millisecond)
	_ = w.node.cmd.Process.Signal(syscall.SIGCONT)
}

func (w *world) botFails(ctx context.Context, f fakebot.Fault) {
	for i := range sites {
		w.bot.Fail("sendMessage", chatOf(i), 3, f)
		w.bot.Fail("editMessageText", chatOf(i), 3, f)
	}
	rest(ctx, time.Duration(w.rng.IntN(1000))*time.Millisecond)
	w.bot.Heal()
}

// end ends the process: nine times in ten with no chance to say goodbye, else
// as an operator does, and then it must end by itself and in peace.
func (w *world) end() {
	w.t.Helper()
	if w.rng.IntN(10) > 0 || w.node.cmd == nil {
		w.kill()
		return
	}
	w.happened["SIGTERM"]++
	if code, ok := w.node.stop(20 * time.Second); !ok || code != 0 {
		w.t.Errorf("round %d, seed %d: asked to end, the service ended with %d (in time: %v), see run-%04d.log", w.ledger.round, *seed, code, ok, w.node.runs)
	}
	w.kills = append(w.kills, time.Now())
}
