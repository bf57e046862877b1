package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/migrations"
)

func TestBKP_01_ABackupWhileOthersWriteHoldsAllThatWasAcknowledgedBefore(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	running, stop := context.WithCancel(ctx)
	wrote := make(chan int, 1)
	said := make(chan postil.CommentID, 4096)
	go func() {
		n := 0
		for ; running.Err() == nil && n < 4096; n++ {
			said <- say(t, s, fmt.Sprint("text ", n), 0).ID
		}
		wrote <- n
	}()
	for range 3 {
		var last postil.CommentID
		for last = <-said; len(said) > 0; last = <-said {
		}
		to := filepath.Join(t.TempDir(), "copy.db")
		made, err := Backup(ctx, s.path, to, Manifest{Made: s.Now(ctx), Program: "test", Secret: "s3cret", Mark: "m"})
		if err != nil {
			t.Fatal(err)
		}
		m, err := Verify(ctx, to)
		if err != nil || !m.Sealed || m.Secret != "s3cret" || m.Rows["comments"] != made.Rows["comments"] || m.Rows["comments"] < int64(last) {
			t.Fatalf("%d comments were acknowledged, the backup says %+v, %v", last, m, err)
		}
		if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the backup has the mode %v, %v", info.Mode(), err)
		}
		if left, _ := filepath.Glob(to + "?*"); len(left) > 0 {
			t.Errorf("beside the backup stands %v", left)
		}
	}
	stop()
	if <-wrote == 0 {
		t.Error("nobody wrote meanwhile")
	}
}

func TestABackupOverwritesNothingAndLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	dir := t.TempDir()
	there := filepath.Join(dir, "there.db")
	if err := os.WriteFile(there, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Backup(ctx, s.path, there, Manifest{}); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("over a file: %v", err)
	}
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := Backup(ended, s.path, filepath.Join(dir, "new.db"), Manifest{}); err == nil {
		t.Error("a backup that was given up succeeded")
	}
	if _, err := Backup(ctx, filepath.Join(dir, "nothing.db"), filepath.Join(dir, "new.db"), Manifest{}); err == nil {
		t.Error("nothing was copied with success")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("what is left: %v", left)
	}
}

