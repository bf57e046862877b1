package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// until waits for a condition that is named, and fails when it does not come.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited too long until %s", what)
		}
	}
}

// gate keeps the writer busy until it is opened, so that what is written
// meanwhile shares the next transaction.
func gate(s *Store) (openIt func()) {
	entered, leave, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Write(ctx, func(*Tx) error { close(entered); <-leave; return nil }) // fails when the others break the transaction
	}()
	<-entered
	return func() { close(leave); <-done }
}

// together hands functions to the writer so that they are one batch, in order.
func together(t testing.TB, s *Store, fns ...func(*Tx) error) []error {
	t.Helper()
	openIt := gate(s)
	errs := make([]error, len(fns))
	var all sync.WaitGroup
	for i, fn := range fns {
		all.Go(func() { errs[i] = s.Write(ctx, fn) })
		until(t, "the function waits", func() bool { return len(s.jobs) == i+1 })
	}
	openIt()
	all.Wait()
	return errs
}

func set(key string) func(*Tx) error {
	return func(tx *Tx) error { return tx.setMeta(key, "set") }
}

func has(t testing.TB, s *Store, key string) bool {
	t.Helper()
	v, err := s.Meta(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	return v != ""
}

func TestFunctionsThatWaitShareOneTransaction(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	seen := 0
	fns := make([]func(*Tx) error, 100)
	for i := range fns {
		fns[i] = func(tx *Tx) error {
			if other, err := s.Meta(ctx, "k0"); err != nil || other != "" {
				return fmt.Errorf("the first change was committed before the last function ran (%w)", err)
			}
			seen++
			return tx.setMeta(fmt.Sprint("k", i), "set")
		}
	}
	for i, err := range together(t, s, fns...) {
		if err != nil {
			t.Errorf("function %d: %v", i, err)
		}
	}
	if seen != 100 || !has(t, s, "k0") || !has(t, s, "k99") {
		t.Errorf("%d functions ran", seen)
	}
}

func TestAFunctionThatFailsOrPanicsUndoesOnlyItself(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	mine := errors.New("mine")
	events, err := s.Backlog(ctx)
	if err != nil {
		t.Fatal(err)
	}
	emit := func(tx *Tx) error { return tx.Emit(postil.Event{Kind: postil.SiteUpdated}) }
	errs := together(t, s, set("a"),
		func(tx *Tx) error { return errors.Join(tx.setMeta("b", "set"), emit(tx), mine) },
		func(tx *Tx) error { _, _ = tx.exec("no SQL at all"); return tx.setMeta("c", "set") },
		func(tx *Tx) error { _ = errors.Join(tx.setMeta("d", "set"), emit(tx)); panic("a bug") },
		func(tx *Tx) error { _, err := tx.exec("INSERT INTO sites (site_id) VALUES (NULL)"); return err },
		func(tx *Tx) error { return errors.Join(tx.setMeta("e", "set"), emit(tx)) })
	if errs[0] != nil || errs[2] != nil || errs[5] != nil || !errors.Is(errs[1], mine) {
		t.Errorf("errors %v", errs)
	}
	if errs[3] == nil || !strings.Contains(errs[3].Error(), "a bug") || postil.KindOf(errs[3]) != postil.Internal || postil.KindOf(errs[4]) != postil.Internal {
		t.Errorf("the panic and the violation became %v, %v", errs[3], errs[4])
	}
	for key, want := range map[string]bool{"a": true, "b": false, "c": true, "d": false, "e": true} {
		if has(t, s, key) != want {
			t.Errorf("%s is stored: %t", key, !want)
		}
	}
	if now, err := s.Backlog(ctx); err != nil || now != events+1 {
		t.Errorf("%d events, %v; only one function emitted one and lived", now-events, err)
	}
}

func TestWhatIsGivenUpBeforeItsTurnIsNotWritten(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	openIt := gate(s)
	impatient, giveUp := context.WithCancel(ctx)
	gone := make(chan error, 1)
	go func() { gone <- s.Write(impatient, set("given up")) }()
	until(t, "it waits", func() bool { return len(s.jobs) == 1 })
	giveUp()
	if err := <-gone; postil.KindOf(err) != postil.Unavailable {
		t.Errorf("who gave up is told %v", err)
	}
	openIt()
	if err := s.Write(ctx, set("after")); err != nil || has(t, s, "given up") || !has(t, s, "after") {
		t.Errorf("it was written all the same (%v)", err)
	}
}

func TestWhoGivesUpTooLateIsToldTheTruth(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	impatient, giveUp := context.WithCancel(ctx)
	err := s.Write(impatient, func(tx *Tx) error { giveUp(); return tx.setMeta("late", "set") })
	if err != nil || !has(t, s, "late") {
		t.Errorf("it is stored: %t, and the caller is told %v", has(t, s, "late"), err)
	}
}

func TestAFullQueueAsksToComeBack(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Queue: 2})
	openIt := gate(s)
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			if err := s.Write(ctx, set(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		})
	}
	until(t, "the queue is full", func() bool { return len(s.jobs) == 2 })
	began := time.Now()
	err := s.Write(ctx, set("too many"))
	if e, ok := err.(*postil.Error); !ok || e.Kind != postil.Unavailable || e.RetryAfter <= 0 || time.Since(began) > time.Second {
		t.Errorf("the third is told %v after %v", err, time.Since(began))
	}
	openIt()
	all.Wait()
	if has(t, s, "too many") || !has(t, s, "0") || !has(t, s, "1") {
		t.Error("the wrong ones were written")
	}
}

