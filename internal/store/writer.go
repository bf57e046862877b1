package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/postil/postil/internal/postil"
)

// maxBatch bounds the functions of one transaction, so that the first of them
// does not wait for an endless queue behind it.
const maxBatch = 256

// linger bounds how long a change that nobody waits for is held back for one
// that somebody does, so that both share one transaction and its fsync. A poster
// would otherwise wait for the checks of the comment before to reach the disk,
// and in a storm half of all transactions would be those of the checks.
const linger = 20 * time.Millisecond

// job is one function on its way through the writer.
type job struct {
	ctx   context.Context
	fn    func(*Tx) error
	state atomic.Int32 // queued, taken or withdrawn: a caller that gives up knows whether it was in time
	err   error
	done  chan struct{}

	posts, decisions int64 // what it wrote, to be counted once it is on disk
}

const (
	queued int32 = iota
	taken
	withdrawn
)

// Write runs fn in a transaction and returns when its changes are on disk, or
// have been undone because fn failed. Many functions share one transaction,
// each in a savepoint. It answers Unavailable when too many wait or the store
// cannot write; then nothing was changed.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) error {
	return s.hand(ctx, s.jobs, fn)
}

// writeBehind is Write for a change that no person waits for: it goes with the
// next one that somebody does wait for, or by itself when none is to be expected.
func (s *Store) writeBehind(ctx context.Context, fn func(*Tx) error) error {
	return s.hand(ctx, s.patient, fn)
}

func (s *Store) hand(ctx context.Context, lane chan *job, fn func(*Tx) error) error {
	j := &job{ctx: ctx, fn: fn, done: make(chan struct{})}
	select {
	case lane <- j:
	default:
		return postil.Busy("overloaded", "Too many people are writing at this moment. Nothing was changed; try again in a few seconds.", 2*time.Second, nil)
	}
	select {
	case <-j.done:
		return j.err
	case <-s.stopped:
		return s.afterStop(j)
	case <-ctx.Done():
		if j.state.CompareAndSwap(queued, withdrawn) {
			return failure(ctx.Err())
		}
		<-j.done // it is being written: only its end tells the truth
		return j.err
	}
}

func (s *Store) afterStop(j *job) error {
	select {
	case <-j.done:
		return j.err
	default:
		return postil.Busy("not-saved", "The service is restarting. Nothing was changed; try again in a few seconds.", 2*time.Second, nil)
	}
}

// Run is the writer. It returns after ctx has ended and everything that was
// waiting by then is on disk.
func (s *Store) Run(ctx context.Context) error {
	defer close(s.stopped)
	conn, err := s.writer.Conn(context.Background())
	if err != nil {
		return fmt.Errorf("the writer has no connection: %w", err)
	}
	defer conn.Close()
	w := &writer{s: s, conn: conn, stmts: map[string]*statement{}}
	defer w.close()
	tidy := time.NewTicker(walEvery)
	defer tidy.Stop()
	w.later, w.soon = time.NewTicker(laterPause), time.NewTimer(indexPause)
	defer w.later.Stop()
	defer w.soon.Stop()
	for {
		select {
		case j := <-s.jobs:
			w.heard()
			w.batch(j)
		case j := <-s.patient:
			w.batch(w.joined(j)...)
		case <-tidy.C:
			w.truncateLog()
		case <-w.soon.C:
			w.indexDue()
		case <-s.shred:
			w.shredStep()
		case <-w.later.C:
			w.indexLater()
		case <-ctx.Done():
			for j := w.next(0); j != nil; j = w.next(0) {
				w.batch(j)
			}
			return nil
		}
	}
}

// heard notes that somebody writes, and how long nobody did before.
func (w *writer) heard() {
	now := time.Now()
	w.gap, w.last = now.Sub(w.last), now
}