// backupOf returns a good backup of a few comments.
func backupOf(t *testing.T) string {
	t.Helper()
	s := open(t, Options{})
	for n := range 50 {
		say(t, s, fmt.Sprintf("This is comment number %d, and nobody wants to lose it.", n), 0)
	}
	path := filepath.Join(t.TempDir(), "backup.db")
	if _, err := Backup(ctx, s.path, path, Manifest{Made: s.Now(ctx), Program: "test", Secret: "the secret of this installation"}); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestADamagedBackupIsToldFromAGoodOne(t *testing.T) {
	t.Parallel()
	good := backupOf(t)
	content, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	spoil := func(name string, change func([]byte) []byte) {
		path := filepath.Join(t.TempDir(), "spoiled.db")
		if err := os.WriteFile(path, change(append([]byte{}, content...)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, look := range []func(context.Context, string) (Manifest, error){Verify, Recognise} {
			if m, err := look(ctx, path); err == nil || !strings.Contains(err.Error(), "another") {
				t.Errorf("%s: %+v, %v", name, m, err)
			}
		}
		// A copy that went wrong: what was restored would be another blog.
		if err := Adopt(ctx, path, "x", Manifest{Sealed: true}, time.UnixMilli(1)); err == nil {
			t.Errorf("%s: it was adopted", name)
		}
	}
	for at := 150; at < len(content); at += len(content)/40 + 1 {
		spoil(fmt.Sprint("a bit at ", at), func(b []byte) []byte { b[at] ^= 1; return b })
	}
	spoil("another text", func(b []byte) []byte { return []byte(strings.Replace(string(b), "nobody wants", "everyone has", 1)) })
	spoil("the end is missing", func(b []byte) []byte { return b[:len(b)-4096] })
	spoil("half is missing", func(b []byte) []byte { return b[:len(b)/2] })
	spoil("no database", func([]byte) []byte { return []byte(strings.Repeat("hello ", 2000)) })
	known, err := Recognise(ctx, good)
	if err != nil || !known.Sealed {
		t.Errorf("the good one is not recognised: %v", err)
	}
	if m, err := Verify(ctx, good); err != nil || !reflect.DeepEqual(m, known) {
		t.Errorf("the good one: %+v and %+v, %v", m, known, err)
	}
	if after, err := os.ReadFile(good); err != nil || string(after) != string(content) {
		t.Error("verifying changed the backup")
	}
}

func TestACopyOfARunningDatabaseIsRefusedByNameOfItsLog(t *testing.T) {
	t.Parallel()
	path := backupOf(t)
	if err := os.WriteFile(path+"-wal", []byte("newest comments"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(ctx, path); err == nil || !strings.Contains(err.Error(), path+"-wal") {
		t.Errorf("it says %v", err)
	}
}

func TestAnAdoptedBackupIsTheDatabaseItWasMadeFrom(t *testing.T) {
	t.Parallel()
	path := backupOf(t)
	before, err := Verify(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Adopt(ctx, path, "a new name", before, time.UnixMilli(1)); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(raw), "the secret of this installation") {
		t.Errorf("the secret is still in the file, %v", err)
	}
	s := openAt(t, path, Options{})
	if name, err := s.Meta(ctx, "install"); err != nil || name != "a new name" {
		t.Errorf("its name at the broker is %q, %v", name, err)
	}
	after, err := Rows(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	for table, n := range before.Rows {
		searching := strings.Contains(table, "search") // the index is filled in by and by
		if table != "backup_manifest" && table != "audit" && table != "meta" && !searching && after[table] != n {
			t.Errorf("%s has %d rows and had %d", table, after[table], n)
		}
	}
}

func TestABackupOfAnOlderSchemaIsBroughtUpToDateAndANewerOneRefused(t *testing.T) {
	t.Parallel()
	old := filepath.Join(t.TempDir(), "old.db")
	atVersion(t, old, 3)
	path := filepath.Join(t.TempDir(), "backup.db")
	m, err := Backup(ctx, old, path, Manifest{})
	if err != nil || m.Schema != 3 {
		t.Fatal(m, err)
	}
	if err := Adopt(ctx, path, "x", m, time.UnixMilli(1)); err != nil {
		t.Fatal(err)
	}
	say(t, openAt(t, path, Options{}), "It works.", 0)

	newer := filepath.Join(t.TempDir(), "newer.db")
	atVersion(t, newer, 5)
	db, err := sql.Open("sqlite", writerDSN(newer))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	to := filepath.Join(t.TempDir(), "newer-backup.db")
	if _, err := Backup(ctx, newer, to, Manifest{}); err == nil || !strings.Contains(err.Error(), "Install the newer postil") {
		t.Errorf("a newer schema: %v", err)
	}
}

// atVersion makes a database as an older program left it, with a comment.
func atVersion(t *testing.T, path string, version int64) {
	t.Helper()
	db, err := sql.Open("sqlite", writerDSN(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	p, err := provider(db, migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(ctx, version); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		`INSERT INTO sites (site_id, name, created_at) VALUES ('blog', 'Blog', 0)`,
		`INSERT INTO posts (site_id, post_id, created_at, comment_count, root_count) VALUES ('blog', '/old', 0, 1, 1)`,
		`INSERT INTO comments (comment_id, site_id, post_id, comment_body, comment_html, status, created_at, author_name, edit_nonce, checked_at, root_comment_id, visibility)
			VALUES (7, 'blog', '/old', 'An old comment.', '<p>An old comment.</p>', 'approved', 1000, 'Ann', 'n', 1, 7, 1)`,
	} {
		if _, err := db.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUPG_05_AnUpgradeCopiesFirstAndWithoutACopyChangesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "postil.db")
	atVersion(t, path, 4)
	full := errors.New("the disk is full")
	if _, err := Open(ctx, quiet, path, Options{Before: func(context.Context, int64, int64) error { return full }}); !errors.Is(err, full) {
		t.Fatalf("without a copy: %v", err)
	}
	if steps, err := Pending(ctx, path); err != nil || steps[0].Version != 5 {
		t.Fatalf("without a copy, this is left to do: %v, %v", steps, err)
	}
	copied := filepath.Join(t.TempDir(), "before.db")
	asked := 0
	s, err := Open(ctx, quiet, path, Options{Before: func(_ context.Context, from, to int64) error {
		asked++
		if from != 4 || to != newestSchema() {
			t.Errorf("from %d to %d", from, to)
		}
		_, err := Backup(ctx, path, copied, Manifest{})
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if m, err := Verify(ctx, copied); err != nil || m.Schema != 4 || m.Rows["comments"] != 1 {
		t.Errorf("the copy holds %+v, %v", m, err)
	}
	again, err := Open(ctx, quiet, path, Options{Before: func(context.Context, int64, int64) error { asked++; return nil }})
	if err != nil || asked != 1 {
		t.Errorf("copied %d times, %v", asked, err)
	}
	again.Close()
	fresh, err := Open(ctx, quiet, filepath.Join(t.TempDir(), "new.db"), Options{Before: func(context.Context, int64, int64) error { return full }})
	if err != nil {
		t.Errorf("an empty database needs no copy: %v", err)
	}
	fresh.Close()
}
