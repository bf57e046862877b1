package store

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// The seal of a backup is the SHA-256 of its file, in the file. Its place is
// found by a nonce that stands before it; for the digest itself, the digits are
// taken to be zeros.
const nonceBytes = 16

var noDigest = strings.Repeat("0", sha256.Size*2)

func newNonce() string {
	b := make([]byte, nonceBytes)
	rand.Read(b) // never fails, see crypto/rand
	return hex.EncodeToString(b)
}

// seal writes the digest into the file and the file to the disk.
func seal(path, nonce string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	digest, at, err := digestOf(f, nonce)
	if err == nil {
		_, err = f.WriteAt([]byte(digest), at)
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// checkSeal compares the file with what stands in it.
func checkSeal(path, sealed string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if len(sealed) != 2*nonceBytes+len(noDigest) {
		return fmt.Errorf("%s has no digest that can be read; take another backup", path)
	}
	nonce, want := sealed[:2*nonceBytes], sealed[2*nonceBytes:]
	digest, _, err := digestOf(f, nonce)
	if err == nil && digest != want {
		err = fmt.Errorf("%s is not as it was when it was made (its digest is another one); take another backup", path)
	}
	return err
}

// digestOf returns the digest of a file with the digits after nonce as zeros,
// and where those are.
func digestOf(f *os.File, nonce string) (digest string, at int64, err error) {
	at, err = find(f, []byte(nonce))
	if err != nil {
		return "", 0, err
	}
	at += int64(len(nonce))
	info, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	h := sha256.New()
	after := at + int64(len(noDigest))
	for _, part := range []io.Reader{io.NewSectionReader(f, 0, at), strings.NewReader(noDigest), io.NewSectionReader(f, after, max(0, info.Size()-after))} {
		if _, err := io.Copy(h, part); err != nil {
			return "", 0, err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), at, nil
}

// find returns where what stands in the file for the first time.
func find(f *os.File, what []byte) (int64, error) {
	const step = 1 << 20
	buf := make([]byte, step+len(what))
	for at := int64(0); ; at += step {
		n, err := f.ReadAt(buf, at)
		if i := bytes.Index(buf[:n], what); i >= 0 {
			return at + int64(i), nil
		}
		if errors.Is(err, io.EOF) {
			return 0, errors.New("the place of the digest is not in the file; take another backup")
		}
		if err != nil {
			return 0, err
		}
	}
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncDir makes a new name in dir survive a power cut.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" { // which cannot
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