// joined gives a patient job the company of the next one that somebody waits
// for, if one is to be expected soon: when the last two came shortly after each
// other.
func (w *writer) joined(j *job) []*job {
	if w.gap > linger || time.Since(w.last) > linger {
		return []*job{j}
	}
	t := time.NewTimer(linger)
	defer t.Stop()
	select {
	case urgent := <-w.s.jobs:
		w.heard()
		return []*job{urgent, j}
	case <-t.C:
		return []*job{j}
	}
}

// writer owns the connection that writes and the statements prepared on it.
type writer struct {
	s     *Store
	conn  *sql.Conn
	stmts map[string]*statement

	last time.Time     // when somebody last wrote who waits for it
	gap  time.Duration // how long nobody had done so before

	stirred bool              // something that is kept in memory is written in this transaction
	taught  postil.DecisionID // the last decision in it that teaches something, 0 for none

	merging bool // the index is being merged, after an erasure

	due   bool         // soon is set
	soon  *time.Timer  // for comments that changed
	later *time.Ticker // for those that were there before the search index; stopped when none is left
}

// batch writes first and whatever else waits in one transaction. It begins
// without savepoints, which cost a copy of each page: almost nothing ever has to
// be undone. When something has, the batch is undone and run again with them.
func (w *writer) batch(first ...*job) {
	take := func(have int) *job {
		for {
			var j *job
			if len(first) > 0 {
				j, first = first[0], first[1:]
			} else {
				j = w.next(have)
			}
			if j == nil || j.state.CompareAndSwap(queued, taken) {
				return j
			}
		}
	}
	jobs, emitted, err := w.attempt(false, take)
	if errors.Is(err, errTangled) {
		_ = w.raw(rollbackSQL) // fails when SQLite has rolled back by itself
		again := jobs
		jobs, emitted, err = w.attempt(true, func(have int) *job {
			if have < len(again) {
				return again[have]
			}
			return take(have)
		})
	}
	if err != nil {
		w.abandon(append(jobs, claim(first)...), err)
		return
	}
	w.forget()
	for _, j := range jobs {
		if j.err == nil {
			w.s.posts.Add(j.posts)
			w.s.decisions.Add(j.decisions)
		}
		close(j.done)
	}
	if emitted {
		w.s.opt.OnEmit()
	}
	w.indexSoon()
}

// errTangled says that a function failed after it had changed something, in a
// transaction without savepoints.
var errTangled = errors.New("what this function wrote cannot be told from what the others did")

// attempt runs one transaction over the jobs that next gives, by how many there
// are so far, and returns them.
func (w *writer) attempt(careful bool, next func(have int) *job) (jobs []*job, emitted bool, err error) {
	if err = w.raw(beginSQL); err != nil {
		return nil, false, err
	}
	w.stirred, w.taught = false, 0
	for j := next(0); j != nil; j = next(len(jobs)) {
		jobs = append(jobs, j)
		emits, err := w.item(j, careful)
		if err != nil {
			return jobs, false, err
		}
		emitted = emitted || emits > 0
	}
	return jobs, emitted, w.raw(commitSQL)
}

// claim takes those of the jobs that still wait, so that they can be answered
// without having run.
func claim(jobs []*job) (waiting []*job) {
	for _, j := range jobs {
		if j.state.CompareAndSwap(queued, taken) {
			waiting = append(waiting, j)
		}
	}
	return waiting
}

// abandon undoes the whole transaction and tells everybody in it.
func (w *writer) abandon(jobs []*job, err error) {
	_ = w.raw(rollbackSQL) // fails when SQLite has rolled back by itself
	for _, j := range jobs {
		j.err = unwritten(err)
		close(j.done)
	}
}

// unwritten is what everybody in a broken transaction is told. Whatever broke
// it is not the fault of the one who reads this, and trying again may help.
func unwritten(err error) error {
	if err = failure(err); postil.KindOf(err) == postil.Unavailable {
		return err
	}
	return notSaved(err)
}