func TestWhatWaitsWhenTheWriterStopsIsWrittenAndLaterIsRefused(t *testing.T) {
	t.Parallel()
	s, err := Open(ctx, quiet, filepath.Join(t.TempDir(), "postil.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			if err := s.Write(ctx, set(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		})
	}
	until(t, "all of them wait", func() bool { return len(s.jobs) == 50 })
	running, stop := context.WithCancel(ctx)
	stop() // before it began: even so nothing that waits may be lost
	if err := s.Run(running); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	for i := range 50 {
		if !has(t, s, fmt.Sprint(i)) {
			t.Errorf("%d was acknowledged and is not there", i)
		}
	}
	if err := s.Write(ctx, set("late")); postil.KindOf(err) != postil.Unavailable || has(t, s, "late") {
		t.Errorf("after the end: %v", err)
	}
}

func TestAFullDiskFailsTheWholeBatchAndTheNextOneWorks(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	limit := func(pages string) {
		t.Helper()
		if err := s.Write(ctx, func(tx *Tx) error { _, err := tx.exec("PRAGMA max_page_count = " + pages); return err }); err != nil {
			t.Fatal(err)
		}
	}
	limit(sqlOf(t, s.readers, "PRAGMA page_count")[0][0])
	big := func(tx *Tx) error { return tx.setMeta("big", strings.Repeat("x", 1<<20)) }
	errs := together(t, s, set("before"), big, set("after"))
	for i, err := range errs {
		if i == 1 && postil.KindOf(err) != postil.Unavailable {
			t.Errorf("the full disk is %v", err)
		}
		if stored := has(t, s, []string{"before", "big", "after"}[i]); stored != (err == nil) {
			t.Errorf("function %d is stored: %t, and was told %v", i, stored, err)
		}
	}
	limit("1000000")
	if err := s.Write(ctx, big); err != nil || !has(t, s, "big") {
		t.Errorf("with room again: %v", err)
	}
}

// A transaction breaks as a whole when it cannot be begun, or has ended
// before its time: everybody in it hears the same, and the next one works.
func TestABrokenTransactionFailsEverybodyInIt(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	breaks := func(tx *Tx) error { _, err := tx.exec("ROLLBACK"); return err }
	for i, err := range together(t, s, set("before"), breaks, set("after")) {
		if e, ok := errors.AsType[*postil.Error](err); i < 2 && (!ok || e.Kind != postil.Unavailable || e.RetryAfter <= 0) {
			t.Errorf("function %d is told %v", i, err)
		}
	}
	if has(t, s, "before") {
		t.Error("a part of the broken transaction is there")
	}
	if err := s.Write(ctx, set("again")); err != nil || !has(t, s, "again") {
		t.Errorf("the next one: %v", err)
	}
}

func TestSQL_05_AnotherProgramMayReadWriteAndHoldTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "postil.db")
	one, two := openAt(t, path, Options{}), openAt(t, path, Options{})
	var all sync.WaitGroup
	for i := range 100 {
		for name, s := range map[string]*Store{"one": one, "two": two} {
			all.Go(func() {
				n := request(fmt.Sprint(name, i))
				if _, err := s.AddComment(ctx, n, nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	if got := total(t, one, "comments"); got != 200 {
		t.Errorf("%d comments of 200", got)
	}
	for _, s := range []*Store{one, two} {
		if got := sqlOf(t, s.readers, "PRAGMA integrity_check"); got[0][0] != "ok" {
			t.Errorf("integrity: %v", got)
		}
	}
}

func TestAProgramThatHoldsTheFileTooLongMakesWritesUnavailableNotWrong(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "postil.db")
	s := openAt(t, path, Options{})
	if err := s.Write(ctx, func(tx *Tx) error { _, err := tx.exec("PRAGMA busy_timeout = 50"); return err }); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", writerDSN(path))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	held, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(ctx, set("held")); postil.KindOf(err) != postil.Unavailable {
		t.Errorf("while it is held: %v", err)
	}
	if err := held.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(ctx, set("free")); err != nil || has(t, s, "held") || !has(t, s, "free") {
		t.Errorf("afterwards: %v", err)
	}
}

func TestSQL_01_FiftyWritersThatReadFirstMeetNoLock(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	const each = 40
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			for range each {
				err := s.Write(ctx, func(tx *Tx) error {
					n, _, err := one(ctx, tx, column[int], "SELECT coalesce(max(value), 0) FROM meta WHERE key = 'n'")
					if err != nil {
						return err
					}
					return tx.setMeta("n", fmt.Sprintf("%09d", n+1))
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if n, err := s.Meta(ctx, "n"); err != nil || n != fmt.Sprintf("%09d", 50*each) {
		t.Errorf("counted to %s, %v", n, err)
	}
}

func TestSQL_04_RowsCanBeChangedWhileTheyAreRead(t *testing.T) {
	t.Parallel()
	for _, readers := range []int{1, 10} {
		t.Run(fmt.Sprint(readers, " readers"), func(t *testing.T) {
			s := open(t, Options{Readers: readers})
			for i := range 30 {
				say(t, s, fmt.Sprint(i), 0)
			}
			p, err := s.ListComments(ctx, postil.CommentFilter{Statuses: []postil.Status{postil.Pending}, Limit: 50})
			if err != nil || len(p.Comments) != 30 {
				t.Fatalf("%d comments, %v", len(p.Comments), err)
			}
			for _, c := range p.Comments {
				to(t, s, c.ID, postil.Approved)
			}
			err = s.Write(ctx, func(tx *Tx) error { // and within one transaction, with the rows still open
				rows, err := tx.rows(ctx, "SELECT comment_id FROM comments WHERE site_id = 'blog' AND status = 'approved'")
				if err != nil {
					return err
				}
				defer rows.Close()
				for rows.Next() {
					var id int64
					if err := rows.Scan(&id); err != nil {
						return err
					}
					if _, err := tx.exec("UPDATE comments SET score = score + 1 WHERE comment_id = ?", id); err != nil {
						return err
					}
				}
				return rows.Err()
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSQL_02_TheLogIsBoundedAndShrinksAfterALongReader(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "postil.db")
	s := openAt(t, path, Options{})
	reader, err := s.readers.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := reader.QueryRow("SELECT count(*) FROM meta").Scan(&n); err != nil {
		t.Fatal(err)
	}
	write := func(rounds int) {
		t.Helper()
		for i := range rounds {
			if err := s.Write(ctx, func(tx *Tx) error { return tx.setMeta(fmt.Sprint("big", i%4), strings.Repeat(fmt.Sprint(i%10), 1<<20)) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(100)
	if s.WALSize() < walLimit {
		t.Fatalf("a log of %d bytes shows nothing", s.WALSize())
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() > 20<<20 {
		t.Fatalf("the database has %d bytes, %v", fi.Size(), err)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	write(8)
	if size := s.WALSize(); size > walLimit {
		t.Errorf("after the reader has ended the log still has %d bytes", size)
	}
}

func TestSQL_02_TidyingWaitsForNoReaderAndSaysWhoIsToBlame(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s, err := Open(ctx, slog.New(slog.NewTextHandler(&log, nil)), filepath.Join(t.TempDir(), "postil.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{s: s, conn: conn, stmts: map[string]*statement{}}
	defer conn.Close()
	defer w.close()
	reader, err := s.readers.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := reader.QueryRow("SELECT count(*) FROM meta").Scan(&n); err != nil {
		t.Fatal(err)
	}
	for i := range 70 {
		if _, err := conn.ExecContext(ctx, "INSERT INTO meta (key, value) VALUES (?, ?)", fmt.Sprint("big", i), strings.Repeat("x", 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	w.truncateLog()
	if took := time.Since(began); took > busyTimeout/2 {
		t.Errorf("everybody who writes waited %v for a reader", took)
	}
	if !strings.Contains(log.String(), "cannot be truncated") {
		t.Errorf("a log of %d bytes, and it says %q", s.WALSize(), log.String())
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	w.truncateLog()
	if size := s.WALSize(); size != 0 {
		t.Errorf("without a reader the log keeps %d bytes", size)
	}
	if err := conn.QueryRowContext(ctx, "PRAGMA busy_timeout").Scan(&n); err != nil || n != int(busyTimeout.Milliseconds()) {
		t.Errorf("afterwards a write waits %d ms for a lock, %v", n, err)
	}
}

func TestAChangeThatNobodyWaitsForSharesTheTransactionOfOneThatSomebodyDoes(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	var patient sync.WaitGroup
	openIt := gate(s)
	for i := range 3 {
		patient.Go(func() {
			if err := s.writeBehind(ctx, set(fmt.Sprint("patient", i))); err != nil {
				t.Error(err)
			}
		})
	}
	until(t, "they wait", func() bool { return len(s.patient) == 3 })
	order := ""
	errs := make(chan error, 1)
	go func() {
		errs <- s.Write(ctx, func(tx *Tx) error {
			for i := range 3 {
				if v, _, err := one(ctx, tx, column[string], "SELECT value FROM meta WHERE key = ?", fmt.Sprint("patient", i)); err != nil {
					return err
				} else if v != "" {
					order += v
				}
			}
			return nil
		})
	}()
	until(t, "somebody waits", func() bool { return len(s.jobs) == 1 })
	openIt()
	if err := <-errs; err != nil || len(order) > len("set") {
		t.Errorf("%d of those that could wait went before the one that could not (%v)", len(order)/len("set"), err)
	}
	patient.Wait()
}

func TestAChangeThatNobodyWaitsForIsWrittenByItself(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	if err := s.writeBehind(ctx, set("alone")); err != nil || !has(t, s, "alone") {
		t.Errorf("it is stored: %t, %v", has(t, s, "alone"), err)
	}
}
