//go:build edge

package edge

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
	"github.com/postil/postil/internal/apptest/ports"
)

func TestMain(m *testing.M) { apptest.Main(m) }

// conf is the file that is shipped.
const conf = "../../../deploy/nginx-edge.conf"

// late is what a machine with other things to do may add to a promise.
const late = 300 * time.Millisecond

// stage is a service with a thread and nginx before it.
type stage struct {
	service *apptest.Process
	front   *Nginx
	base    string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	p := apptest.RunBinary(t, apptest.Options{}, "POSTIL_LIMITS=off", "POSTIL_LOG_LEVEL=error")
	front, err := Start(context.WithoutCancel(t.Context()), conf, t.TempDir(), ports.Address(t), strings.TrimPrefix(p.Base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(front.Stop)
	s := &stage{service: p, front: front, base: "http://" + front.Addr}
	s.change(t, 0)
	return s
}

// change publishes one more comment of the thread and returns the version of
// the thread in which it is.
func (s *stage) change(t *testing.T, n int) int64 {
	t.Helper()
	posted := s.service.Post(t, apptest.Draft{Post: "/hot", Text: fmt.Sprintf("comment number %d of a busy day", n)})
	s.service.Decide(t, posted.Comment.ID, "approve")
	return s.service.Thread(t, "/hot").Version
}

// crowd are readers of the thread behind nginx.
type crowd struct {
	base  string
	reads atomic.Int64
	mu    sync.Mutex
	errs  []error
	at    [8]atomic.Int64 // the version that each reader got last
}

// read reads until ctx ends; readers take turns in what they accept.
func (c *crowd) read(ctx context.Context) {
	var wg sync.WaitGroup
	for i := range c.at {
		wg.Go(func() {
			client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
			defer client.CloseIdleConnections()
			for ctx.Err() == nil {
				version, err := readVersion(client, c.base, []string{"", "gzip", "gzip, deflate, br;q=0", "deflate, gzip"}[i%4])
				if err != nil {
					c.mu.Lock()
					c.errs = append(c.errs, err)
					c.mu.Unlock()
					continue
				}
				c.reads.Add(1)
				c.at[i].Store(version)
			}
		})
	}
	wg.Wait()
}

// oldest is the oldest version that a reader got last.
func (c *crowd) oldest() int64 {
	v := c.at[0].Load()
	for i := range c.at {
		v = min(v, c.at[i].Load())
	}
	return v
}

func readVersion(client *http.Client, base, coding string) (int64, error) {
	r, err := http.NewRequest("GET", base+"/api/v1/sites/blog/comments?post=/hot", nil)
	if err != nil {
		return 0, err
	}
	if coding != "" {
		r.Header.Set("Accept-Encoding", coding)
	}
	res, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	var body io.Reader = res.Body
	if res.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(res.Body); err != nil {
			return 0, err
		}
	}
	raw, err := io.ReadAll(body)
	if err != nil || res.StatusCode != http.StatusOK {
		return 0, errors.Join(err, fmt.Errorf("answered with %d: %.200s", res.StatusCode, raw))
	}
	var thread struct{ Version int64 }
	return thread.Version, json.Unmarshal(raw, &thread)
}

// gather starts a crowd that reads until the returned function is called.
func (s *stage) gather(t *testing.T) (*crowd, func()) {
	t.Helper()
	c := &crowd{base: s.base}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); c.read(ctx) }()
	apptest.Eventually(t, 10*time.Second, "every reader has read", func() bool { return c.oldest() > 0 })
	return c, sync.OnceFunc(func() { stop(); <-done })
}

// reached is how many reads have reached the service.
func (s *stage) reached(t *testing.T) (n float64) {
	t.Helper()
	a, err := s.service.Do(t.Context(), "GET", "/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(a.Body)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.HasPrefix(name, "postil_thread_requests_total") {
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			n += v
		}
	}
	return n
}

func TestReadersBehindTheEdgeSeeAChangeWithinTwoSecondsAndLeaveTheServiceAlone(t *testing.T) {
	s := newStage(t)
	c, stop := s.gather(t)
	defer stop()
	before, began, own := s.reached(t), time.Now(), 0
	var slowest time.Duration
	for n := 1; time.Since(began) < 10*time.Second; n++ {
		version := s.change(t, n)
		own++ // change reads the thread once
		took := apptest.Eventually(t, 2*time.Second+late, fmt.Sprintf("every reader sees version %d", version), func() bool { return c.oldest() >= version })
		slowest = max(slowest, took)
	}
	stop()
	took, reads := time.Since(began).Seconds(), c.reads.Load()
	reached := s.reached(t) - before - float64(own)
	t.Logf("%d reads in %.1f s, of which %.0f reached the service; a change was seen after %v at most", reads, took, reached, slowest)
	if len(c.errs) > 0 {
		t.Errorf("%d reads failed, the first with %v", len(c.errs), c.errs[0])
	}
	const codings = 2 // gzip and none, whatever else the readers wrote
	if most := 2 * codings * (took + 1); reached > most {
		t.Errorf("%.0f reads reached the service in %.1f s, which is more than %.0f", reached, took, most)
	}
}

func TestReadersBehindTheEdgeNoticeNothingOfARestart(t *testing.T) {
	s := newStage(t)
	c, stop := s.gather(t)
	defer stop()
	for n := range 2 {
		if code := s.service.Stop(t); code != 0 {
			t.Errorf("the service ended with %d", code)
		}
		down := time.Now()
		seen := c.reads.Load()
		apptest.Eventually(t, 10*time.Second, "readers go on for three seconds without a service", func() bool {
			return time.Since(down) > 3*time.Second && c.reads.Load() > seen
		})
		s.service.Start(t)
		version := s.change(t, 100+n)
		apptest.Eventually(t, 3*time.Second+late, "readers see what came after the restart", func() bool { return c.oldest() >= version })
	}
	stop()
	if len(c.errs) > 0 {
		t.Errorf("%d of %d reads failed, the first with %v", len(c.errs), c.reads.Load(), c.errs[0])
	}
}

func TestWhoNamesAVersionPassesTheEdge(t *testing.T) {
	s := newStage(t)
	client := &http.Client{}
	for n := range 5 {
		posted := s.service.Post(t, apptest.Draft{Post: "/hot", Text: fmt.Sprintf("fresh comment %d of today", n)})
		s.service.Decide(t, posted.Comment.ID, "approve")
		version := s.service.Thread(t, "/hot").Version
		res, err := client.Get(fmt.Sprintf("%s/api/v1/sites/blog/comments?post=/hot&v=%d", s.base, version))
		if err != nil {
			t.Fatal(err)
		}
		var thread struct{ Version int64 }
		err = json.NewDecoder(res.Body).Decode(&thread)
		res.Body.Close()
		if err != nil || thread.Version < version {
			t.Errorf("asked for version %d, got %d (%v)", version, thread.Version, err)
		}
	}
}

func TestTheEdgeAnswersWhoHasTheThreadAlready(t *testing.T) {
	s := newStage(t)
	url := s.base + "/api/v1/sites/blog/comments?post=/hot"
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("If-None-Match", res.Header.Get("Etag"))
	again, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	again.Body.Close()
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("answered with %d", again.StatusCode)
	}
}
