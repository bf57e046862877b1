package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const adminKey = "bench-key-of-this-machine-only"

// buildBinary builds the server as it is shipped.
func buildBinary(ctx context.Context) (path string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "postil-bench-")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(dir, "postil")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./cmd/postil")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, func() { os.RemoveAll(dir) }, nil
}

// server is a running postil in a directory of its own.
type server struct {
	cmd  *exec.Cmd
	base string
	dir  string
	log  bytes.Buffer
}

// start runs the binary with a site "bench" and waits for its first answer.
func start(ctx context.Context, binary string, env ...string) (*server, error) {
	dir, err := os.MkdirTemp("", "postil-bench-data-")
	if err != nil {
		return nil, err
	}
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &server{base: "http://" + addr, dir: dir}
	s.cmd = exec.CommandContext(ctx, binary, "serve")
	s.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "POSTIL_LISTEN=" + addr, "POSTIL_URL=" + s.base, "POSTIL_DATA=" + dir,
		"POSTIL_ADMIN_KEY=" + adminKey, "POSTIL_SITE=bench", "POSTIL_SITE_ORIGINS=https://bench.example", "POSTIL_LIMITS=off", "POSTIL_LOG_LEVEL=error"}, env...)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	return s, s.wait(ctx)
}

func freeAddress() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer ln.Close()
	return ln.Addr().String(), nil
}

// wait asks until the service answers.
func (s *server) wait(ctx context.Context) error {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		r, err := http.NewRequestWithContext(ctx, "GET", s.base+"/healthz", nil)
		if err != nil {
			return err
		}
		if res, err := http.DefaultClient.Do(r); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
	return fmt.Errorf("the server did not answer:\n%s", s.log.String())
}

// stop ends the server and removes its directory.
func (s *server) stop() {
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
	os.RemoveAll(s.dir)
}

// memory returns the resident set of the server in bytes.
func (s *server) memory() (int64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmRSS:" {
			kb, err := strconv.ParseInt(f[1], 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("no VmRSS for process %d", s.cmd.Process.Pid)
}
