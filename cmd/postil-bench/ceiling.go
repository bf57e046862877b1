package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/postil/postil/internal/app"
)

// The ceiling is the least that net/http can do: a handler that writes status,
// headers and bytes that it fetched once from the service. What the service
// takes beyond it is the service's own work.

// ceiling is the running child.
type ceiling struct {
	*process
	addr string
}

// startCeiling starts a child that answers these addresses as s does.
func startCeiling(ctx context.Context, s *server, uris []string) (*ceiling, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(uris)
	if err != nil {
		return nil, err
	}
	c := &ceiling{process: &process{cmd: exec.CommandContext(ctx, self, "ceiling", s.base)}}
	c.cmd.Cancel = func() error { return c.cmd.Process.Signal(syscall.SIGTERM) }
	c.cmd.Stdin, c.cmd.Stderr = strings.NewReader(string(list)), &c.log
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		c.stop()
		return nil, fmt.Errorf("the ceiling did not start: %w\n%s", err, c.log.String())
	}
	c.addr = strings.TrimSpace(line)
	return c, nil
}

// runCeiling is the child: "postil-bench ceiling URL", the addresses on stdin.
func runCeiling(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("ceiling: name the service to copy")
	}
	app.TuneMemory()
	var uris []string
	if err := json.NewDecoder(os.Stdin).Decode(&uris); err != nil {
		return err
	}
	copies := &copies{byURI: map[string]*copied{}}
	for _, uri := range uris {
		c, err := copyAnswer(ctx, args[0]+uri)
		if err != nil {
			return err
		}
		copies.byURI[uri], copies.only = c, c
	}
	if len(uris) > 1 {
		copies.only = nil
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(ln.Addr())
	server := &http.Server{Handler: copies}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// copied is one answer of the service, and the one to who has it already.
type copied struct {
	etag      string
	full, not []field
	body      []byte
}

type field struct {
	name   string
	values []string
}

type copies struct {
	byURI map[string]*copied
	only  *copied // when there is but one
}

func (c *copies) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := c.only
	if a == nil {
		if a = c.byURI[r.RequestURI]; a == nil {
			http.NotFound(w, r)
			return
		}
	}
	h := w.Header()
	if known := r.Header["If-None-Match"]; len(known) == 1 && known[0] == a.etag {
		for _, f := range a.not {
			h[f.name] = f.values
		}
		w.WriteHeader(http.StatusNotModified)
		return
	}
	for _, f := range a.full {
		h[f.name] = f.values
	}
	w.WriteHeader(http.StatusOK)
	w.Write(a.body)
}

func copyAnswer(ctx context.Context, url string) (*copied, error) {
	full, body, err := fetch(ctx, url, "")
	if err != nil {
		return nil, err
	}
	c := &copied{etag: full.Header.Get("Etag"), full: fields(full.Header), body: body}
	not, _, err := fetch(ctx, url, c.etag)
	if err == nil && (full.StatusCode != http.StatusOK || not.StatusCode != http.StatusNotModified) {
		err = fmt.Errorf("%s was answered with %d and %d", url, full.StatusCode, not.StatusCode)
	}
	if err != nil {
		return nil, err
	}
	c.not = fields(not.Header)
	return c, nil
}

// fetch reads an answer as it comes, packed or not.
func fetch(ctx context.Context, url, etag string) (*http.Response, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Accept-Encoding", "gzip")
	if etag != "" {
		r.Header.Set("If-None-Match", etag)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res, body, err
}

// fields leaves out what net/http adds by itself.
func fields(h http.Header) (out []field) {
	for name, values := range h {
		if name != "Date" && name != "Connection" {
			out = append(out, field{name, values})
		}
	}
	return out
}
