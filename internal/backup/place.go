package backup

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Database is the name of the database in a data directory, and Secret that of
// the secret.
const (
	Database = "postil.db"
	Secret   = "secret"
)

// Copy copies a file, for its owner alone, and brings it to the disk.
func Copy(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return Write(to, in)
}

// Write writes a new file, for its owner alone, and brings it to the disk.
// There is none when it fails.
func Write(to string, content io.Reader) error {
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		os.Remove(to)
	}
	return err
}

// Place makes the file fresh, which stands in the directory data, its database.
// What was there goes into the new directory aside: the old database with the
// log beside it, which must never be applied to another one, and what the queue
// had. At every moment data has one whole database, the old one or the new one.
// Nobody may be using data.
func Place(data, fresh, aside string) error {
	if err := os.Mkdir(aside, 0o700); err != nil {
		return err
	}
	// A second name first, so that there is no moment without a database.
	old := filepath.Join(data, Database)
	if err := os.Link(old, filepath.Join(aside, Database)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		if err := Copy(old, filepath.Join(aside, Database)); err != nil { // a file system without links
			return err
		}
	}
	for _, name := range []string{Database + "-wal", Database + "-shm", Database + "-journal", "nats"} {
		if err := Aside(data, name, aside); err != nil {
			return err
		}
	}
	if err := errors.Join(SyncDir(aside), SyncDir(data)); err != nil {
		return err
	}
	if err := os.Rename(fresh, old); err != nil {
		return err
	}
	return SyncDir(data)
}

// Aside moves a file or directory of data away; one that is not there needs no
// moving.
func Aside(data, name, aside string) error {
	err := os.Rename(filepath.Join(data, name), filepath.Join(aside, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// SyncDir makes the names in a directory survive a power cut.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" { // which cannot
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
