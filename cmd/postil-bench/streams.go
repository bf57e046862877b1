package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"sync"
	"syscall"
	"time"
)

// spare is how many file descriptors are left to everything but streams.
const spare = 500

// measureStreams opens as many streams as files may be open, ten thousand at
// most, and approves a comment that all of them wait for.
func measureStreams(ctx context.Context, b *bench) error {
	wanted := min(openFiles()-spare, 10_000)
	if b.quick {
		wanted = min(wanted, 1000)
	}
	s, err := b.library(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	before, err := s.memory()
	if err != nil {
		return err
	}
	began := time.Now()
	a := &audience{changes: make(chan time.Time, wanted)}
	defer a.leave()
	if err := a.gather(ctx, s, wanted); err != nil {
		return err
	}
	opened := time.Since(began)
	time.Sleep(b.slice(2 * time.Second))
	after, err := s.memory()
	if err != nil {
		return err
	}
	all, first, reached, err := a.tell(ctx, s)
	if err != nil {
		return err
	}
	each := (after - before) / int64(wanted)
	b.report.note("streams opened", float64(wanted), fmt.Sprintf("%d in %s", wanted, ms(opened)))
	b.report.judge("resident memory of each", float64(each), fmt.Sprintf("%.1f KiB", float64(each)/1024), "≤ 32 KiB, stretch 24", each <= 32<<10)
	b.report.judge("one change, from the approval's answer to the last of them", all.Seconds(), fmt.Sprintf("%s, the first after %s, %d reached", ms(all), ms(first), reached), "≤ 1 s, all", all <= time.Second && reached == wanted)
	return nil
}

// openFiles is how many files a process may have open here.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1024
	}
	return int(min(limit.Cur, 1<<20))
}

// audience are open streams.
type audience struct {
	mu      sync.Mutex
	clients []*client
	changes chan time.Time // one for each stream that was told
}

// gather opens n streams, some at a time.
func (a *audience) gather(ctx context.Context, s *server, n int) error {
	const hands = 16
	errs := make(chan error, hands)
	for hand := range hands {
		go func() {
			for i := hand; i < n; i += hands {
				if err := a.join(ctx, s); err != nil {
					errs <- fmt.Errorf("stream %d: %w", i, err)
					return
				}
			}
			errs <- nil
		}()
	}
	for range hands {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

// join opens one stream and waits for its first line.
func (a *audience) join(ctx context.Context, s *server) error {
	c, err := dial(ctx, s.addr)
	if err != nil {
		return err
	}
	c.buf = make([]byte, 2048)
	a.mu.Lock()
	a.clients = append(a.clients, c)
	a.mu.Unlock()
	uri := "/api/v1/sites/" + siteKey + "/stream?post=" + url.QueryEscape(hotPost)
	if _, err := c.conn.Write(get(uri, "Accept: text/event-stream")); err != nil {
		return err
	}
	have := 0
	for !bytes.Contains(c.buf[:have], []byte("retry: ")) {
		n, err := c.conn.Read(c.buf[have:])
		if err != nil {
			return err
		}
		have += n
	}
	go a.listen(c)
	return nil
}

func (a *audience) listen(c *client) {
	for {
		n, err := c.conn.Read(c.buf)
		if err != nil {
			return
		}
		if bytes.Contains(c.buf[:n], []byte("event: ")) {
			a.changes <- time.Now()
			return
		}
	}
}

// tell approves a comment and waits for everybody.
func (a *audience) tell(ctx context.Context, s *server) (all, first time.Duration, reached int, err error) {
	st := newStorm(s, 1, 1)
	c, err := dial(ctx, s.addr)
	if err != nil {
		return 0, 0, 0, err
	}
	defer c.conn.Close()
	for len(st.hot) == 0 {
		if err := st.post(c); err != nil {
			return 0, 0, 0, err
		}
	}
	if err := st.decide(c, <-st.hot); err != nil {
		return 0, 0, 0, err
	}
	answered := time.Now()
	patience := time.After(10 * time.Second)
	for range a.clients {
		select {
		case at := <-a.changes:
			if reached++; reached == 1 {
				first = at.Sub(answered)
			}
			all = max(all, at.Sub(answered))
		case <-patience:
			return all, first, reached, nil
		}
	}
	return all, first, reached, nil
}

func (a *audience) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.clients {
		c.conn.Close()
	}
}
