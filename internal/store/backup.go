package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/migrations"
)

// Manifest says what a backup holds. It stands in the backup itself, in a table
// of its own, so that one file is all there is to keep.
type Manifest struct {
	Made    time.Time        `json:"made"`
	Program string           `json:"program"`          // the version that made it
	Schema  int64            `json:"schema"`           // of the tables in it
	Rows    map[string]int64 `json:"rows"`             // by table
	Secret  string           `json:"secret,omitempty"` // "" when it was left out
	Mark    string           `json:"mark,omitempty"`   // tells the secret that belongs to it from another one
	Sealed  bool             `json:"-"`                // the file has a digest, and it holds
}

// Backup writes a copy of the database at from to the new file at to: whole as
// of one moment, while others write, verified, and on the disk. There is no
// file at to when it fails. Made, Program, Secret and Mark are the caller's.
func Backup(ctx context.Context, from, to string, m Manifest) (Manifest, error) {
	if _, err := os.Stat(to); err == nil {
		return m, fmt.Errorf("%s exists already; a backup never overwrites a file", to)
	}
	if _, err := os.Stat(from); err != nil { // or an empty database would be made
		return m, fmt.Errorf("there is no database to copy: %w", err)
	}
	part := to + ".partial"
	os.Remove(part) // of a process that was killed
	m, err := backup(ctx, from, part, m)
	if err == nil {
		err = os.Rename(part, to)
	}
	if err != nil {
		os.Remove(part)
		return m, fmt.Errorf("no backup was made: %w", err)
	}
	return m, syncDir(filepath.Dir(to))
}

func backup(ctx context.Context, from, part string, m Manifest) (Manifest, error) {
	if err := makePrivate(part); err != nil {
		return m, err
	}
	if err := copyInto(ctx, from, part); err != nil {
		return m, err
	}
	nonce, err := writeManifest(ctx, part, &m)
	if err != nil {
		return m, err
	}
	if err := seal(part, nonce); err != nil {
		return m, err
	}
	return Verify(ctx, part)
}

// copyInto lets SQLite write what is alive at this moment into another file;
// what was deleted is not in it.
func copyInto(ctx context.Context, from, to string) error {
	db, err := sql.Open("sqlite", copyDSN(from))
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", to)
	return err
}

