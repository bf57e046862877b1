package backup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func content(t *testing.T, path ...string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		return ""
	}
	return string(raw)
}

func TestBKP_02_TheOldLogGoesAwayWithTheOldDatabase(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	write(t, data, map[string]string{"postil.db": "old", "postil.db-wal": "old log", "postil.db-shm": "old index", "nats/stream": "old events", "secret": "s", "fresh": "new"})
	aside := filepath.Join(data, "aside")
	if err := Place(data, filepath.Join(data, "fresh"), aside); err != nil {
		t.Fatal(err)
	}
	if content(t, data, "postil.db") != "new" || content(t, data, "secret") != "s" {
		t.Error("the new database is not in its place, or something else is gone")
	}
	for _, name := range []string{"postil.db-wal", "postil.db-shm", "nats/stream", "fresh"} {
		if content(t, data, name) != "" {
			t.Errorf("%s is still there", name)
		}
	}
	for name, want := range map[string]string{"postil.db": "old", "postil.db-wal": "old log", "postil.db-shm": "old index", "nats/stream": "old events"} {
		if got := content(t, aside, name); got != want {
			t.Errorf("aside, %s is %q", name, got)
		}
	}
}

func TestAnEmptyDirectoryNeedsNothingMovedAway(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	write(t, data, map[string]string{"fresh": "new"})
	if err := Place(data, filepath.Join(data, "fresh"), filepath.Join(data, "aside")); err != nil {
		t.Fatal(err)
	}
	if content(t, data, "postil.db") != "new" {
		t.Error("the new database is not in its place")
	}
}

func TestWhatCannotBeWrittenWholeIsNotThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"there": "mine"})
	if err := Write(filepath.Join(dir, "there"), strings.NewReader("other")); err == nil || content(t, dir, "there") != "mine" {
		t.Error("a file was overwritten")
	}
	if err := Copy(dir, filepath.Join(dir, "new")); err == nil {
		t.Error("a directory was copied as a file")
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("half a file was left")
	}
}
