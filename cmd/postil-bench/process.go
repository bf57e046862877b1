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
	"sync"
	"syscall"
	"time"
)

const (
	adminKey = "bench-key-of-this-machine-only"
	siteKey  = "bench"
)

// buildBinary builds the server as it is shipped.
func buildBinary(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "postil")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./cmd/postil")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
}

// server is a running postil.
type server struct {
	*process
	base string
	addr string
	dir  string
}

// start runs the service with a site "bench" on a data directory, a new one
// when dir is "", and waits for its first answer.
func (b *bench) start(ctx context.Context, dir string, env ...string) (s *server, err error) {
	if dir == "" {
		if dir, err = b.dir("data"); err != nil {
			return nil, err
		}
	}
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s = &server{base: "http://" + addr, addr: addr, dir: dir}
	env = append([]string{"POSTIL_LISTEN=" + addr, "POSTIL_URL=" + s.base, "POSTIL_DATA=" + dir, "POSTIL_ADMIN_KEY=" + adminKey,
		"POSTIL_SITE=" + siteKey, "POSTIL_SITE_ORIGINS=https://bench.example", "POSTIL_LIMITS=off", "POSTIL_LOG_LEVEL=error"}, env...)
	binary := b.binary
	if b.profile != "" {
		if binary, err = os.Executable(); err != nil {
			return nil, err
		}
		env = append(env, profileTo+"="+filepath.Join(b.profile, b.report.scenario))
	}
	if s.process, err = launch(ctx, binary, env, "serve"); err != nil {
		return nil, err
	}
	return s, s.wait(ctx)
}

// wait asks until the service answers.
func (s *server) wait(ctx context.Context) error {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
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
	s.stop()
	return fmt.Errorf("the server did not answer:\n%s", s.log.String())
}

// process is a child of this one.
type process struct {
	cmd  *exec.Cmd
	log  bytes.Buffer
	once sync.Once
}

func launch(ctx context.Context, binary string, env []string, args ...string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, binary, args...)}
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	return p, p.cmd.Start()
}

// stop ends the process and waits for its end.
func (p *process) stop() {
	p.once.Do(func() {
		p.cmd.Process.Signal(syscall.SIGTERM)
		p.cmd.Wait()
	})
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// memory returns the resident set in bytes.
func (p *process) memory() (int64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid()))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmRSS:" {
			kb, err := strconv.ParseInt(f[1], 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("no VmRSS for process %d", p.pid())
}

// cpu returns the processor time that the process has used.
func (p *process) cpu() (time.Duration, error) { return cpuOf(p.pid()) }

// cpuOf reads the processor time of a process, in the kernel's ticks of 10 ms.
func cpuOf(pid int) (time.Duration, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:])) // the name may hold spaces
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat is too short", pid)
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	if err1 != nil || err2 != nil {
		return 0, fmt.Errorf("/proc/%d/stat cannot be read", pid)
	}
	return time.Duration(user+system) * 10 * time.Millisecond, nil
}

func freeAddress() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer ln.Close()
	return ln.Addr().String(), nil
}