// writeManifest puts the manifest into a copy, with room for the digest.
func writeManifest(ctx context.Context, path string, m *Manifest) (nonce string, err error) {
	db, err := sql.Open("sqlite", fileDSN(path))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if m.Schema, err = schemaVersion(ctx, db); err != nil {
		return "", err
	}
	if m.Rows, err = countRows(ctx, db); err != nil {
		return "", err
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	nonce = newNonce()
	_, err = db.ExecContext(ctx, `CREATE TABLE backup_manifest (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
		INSERT INTO backup_manifest (name, value) VALUES ('manifest', ?), ('seal', ?)`, string(raw), nonce+noDigest)
	return nonce, err
}

// Verify reads a backup whole and says what is in it, or what is wrong with it:
// a byte that is not as it was, broken pages, rows that point nowhere, rows
// that are missing. It changes nothing. A database that is not a backup of ours
// (another tool's copy) is checked without a digest; Sealed is false then.
func Verify(ctx context.Context, path string) (Manifest, error) {
	return examineBackup(ctx, path, true)
}

// Recognise says what is in a backup whose digest tells that it is, byte for
// byte, the file that was verified when it was made: no rows are read again,
// which takes minutes where there are a million comments. A database without a
// digest is verified.
func Recognise(ctx context.Context, path string) (Manifest, error) {
	return examineBackup(ctx, path, false)
}

func examineBackup(ctx context.Context, path string, rows bool) (m Manifest, err error) {
	if _, err := os.Stat(path); err != nil {
		return m, fmt.Errorf("the backup cannot be read: %w", err)
	}
	if walSize(path) > 0 {
		return m, fmt.Errorf("%s was copied from a running server: its newest comments are in %s-wal. Take one that “postil backup FILE” made", path, path)
	}
	db, err := sql.Open("sqlite", stillDSN(path))
	if err != nil {
		return m, err
	}
	defer db.Close()
	m, err = readManifest(ctx, db, path)
	switch {
	case err != nil:
	case m.Sealed && !rows:
		err = notNewer(m.Schema)
	default:
		err = checkContent(ctx, db, path, &m)
	}
	if code, ok := sqliteCode(err); ok {
		err = fmt.Errorf("%s is no whole SQLite database (code %d); take another backup", path, code)
	}
	return m, err
}

// readManifest reads what a backup says of itself and compares its digest.
func readManifest(ctx context.Context, db *sql.DB, path string) (m Manifest, err error) {
	var raw, sealed string
	err = db.QueryRowContext(ctx, "SELECT value FROM backup_manifest WHERE name = 'manifest'").Scan(&raw)
	if err == nil {
		err = db.QueryRowContext(ctx, "SELECT value FROM backup_manifest WHERE name = 'seal'").Scan(&sealed)
	}
	switch {
	case err == nil:
		if err := json.Unmarshal([]byte(raw), &m); err != nil {
			return m, fmt.Errorf("%s has a manifest that cannot be read; take another backup", path)
		}
		if err := checkSeal(path, sealed); err != nil {
			return m, err
		}
		m.Sealed = true
	case noSuchTable(ctx, db, "backup_manifest"):
		return Manifest{}, nil
	}
	return m, err
}

func notNewer(version int64) error {
	if newest := newestSchema(); version > newest {
		return &newerError{version, newest}
	}
	return nil
}

// checkContent asks SQLite whether all is as it must be, and counts.
func checkContent(ctx context.Context, db *sql.DB, path string, m *Manifest) error {
	if noSuchTable(ctx, db, "comments") || noSuchTable(ctx, db, "goose_db_version") {
		return fmt.Errorf("%s is no database of Postil", path)
	}
	version, err := schemaVersion(ctx, db)
	if err != nil {
		return err
	}
	if version == 0 {
		return fmt.Errorf("%s is no database of Postil", path)
	}
	if err := sound(ctx, db, "PRAGMA integrity_check(1)"); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	rows, err := countRows(ctx, db)
	if err != nil {
		return err
	}
	if !m.Sealed {
		m.Schema, m.Rows = version, rows
	}
	for table, want := range m.Rows {
		if table != "backup_manifest" && rows[table] != want {
			return fmt.Errorf("%s is not complete: %d rows in %s, and %d were put in", path, rows[table], table, want)
		}
	}
	return notNewer(version)
}

// Examine reads a database whole and says what is wrong with it. It changes
// nothing, and a server may be using it.
func Examine(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", copyDSN(path))
	if err != nil {
		return err
	}
	defer db.Close()
	version, err := schemaVersion(ctx, db)
	if err == nil {
		err = notNewer(version)
	}
	if err == nil {
		err = sound(ctx, db, "PRAGMA integrity_check(1)")
	}
	if code, ok := sqliteCode(err); ok {
		err = fmt.Errorf("SQLite cannot read it (code %d)", code)
	}
	return err
}

// SitesAt reads the sites of a database that a server may be using.
func SitesAt(ctx context.Context, path string) (all []postil.Site, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	db, err := sql.Open("sqlite", copyDSN(path))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if noSuchTable(ctx, db, "sites") {
		return nil, nil
	}
	rows, err := db.QueryContext(ctx, "SELECT site_id, origins FROM sites ORDER BY created_at, rowid")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s postil.Site
		var origins string
		if err := rows.Scan(&s.ID, &origins); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(origins), &s.Origins); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

// sound runs an integrity check and asks for rows that point nowhere.
func sound(ctx context.Context, db *sql.DB, check string) error {
	var verdict string
	if err := db.QueryRowContext(ctx, check).Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return errors.New(verdict)
	}
	var table string
	err := db.QueryRowContext(ctx, `SELECT "table" FROM pragma_foreign_key_check LIMIT 1`).Scan(&table)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("a row of %s points to one that is not there", table)
	}
	return err
}

