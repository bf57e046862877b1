//go:build chaos

package chaos

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/ports"
)

const adminKey = "chaos-key-of-this-machine-only"

var binary = flag.String("binary", "", "kill this one instead of building it")

var build = sync.OnceValues(func() (string, error) {
	if *binary != "" {
		return *binary, nil
	}
	dir, err := os.MkdirTemp("", "postil-chaos-bin-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "postil")
	cmd := exec.Command("go", "build", "-o", path, "github.com/postil/postil/cmd/postil")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the binary cannot be built: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := build(); err == nil && *binary == "" {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// node is the real binary on one data directory, started and killed many times.
type node struct {
	binary, root, data, addr, base string

	env  []string
	cmd  *exec.Cmd
	runs int
}

// newNode makes a node that is not running. Its directory is kept when the test fails.
func newNode(t *testing.T, env ...string) *node {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.MkdirTemp("", "postil-chaos-")
	if err != nil {
		t.Fatal(err)
	}
	n := &node{binary: path, root: root, data: filepath.Join(root, "data"), addr: ports.Address(t)}
	n.base = "http://" + n.addr
	n.env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + root, "POSTIL_LISTEN=" + n.addr, "POSTIL_URL=" + n.base, "POSTIL_DATA=" + n.data,
		"POSTIL_ADMIN_KEY=" + adminKey, "POSTIL_SITE=" + sites[0], "POSTIL_SITE_ORIGINS=https://chaos.example",
		"POSTIL_LIMITS=off", "POSTIL_LOG=json"}, env...)
	t.Cleanup(func() {
		n.kill()
		if t.Failed() {
			t.Logf("kept: %s (data and logs)", root)
			return
		}
		os.RemoveAll(root)
	})
	return n
}

// start runs the binary and does not wait until it answers.
func (n *node) start(env ...string) error {
	n.runs++
	log, err := os.Create(filepath.Join(n.root, fmt.Sprintf("run-%04d.log", n.runs)))
	if err != nil {
		return err
	}
	defer log.Close() // the child has its own
	n.cmd = exec.Command(n.binary, "serve")
	n.cmd.Env = append(append([]string{}, n.env...), env...)
	n.cmd.Stdout, n.cmd.Stderr = log, log
	return n.cmd.Start()
}

// kill is kill -9. A node that does not run stays as it is.
func (n *node) kill() {
	if n.cmd == nil {
		return
	}
	_ = n.cmd.Process.Kill()
	_ = n.cmd.Wait()
	n.cmd = nil
}

// stop asks the process to end and returns its exit code; ok tells whether it
// ended in time. One that has died already counts as having ended.
func (n *node) stop(within time.Duration) (code int, ok bool) {
	cmd := n.cmd
	n.cmd = nil
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		_ = cmd.Wait()
		return 0, true
	}
	late := time.AfterFunc(within, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	return max(0, cmd.ProcessState.ExitCode()), late.Stop()
}

// answers waits until the service says that it is up.
func (n *node) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		r, err := http.NewRequestWithContext(ctx, "GET", n.base+"/healthz", nil)
		if err != nil {
			return err
		}
		res, err := web.Do(r)
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the service did not answer within 30 s, see run-%04d.log", n.runs)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// complaints returns the lines of all logs that contain one of the words.
func (n *node) complaints(words ...string) (lines []string, err error) {
	logs, err := filepath.Glob(filepath.Join(n.root, "run-*.log"))
	if err != nil {
		return nil, err
	}
	for _, name := range logs {
		raw, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(raw) {
			for _, word := range words {
				if bytes.Contains(line, []byte(word)) {
					lines = append(lines, filepath.Base(name)+": "+string(bytes.TrimSpace(line)))
					break
				}
			}
		}
	}
	return lines, nil
}
