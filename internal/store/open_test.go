package store

import (
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever cannot open the database is told what to do.
func TestADatabaseThatCannotBeOpenedNamesTheRemedy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"rubbish":     {func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("hello ", 2000)), 0o600) }, "postil restore FILE"},
		"a directory": {func(path string) error { return os.Mkdir(path, 0o700) }, "directory"},
	} {
		path := filepath.Join(t.TempDir(), "postil.db")
		if err := c.make(path); err != nil {
			t.Fatal(err)
		}
		s, err := Open(ctx, slog.New(slog.DiscardHandler), path, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_ = s.Close()
		}
	}
}

func TestADatabaseOfSomebodyElseIsNoBackup(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "theirs.db")
	db, err := sql.Open("sqlite", writerDSN(path))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("CREATE TABLE comments (x); CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id INTEGER, is_applied INTEGER); INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1)")
	if err == nil {
		_, err = db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	}
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	if m, err := Verify(ctx, path); err == nil || !strings.Contains(err.Error(), "no database of Postil") {
		t.Errorf("%+v, %v", m, err)
	}
}