// next takes a waiting job, or nil when none waits or the batch is full. The
// lanes take turns, so that neither starves the other.
func (w *writer) next(have int) *job {
	if have >= maxBatch {
		return nil
	}
	lanes := [...]chan *job{w.s.jobs, w.s.patient, w.s.jobs}
	for _, lane := range lanes[have%2 : have%2+2] {
		select {
		case j := <-lane:
			return j
		default:
		}
	}
	return nil
}

// item runs one function, when careful in a savepoint. The error that it returns
// is about the transaction; the function's own is kept in the job. A function
// may run twice, so it changes nothing but the transaction and its own result.
func (w *writer) item(j *job, careful bool) (emits int, err error) {
	if careful {
		if err := w.raw(savepointSQL); err != nil {
			return 0, err
		}
	}
	tx := &Tx{w: w, now: w.s.Now(j.ctx)}
	j.err = failure(protect(tx, j.fn))
	j.posts, j.decisions = tx.posts, tx.decisions
	if !careful {
		switch {
		case j.err == nil:
			return tx.emits, nil
		case tx.wrote:
			return 0, errTangled
		}
		return 0, nil
	}
	if j.err == nil {
		return tx.emits, w.raw(releaseSQL)
	}
	if err := w.raw(undoSQL); err != nil {
		return 0, errors.Join(j.err, err)
	}
	return 0, w.raw(releaseSQL)
}

// protect turns a panic of fn into its error, so that one bad change does not
// take its neighbours along.
func protect(tx *Tx, fn func(*Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

func (w *writer) raw(query string) error {
	st, err := w.prepare(query)
	if err != nil {
		return err
	}
	_, err = st.Exec()
	return err
}

// statement is one prepared on the connection that writes.
type statement struct {
	*sql.Stmt
	stirs bool // it writes what is kept in memory
}

func (w *writer) prepare(query string) (*statement, error) {
	if st := w.stmts[query]; st != nil {
		return st, nil
	}
	st, err := w.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	w.stmts[query] = &statement{st, stirs(query)}
	return w.stmts[query], nil
}

func (w *writer) close() {
	for _, st := range w.stmts {
		st.Close()
	}
}

// Tx is the transaction that a function given to Write works in. It carries
// its clock, and the events that it emits are part of it.
type Tx struct {
	w     *writer
	now   time.Time
	emits int
	wrote bool // something was changed, or it was tried

	posts, decisions int64 // signals of them
}

// Now returns the time at which this change happens.
func (tx *Tx) Now() time.Time { return tx.now }

// exec runs a statement and returns the number of rows that it changed.
func (tx *Tx) exec(query string, args ...any) (int64, error) {
	res, err := tx.run(query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// insert runs an INSERT and returns the id of the new row.
func (tx *Tx) insert(query string, args ...any) (int64, error) {
	res, err := tx.run(query, args...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

func (tx *Tx) run(query string, args ...any) (sql.Result, error) {
	tx.wrote = true
	st, err := tx.w.prepare(query)
	if err != nil {
		return nil, err
	}
	tx.w.stirred = tx.w.stirred || st.stirs
	return st.Exec(args...)
}

// rows never hands the caller's deadline to the driver: an interrupted
// statement would roll back everybody else's changes too.
func (tx *Tx) rows(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	st, err := tx.w.prepare(query)
	if err != nil {
		return nil, err
	}
	return st.Query(args...)
}

// Emit writes an event that becomes true with this transaction.
func (tx *Tx) Emit(ev postil.Event) error {
	_, err := tx.emit(ev)
	return err
}

func (tx *Tx) emit(ev postil.Event) (id int64, err error) {
	ev.At = tx.now
	payload, err := json.Marshal(ev)
	if err != nil {
		return 0, err
	}
	tx.emits++
	return tx.insert("INSERT INTO outbox (kind, payload, created_at) VALUES (?, ?, ?)", string(ev.Kind), string(payload), millis(tx.now))
}
