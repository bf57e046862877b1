package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Options of a store; the zero value is fit for use.
type Options struct {
	Now     func(context.Context) time.Time // default: the system's clock
	OnEmit  func()                          // called after each commit that wrote an event; must not block
	Keep    func() postil.Retention         // how long things are kept; default: postil.UsuallyKept
	Queue   int                             // writes that may wait; default 1024
	Readers int                             // read-only connections; default 4
	NoCards bool                            // nobody sends cards: one that is due tells no moderator of its comment
	Before  BeforeUpgrade                   // may be nil
}

// Store is an open database. Its writer runs in Run; until then writes wait.
type Store struct {
	lg      *slog.Logger
	path    string
	opt     Options
	writer  *sql.DB
	readers *sql.DB
	jobs    chan *job // changes that somebody waits for
	patient chan *job // changes that nobody waits for
	stopped chan struct{}
	shred   chan struct{} // what was erased still stands in the log
	mu      sync.RWMutex
	reads   map[string]*sql.Stmt // prepared on the readers, by text
	room    int                  // comments on a page at most; only tests make it smaller
	memory  memory
	fresh   handover

	posts, decisions atomic.Int64 // stored by this process

	probe    sync.Mutex
	probed   time.Time
	probeErr error
}

// Open opens the database file at path, making it and bringing its schema up
// to date when needed. The caller starts Run and, after it ended, calls Close.
func Open(ctx context.Context, lg *slog.Logger, path string, opt Options) (*Store, error) {
	if opt.Now == nil {
		opt.Now = func(context.Context) time.Time { return time.Now() }
	}
	if opt.OnEmit == nil {
		opt.OnEmit = func() {}
	}
	if opt.Keep == nil {
		opt.Keep = postil.UsuallyKept
	}
	opt.Queue, opt.Readers = cmpOr(opt.Queue, 1024), cmpOr(opt.Readers, 4)
	s := &Store{lg: lg, path: path, opt: opt, jobs: make(chan *job, opt.Queue), patient: make(chan *job, opt.Queue), stopped: make(chan struct{}), shred: make(chan struct{}, 1), reads: map[string]*sql.Stmt{}, room: postil.MaxPageComments}
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("cannot open the database %s: %w%s", path, err, remedy(err))
	}
	return s, nil
}

func cmpOr(v, fallback int) int {
	if v == 0 {
		return fallback
	}
	return v
}

func (s *Store) open(ctx context.Context) (err error) {
	if err = os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	if err = makePrivate(s.path); err != nil {
		return err
	}
	if s.writer, err = sql.Open("sqlite", writerDSN(s.path)); err != nil {
		return err
	}
	s.writer.SetMaxOpenConns(1)
	if err = migrate(ctx, s.writer, s.opt.Before); err != nil {
		return err
	}
	if s.readers, err = sql.Open("sqlite", readerDSN(s.path)); err != nil {
		return err
	}
	s.readers.SetMaxOpenConns(s.opt.Readers)
	s.readers.SetMaxIdleConns(s.opt.Readers)
	last, err := s.LastDecision(ctx)
	s.memory.taught.Store(int64(last))
	return err
}

// makePrivate makes the file for its owner alone, in whatever directory it
// stands: mail addresses are in it, and texts that nobody may read yet. SQLite
// gives the files that it puts beside it the same mode. A file that is there
// stays as its owner wants it.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// Close closes the database. Run must have ended.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, st := range s.reads {
		errs = append(errs, st.Close())
	}
	s.reads = map[string]*sql.Stmt{}
	for _, db := range []*sql.DB{s.readers, s.writer} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Now returns the time at which what is done in ctx happens.
func (s *Store) Now(ctx context.Context) time.Time { return s.opt.Now(ctx).UTC() }

// read returns a statement prepared on the read-only connections.
func (s *Store) read(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.RLock()
	st := s.reads[query]
	s.mu.RUnlock()
	if st != nil {
		return st, nil
	}
	st, err := s.readers.PrepareContext(ctx, query)
	if err != nil {
		return nil, failure(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.reads[query]; other != nil {
		st.Close()
		return other, nil
	}
	s.reads[query] = st
	return st, nil
}

// queryer is what the read-only side and a transaction have in common, so that
// a query is written once and runs in both.
type queryer interface {
	rows(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (s *Store) rows(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	st, err := s.read(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(ctx, args...)
	return rows, failure(err)
}

// list collects what scan reads from each row.
func list[T any](ctx context.Context, q queryer, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.rows(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, failure(err)
		}
		out = append(out, v)
	}
	return out, failure(rows.Err())
}

// one reads a single row; ok is false when there is none.
func one[T any](ctx context.Context, q queryer, scan func(scanner) (T, error), query string, args ...any) (v T, ok bool, err error) {
	all, err := list(ctx, q, scan, query, args...)
	if err != nil || len(all) == 0 {
		return v, false, err
	}
	return all[0], true, nil
}

// scanner is a row that is being read.
type scanner interface{ Scan(dest ...any) error }

// column reads a row of one column.
func column[T any](r scanner) (v T, err error) { return v, r.Scan(&v) }

// millis is the one place where a time becomes a column, and when the other.
func millis(t time.Time) int64 { return t.UnixMilli() }

func when(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}

// nullMillis stores the zero time as NULL.
func nullMillis(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

func nullID(id postil.CommentID) sql.NullInt64 {
	return sql.NullInt64{Int64: int64(id), Valid: id != 0}
}

func nullText(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }
