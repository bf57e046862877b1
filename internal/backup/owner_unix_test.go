//go:build unix

package backup

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestWhatRootPutsThereBelongsToTheOwnerOfTheDirectory(t *testing.T) {
	t.Parallel()
	const daemon = 1
	data := t.TempDir()
	file := filepath.Join(data, Database)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := uint32(os.Getuid())
	if want == 0 {
		want = daemon
		if err := os.Chown(data, daemon, daemon); err != nil {
			t.Fatal(err)
		}
	}
	if err := GiveToOwner(data); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Sys().(*syscall.Stat_t).Uid; got != want {
		t.Errorf("it belongs to %d, the directory to %d", got, want)
	}
}

func TestADirectoryThatCannotBeWrittenToIsSaidBeforeTheNight(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a-file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Writable(filepath.Join(file, "backups")); err == nil {
		t.Error("a directory below a file is writable")
	}
	dir := filepath.Join(t.TempDir(), "new")
	if err := Writable(dir); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}
