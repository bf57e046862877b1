package edge

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Nginx is a running nginx with one worker.
type Nginx struct {
	Addr string // where it listens, without TLS
	cmd  *exec.Cmd
	log  bytes.Buffer
}

// Start runs nginx with a shipped configuration conf before the service at
// upstream; both addresses are host:port. It keeps its files in dir and returns
// when it listens.
func Start(ctx context.Context, conf, dir, listen, upstream string) (*Nginx, error) {
	n := &Nginx{Addr: listen}
	main, err := configure(conf, dir, n.Addr, upstream)
	if err != nil {
		return nil, err
	}
	n.cmd = exec.CommandContext(ctx, "nginx", "-p", dir, "-c", main)
	n.cmd.Stdout, n.cmd.Stderr = &n.log, &n.log
	n.cmd.Cancel = func() error { return n.cmd.Process.Signal(syscall.SIGTERM) }
	if err := n.cmd.Start(); err != nil {
		return nil, fmt.Errorf("nginx: %w (on Debian: apt-get install nginx-light)", err)
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if conn, err := net.Dial("tcp", n.Addr); err == nil {
			conn.Close()
			if _, err := n.Worker(); err == nil { // who listens first is the master
				return n, nil
			}
		}
	}
	n.Stop()
	return nil, fmt.Errorf("nginx does not listen:\n%s", n.log.String())
}

// Stop ends nginx.
func (n *Nginx) Stop() {
	n.cmd.Process.Signal(syscall.SIGTERM)
	n.cmd.Wait()
}

// Worker returns the process id of the worker, which does all the work.
func (n *Nginx) Worker() (int, error) {
	pid := n.cmd.Process.Pid
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return 0, err
	}
	// The first child is the worker; the cache's own helpers come after it.
	for child := range strings.FieldsSeq(string(raw)) {
		return strconv.Atoi(child)
	}
	return 0, fmt.Errorf("nginx %d has no worker", pid)
}

// frame is what surrounds the shipped file on a real machine.
const frame = `daemon off;
%s
worker_processes 1;
pid %[2]s/nginx.pid;
error_log stderr error;
events { worker_connections 4096; }
http {
	access_log off;
	keepalive_requests 1000000000;
	client_body_temp_path %[2]s/body;
	proxy_temp_path %[2]s/proxy;
	fastcgi_temp_path %[2]s/fastcgi;
	uwsgi_temp_path %[2]s/uwsgi;
	scgi_temp_path %[2]s/scgi;
	include %[2]s/edge.conf;
}
`

var certificates = regexp.MustCompile(`(?m)^\s*ssl_certificate.*\n`)

// configure writes the configuration into dir and returns its path.
func configure(conf, dir, listen, upstream string) (string, error) {
	raw, err := os.ReadFile(conf)
	if err != nil {
		return "", err
	}
	text := string(raw)
	for _, r := range [][2]string{{"listen 443 ssl;", "listen " + listen + ";"}, {"127.0.0.1:8080;", upstream + ";"}} {
		if strings.Count(text, r[0]) != 1 {
			return "", fmt.Errorf("%s does not have %q exactly once", conf, r[0])
		}
		text = strings.Replace(text, r[0], r[1], 1)
	}
	text = strings.Replace(text, "/var/cache/nginx/postil ", filepath.Join(dir, "cache")+" ", 1)
	text = certificates.ReplaceAllString(text, "")
	if err := os.WriteFile(filepath.Join(dir, "edge.conf"), []byte(text), 0o644); err != nil {
		return "", err
	}
	main := filepath.Join(dir, "nginx.conf")
	return main, os.WriteFile(main, fmt.Appendf(nil, frame, runAs(), dir), 0o644)
}

// runAs keeps a worker of root's nginx from becoming somebody who may not
// write to dir.
func runAs() string {
	if os.Getuid() != 0 {
		return ""
	}
	me, err := user.Current()
	if err != nil {
		return ""
	}
	return "user " + me.Username + " " + me.Username + ";"
}
