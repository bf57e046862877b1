// Package fresh gives each test a copy of a file that is made once for the
// process. A database with all its migrations takes a tenth of a second to make,
// and seconds under the race detector; hundreds of tests begin with one.
package fresh

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

var (
	mu     sync.Mutex
	models = map[string][]byte{}
)

// Path returns the path of a new copy of the file with this name, in a directory
// of its own. The first call for a name has create make the file.
func Path(t testing.TB, name string, create func(path string) error) string {
	t.Helper()
	content, err := once(name, create)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func once(name string, create func(path string) error) ([]byte, error) {
	mu.Lock()
	defer mu.Unlock()
	if made, ok := models[name]; ok {
		return made, nil
	}
	dir, err := os.MkdirTemp("", "postil-fresh-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, name)
	if err := create(path); err != nil {
		return nil, err
	}
	made, err := os.ReadFile(path)
	if err == nil {
		models[name] = made
	}
	return made, err
}
