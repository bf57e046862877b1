package token

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/postil/postil/internal/postil"
)

// minSecret is how long a secret is at least, in characters. One that LoadSecret
// makes has 256 random bits.
const minSecret = 32

const maxSecretFile = 4096

// ParseSecret checks a secret given as a setting.
func ParseSecret(text string) (Secret, error) {
	text = strings.TrimSpace(text)
	if len(text) < minSecret {
		return Secret{}, unusable(nil, "The secret has %d characters and needs at least %d; make one with “openssl rand -base64 32”.", len(text), minSecret)
	}
	return NewSecret(text), nil
}

// LoadSecret returns the secret kept in the file at path, and makes it when the
// file does not exist: whole or not at all, readable by its owner only, and on
// the disk before it is used. It refuses a file that others can read or that is
// too short, with a sentence that says what to do.
func LoadSecret(path string) (Secret, error) {
	secret, err := readSecret(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if err := makeSecret(path); err != nil {
		return Secret{}, unusable(err, "The secret cannot be written to %s; make the directory writable for the user that runs Postil.", path)
	}
	// Read again: when two processes began at once, one file won for both.
	return readSecret(path)
}

func readSecret(path string) (Secret, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Secret{}, err
	}
	if err != nil {
		return Secret{}, unusable(err, "The secret in %s cannot be read; it must belong to the user that runs Postil.", path)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil || !info.Mode().IsRegular():
		return Secret{}, unusable(err, "The secret %s is not a file; move it away and Postil makes a new one.", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o027 != 0: // Windows has no such bits
		return Secret{}, unusable(nil, "The secret in %s can be read or changed by others (mode %04o); run “chmod 600 %s”.", path, info.Mode().Perm(), path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSecretFile))
	if err != nil {
		return Secret{}, unusable(err, "The secret in %s cannot be read.", path)
	}
	secret, err := ParseSecret(string(text))
	if err != nil {
		return Secret{}, unusable(nil, "The secret in %s is too short; restore it from a backup, or delete it and Postil makes a new one (edit keys given out before stop working).", path)
	}
	return secret, nil
}

// makeSecret writes a new secret beside path and then gives it that name, unless
// somebody was faster.
func makeSecret(path string) (err error) {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, ".secret-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = fmt.Fprintln(tmp, encode(random(32)))
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err = os.Link(tmp.Name(), path); errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil { // a file system without hard links
		if err = os.Rename(tmp.Name(), path); err != nil {
			return err
		}
	}
	return syncDir(dir)
}

// syncDir makes a new name in dir survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && runtime.GOOS != "windows" { // which cannot
		return err
	}
	return nil
}

func unusable(cause error, format string, args ...any) error {
	return &postil.Error{Kind: postil.Invalid, Field: "POSTIL_SECRET", Sentence: fmt.Sprintf(format, args...), Cause: cause}
}
