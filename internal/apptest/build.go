package apptest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

var (
	buildDir string
	build    = sync.OnceValues(buildBinary)
)

// Build returns the path of the real binary, built once for the test run.
func Build(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatalf("the binary cannot be built: %v", err)
	}
	return path
}

// Main is TestMain for packages that use Build. What still runs after the tests
// is a leak.
func Main(m *testing.M) {
	code := m.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, "goroutines were left behind:", err)
		code = 1
	}
	if buildDir != "" {
		os.RemoveAll(buildDir)
	}
	os.Exit(code)
}

func buildBinary() (path string, err error) {
	if buildDir, err = os.MkdirTemp("", "postil-binary-"); err != nil {
		return "", err
	}
	path = filepath.Join(buildDir, "postil")
	_, here, _, _ := runtime.Caller(0)
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./cmd/postil")
	cmd.Dir = filepath.Join(filepath.Dir(here), "..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &buildError{out, err}
	}
	return path, nil
}

type buildError struct {
	out []byte
	err error
}

func (e *buildError) Error() string { return e.err.Error() + "\n" + string(e.out) }
