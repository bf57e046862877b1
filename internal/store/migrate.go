package store

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/pressly/goose/v3"

	"github.com/postil/postil/migrations"
)

// BeforeUpgrade is called before the schema of a database that holds something
// is changed from one version to another. When it fails nothing is changed.
type BeforeUpgrade func(ctx context.Context, from, to int64) error

// migrate brings the schema up to date; each file runs in a transaction that
// also writes down its number, so that a process that dies in the middle has
// done all of it or nothing. A database written by a newer version is refused.
func migrate(ctx context.Context, db *sql.DB, before BeforeUpgrade) error {
	have, err := schemaVersion(ctx, db)
	if err != nil {
		return err
	}
	steps, err := pending(ctx, db)
	if err != nil {
		return err
	}
	if have > 0 && len(steps) > 0 && before != nil {
		if err := before(ctx, have, newestSchema()); err != nil {
			return fmt.Errorf("the database was not changed, because it could not be copied first: %w", err)
		}
	}
	p, err := provider(db, migrations.FS)
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

func provider(db *sql.DB, files fs.FS) (*goose.Provider, error) {
	return goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true),
		goose.WithAllowOutofOrder(true)) // files of one release may be merged in another order than they are numbered
}

// Step is one migration: its number and what it changes, in words.
type Step struct {
	Version int64
	File    string
	What    string
}

// Pending returns what bringing the database file at path up to date would
// change, and changes nothing. A file that does not exist is an empty database.
func Pending(ctx context.Context, path string) ([]Step, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return stepsBeside(nil)
	}
	db, err := sql.Open("sqlite", copyDSN(path))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return pending(ctx, db)
}

func pending(ctx context.Context, db *sql.DB) ([]Step, error) {
	done, err := applied(ctx, db)
	if err != nil {
		return nil, err
	}
	newest := newestSchema()
	for version := range done {
		if version > newest {
			return nil, &newerError{version, newest}
		}
	}
	return stepsBeside(done)
}

// stepsBeside returns the migrations that are not done.
func stepsBeside(done map[int64]bool) (steps []Step, err error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, err
		}
		if !done[version] {
			steps = append(steps, Step{version, name, headline(name)})
		}
	}
	return steps, nil
}

// applied returns the migrations that a database has.
func applied(ctx context.Context, db *sql.DB) (map[int64]bool, error) {
	done := map[int64]bool{}
	if noSuchTable(ctx, db, "goose_db_version") {
		return done, nil
	}
	rows, err := db.QueryContext(ctx, "SELECT version_id FROM goose_db_version WHERE is_applied = 1")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var version int64
		if err := rows.Scan(&version); err != nil {
			return nil, err
		}
		done[version] = true
	}
	return done, rows.Err()
}

// headline is the first sentence of a migration.
func headline(name string) string {
	f, err := migrations.FS.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	var words []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		text, ok := strings.CutPrefix(lines.Text(), "--")
		if text = strings.TrimSpace(text); !ok || text == "" {
			break
		}
		words = append(words, text)
	}
	sentence, _, _ := strings.Cut(strings.Join(words, " ")+" ", ". ")
	return strings.TrimRight(sentence, ". ") + "."
}

// Migrate brings the database file at path up to date and returns what it did.
func Migrate(ctx context.Context, path string, before BeforeUpgrade) ([]Step, error) {
	steps, err := Pending(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", writerDSN(path))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	return steps, migrate(ctx, db, before)
}
