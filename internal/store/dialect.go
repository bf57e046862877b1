package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/postil/postil/internal/postil"
)

// walLimit is the size above which the write-ahead log is truncated and, when
// that fails because a reader holds it, warned about.
const walLimit = 64 << 20

// writerDSN opens the one connection that writes. synchronous=FULL makes each
// commit reach the disk before it is acknowledged; the pragmas stand in the
// address, so that they hold on every connection the pool ever makes. What a
// savepoint may have to undo is kept in memory: in a batch it outgrows what
// SQLite holds back by itself, and every page would be written to a file. What
// is deleted is overwritten where that costs no page more; an erasure has more
// overwritten.
func writerDSN(path string) string {
	return dsn(path, url.Values{"_pragma": {
		waits(), "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(FAST)",
		"cache_size(-16000)", "temp_store(memory)", fmt.Sprintf("wal_autocheckpoint(%d)", checkpointPages), fmt.Sprintf("journal_size_limit(%d)", walLimit),
	}, "_txlock": {"immediate"}, "_dqs": {"0"}})
}

// checkpointPages is the length of the write-ahead log, in pages of 4 KiB, at
// which SQLite moves it into the database. In a storm the same pages are written
// again and again; a longer log moves each of them more rarely.
const checkpointPages = 4000

// readerDSN opens a connection that cannot write, whatever it is asked to do.
func readerDSN(path string) string {
	return dsn(path, url.Values{"mode": {"ro"}, "_pragma": {
		waits(), "query_only(1)", "foreign_keys(1)", "cache_size(-8000)",
	}, "_dqs": {"0"}})
}

// copyDSN opens a database that a backup is made from. Not read-only: after a
// crash the log beside the file must be read, and that needs its index.
func copyDSN(path string) string {
	return dsn(path, url.Values{"mode": {"rw"}, "_pragma": {waits()}})
}

// fileDSN opens a copy that nobody else uses; its one file is all there is.
func fileDSN(path string) string {
	return dsn(path, url.Values{"mode": {"rw"}, "_pragma": {waits(), "journal_mode(DELETE)", "foreign_keys(1)"}, "_txlock": {"immediate"}, "_dqs": {"0"}})
}

// stillDSN opens a file that nobody changes, and changes nothing about it.
func stillDSN(path string) string {
	return dsn(path, url.Values{"mode": {"ro"}, "immutable": {"1"}, "_pragma": {"query_only(1)", "cache_size(-64000)"}})
}

// busyTimeout is how long a statement waits for another program's lock.
const busyTimeout = 5 * time.Second

func waits() string { return fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()) }

func dsn(path string, q url.Values) string {
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String()
}

const (
	beginSQL     = "BEGIN IMMEDIATE"
	commitSQL    = "COMMIT"
	rollbackSQL  = "ROLLBACK"
	savepointSQL = "SAVEPOINT item"
	releaseSQL   = "RELEASE item"
	undoSQL      = "ROLLBACK TO item"
)

// walEvery is how often the write-ahead log is looked at. SQLite moves it into
// the database by itself, see checkpointPages, but never makes it shorter
// while readers come and go.
const walEvery = time.Minute

// truncateLog moves the write-ahead log into the database file and truncates
// it when it has grown, and warns when a reader that never ends prevents it.
func (w *writer) truncateLog() {
	if walSize(w.s.path) < walLimit/16 {
		return
	}
	err := w.checkpoint()
	if size := walSize(w.s.path); err != nil || size > walLimit {
		w.s.lg.Warn("the write-ahead log cannot be truncated; a backup or another program keeps reading the database", "bytes", size, "err", err)
	}
}

// checkpoint waits for no reader, since everybody who writes would wait with it.
func (w *writer) checkpoint() error {
	ctx := context.Background()
	if _, err := w.conn.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return err
	}
	var busy, log, done int
	err := w.conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &done)
	_, restored := w.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", busyTimeout.Milliseconds()))
	return errors.Join(err, restored)
}

// WALSize returns the size of the write-ahead log in bytes.
func (s *Store) WALSize() int64 { return walSize(s.path) }

// walSize returns the size of the write-ahead log in bytes, 0 when there is none.
func walSize(path string) int64 {
	fi, err := os.Stat(path + "-wal")
	if err != nil {
		return 0
	}
	return fi.Size()
}

// failure gives a driver's error a kind, by code and never by text: trouble
// that may pass is Unavailable, everything else stays ours.
func failure(err error) error {
	var known *postil.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	if code, ok := sqliteCode(err); ok && passing(code) {
		return notSaved(err)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return postil.Busy("overloaded", "The comment store took too long. Try again in a few seconds.", 2*time.Second, err)
	}
	return err
}

func notSaved(err error) error {
	return postil.Busy("not-saved", "The comment store cannot be used at the moment. Nothing was changed; try again in a few seconds.", 2*time.Second, err)
}

func sqliteCode(err error) (int, bool) {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code(), true
	}
	return 0, false
}

// remedy says what a person can do about a database that cannot be opened, as
// the end of a sentence; "" where nothing is known.
func remedy(err error) string {
	code, _ := sqliteCode(err)
	switch code & 0xff {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return ". The file is no whole database; put a backup in its place: postil restore FILE"
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return ". The file and its directory must belong to the user that runs Postil, who must be able to write to them"
	case sqlite3.SQLITE_FULL:
		return ". The disk is full"
	}
	return ""
}

// passing reports whether a primary result code is about the machine (busy,
// full, read-only, broken disk) and not about the statement.
func passing(code int) bool {
	switch code & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL,
		sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PROTOCOL:
		return true
	}
	return false
}

// nextCommentID returns the id that the next comment gets. Within the one
// writing transaction nobody else can take it; it is needed beforehand because
// the place of a reply is made from it.
func (tx *Tx) nextCommentID() (postil.CommentID, error) {
	id, _, err := one(context.Background(), tx, column[postil.CommentID], "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'comments'")
	return id, err
}

// duplicate reports a violated primary key or unique constraint.
func duplicate(err error) bool {
	code, ok := sqliteCode(err)
	return ok && (code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY || code == sqlite3.SQLITE_CONSTRAINT_UNIQUE)
}

// SQLiteVersion returns the version of the engine.
func SQLiteVersion() string {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return "unknown"
	}
	defer db.Close()
	var v string
	if db.QueryRow("SELECT sqlite_version()").Scan(&v) != nil {
		return "unknown"
	}
	return v
}
