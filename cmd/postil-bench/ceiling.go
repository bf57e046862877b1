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

// model is what the ceiling copies: the answers to GET, or to POST with a body.
type model struct {
	URIs []string
	Body string
}

// startCeiling starts a child that answers as s does.
func startCeiling(ctx context.Context, s *server, m model) (*ceiling, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(m)
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

// runCeiling is the child: "postil-bench ceiling URL", what to copy on stdin.
func runCeiling(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("ceiling: name the service to copy")
	}
	app.TuneMemory()
	var m model
	if err := json.NewDecoder(os.Stdin).Decode(&m); err != nil {
		return err
	}
	copies, err := copyAnswers(ctx, args[0], m)
	if err != nil {
		return err
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
	status    int
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
	w.WriteHeader(a.status)
	w.Write(a.body)
}

func copyAnswers(ctx context.Context, base string, m model) (*copies, error) {
	all := &copies{byURI: map[string]*copied{}}
	for _, uri := range m.URIs {
		c, err := copyAnswer(ctx, base+uri, m.Body)
		if err != nil {
			return nil, err
		}
		all.byURI[uri], all.only = c, c
	}
	if len(m.URIs) > 1 {
		all.only = nil
	}
	return all, nil
}

func copyAnswer(ctx context.Context, url, sent string) (*copied, error) {
	if sent != "" {
		return copyAccepted(ctx, url, sent)
	}
	full, body, err := fetch(ctx, url, "")
	if err != nil {
		return nil, err
	}
	c := &copied{status: full.StatusCode, etag: full.Header.Get("Etag"), full: fields(full.Header), body: body}
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

func copyAccepted(ctx context.Context, url, sent string) (*copied, error) {
	r, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(sent))
	if err != nil {
		return nil, err
	}
	res, body, err := answerOf(r)
	if err == nil && res.StatusCode != http.StatusAccepted {
		err = fmt.Errorf("%s was answered with %d", url, res.StatusCode)
	}
	if err != nil {
		return nil, err
	}
	return &copied{status: res.StatusCode, full: fields(res.Header), body: body}, nil
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
	return answerOf(r)
}

func answerOf(r *http.Request) (*http.Response, []byte, error) {
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
