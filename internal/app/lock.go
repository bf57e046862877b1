package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// lockData takes the data directory for this process. The operating system
// lets go of it when the process ends, however it ends. Beside the lock stands
// the process id, for the sentence that refuses a second server.
func lockData(dir string) (*flock.Flock, error) {
	l := flock.New(filepath.Join(dir, "lock"))
	held, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("the data directory %s cannot be locked: %w", dir, err)
	}
	pidFile := filepath.Join(dir, "pid")
	if !held {
		return nil, &lockedError{dir: dir, pid: readPID(pidFile)}
	}
	return l, errors.Join(os.WriteFile(pidFile, []byte(strconv.Itoa(os.Getpid())), 0o600))
}

func readPID(file string) string {
	raw, err := os.ReadFile(file)
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(raw))
}

// lockedError says that another server has the data directory.
type lockedError struct{ dir, pid string }

func (e *lockedError) Error() string {
	return fmt.Sprintf("another postil (process %s) is using the data directory %s. Stop it first, or give this one a directory of its own with POSTIL_DATA", e.pid, e.dir)
}