// Adopt makes the database of a server out of a copy of the backup m: its
// schema is brought up to date, the manifest and the secret in it are wiped,
// and it gets the name install at the broker, so that no event of the time
// after the backup is taken for one of now. It ends verified, in one file, on
// the disk.
func Adopt(ctx context.Context, path, install string, m Manifest, now time.Time) (err error) {
	if m.Sealed {
		if _, err := Recognise(ctx, path); err != nil {
			return fmt.Errorf("the copy is not what was copied: %w", err)
		}
	}
	db, err := sql.Open("sqlite", fileDSN(path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close(), syncFile(path)) }()
	db.SetMaxOpenConns(1)
	for _, query := range []string{"PRAGMA secure_delete = ON", "DROP TABLE IF EXISTS backup_manifest"} {
		if _, err := db.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	if err := migrate(ctx, db, nil); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "INSERT INTO meta (key, value) VALUES ('install', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", install); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "INSERT INTO audit (at, channel, actor, action, subject) VALUES (?, 'rest', 'local', 'backup.restore', 'installation')", millis(now)); err != nil {
		return err
	}
	if m.Sealed && m.Schema == newestSchema() {
		return nil // a few rows aside it is what its digest stood for
	}
	return sound(ctx, db, "PRAGMA quick_check(1)")
}

// Settle brings what stands in the log of a database into its file, as far as
// that is possible. Nobody else may be using it.
func Settle(ctx context.Context, path string) {
	if _, err := os.Stat(path); err != nil {
		return
	}
	if db, err := sql.Open("sqlite", copyDSN(path)); err == nil {
		db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		db.Close()
	}
}

// Rows counts the rows of each table of the database at path, which nobody
// else may be writing.
func Rows(ctx context.Context, path string) (map[string]int64, error) {
	db, err := sql.Open("sqlite", copyDSN(path))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return countRows(ctx, db)
}

func countRows(ctx context.Context, db *sql.DB) (map[string]int64, error) {
	names, err := db.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%\\_fts\\_%' ESCAPE '\\' ORDER BY name")
	if err != nil {
		return nil, err
	}
	defer names.Close()
	rows := map[string]int64{}
	for names.Next() {
		var name string
		if err := names.Scan(&name); err != nil {
			return nil, err
		}
		rows[name] = 0
	}
	if err := errors.Join(names.Err(), names.Close()); err != nil {
		return nil, err
	}
	for name := range rows {
		var n int64
		if err := db.QueryRowContext(ctx, `SELECT count(*) FROM "`+name+`"`).Scan(&n); err != nil {
			return nil, fmt.Errorf("the rows of %s cannot be counted: %w", name, err)
		}
		rows[name] = n
	}
	return rows, nil
}

func noSuchTable(ctx context.Context, db *sql.DB, name string) bool {
	var one int
	err := db.QueryRowContext(ctx, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", name).Scan(&one)
	return errors.Is(err, sql.ErrNoRows)
}

// schemaVersion reads which migration a database came to, 0 for none.
func schemaVersion(ctx context.Context, db *sql.DB) (version int64, err error) {
	if noSuchTable(ctx, db, "goose_db_version") {
		return 0, nil
	}
	err = db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied = 1").Scan(&version)
	return version, err
}

// newestSchema is the schema that this program knows.
func newestSchema() int64 {
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil || len(names) == 0 {
		return 0
	}
	version, err := goose.NumericComponent(names[len(names)-1])
	if err != nil {
		return 0
	}
	return version
}

// newerError refuses what a newer version has written.
type newerError struct{ have, newest int64 }

func (e *newerError) Error() string {
	return fmt.Sprintf("its schema has version %d, and this program knows %d only. Install the newer postil again, or restore a backup made by this one", e.have, e.newest)
}
