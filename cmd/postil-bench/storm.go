package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// storm is what falls on the service while readers read: comments posted at a
// rate, a quarter of them on the hot thread, and approvals at a lower rate, of
// which every second one is of a comment on the hot thread.
type storm struct {
	s         *server
	posts     int // per second
	approvals int // per second
	hot, cold chan string
	serial    atomic.Int64
	turn      atomic.Int64
	posted    atomic.Int64
	approved  atomic.Int64
	failed    atomic.Int64
}

func newStorm(s *server, posts, approvals int) *storm {
	return &storm{s: s, posts: posts, approvals: approvals, hot: make(chan string, 4096), cold: make(chan string, 4096)}
}

// rage lasts until ctx ends.
func (st *storm) rage(ctx context.Context) error {
	const hands = 8 // as many as keep the rate when an answer takes its time
	var wg sync.WaitGroup
	var failure atomic.Pointer[error]
	work := func(rate int, do func(c *client) error) {
		c, err := dial(ctx, st.s.addr)
		if err != nil {
			failure.Store(&err)
			return
		}
		defer c.conn.Close()
		tick := time.NewTicker(time.Second * hands / time.Duration(rate))
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := do(c); err != nil {
				failure.Store(&err)
				return
			}
		}
	}
	for range hands {
		wg.Go(func() { work(st.posts, st.post) })
		wg.Go(func() { work(st.approvals, st.approve) })
	}
	wg.Wait()
	if err := failure.Load(); err != nil {
		return *err
	}
	return nil
}

// post sends one comment and notes its id.
func (st *storm) post(c *client) error {
	n := st.serial.Add(1)
	post, ids := numbered(int(n)%zipfPosts), st.cold
	if n%4 == 0 {
		post, ids = hotPost, st.hot
	}
	status, err := c.do(postRequest(post, fmt.Sprintf("Thing number %d that somebody has to say about the weather of the day", n)))
	if err != nil {
		return err
	}
	if status != 202 {
		st.failed.Add(1)
		return nil
	}
	id, err := idOf(c.body)
	if err != nil {
		return err
	}
	st.posted.Add(1)
	select {
	case ids <- id:
	default: // enough of them wait
	}
	return nil
}

// approve takes from both threads by turns.
func (st *storm) approve(c *client) error {
	ids := st.cold
	if st.turn.Add(1)%2 == 0 {
		ids = st.hot
	}
	select {
	case id := <-ids:
		return st.decide(c, id)
	default: // nothing waits yet
		return nil
	}
}

func (st *storm) decide(c *client, id string) error {
	status, err := c.do(approveRequest(id))
	if err == nil && status == 200 {
		st.approved.Add(1)
	} else {
		st.failed.Add(1)
	}
	return err
}

func idOf(answer []byte) (string, error) {
	var posted struct{ Comment struct{ ID string } }
	err := json.Unmarshal(answer, &posted)
	return posted.Comment.ID, err
}

// postRequest is a comment as a widget would send it.
func postRequest(post, text string) []byte {
	body, _ := json.Marshal(map[string]any{"post": post, "author": map[string]string{"name": "Ann"}, "text": text})
	return writeRequest("/api/v1/sites/"+siteKey+"/comments", body)
}

func approveRequest(id string) []byte {
	return writeRequest("/api/v1/admin/comments/"+id+"/decision", []byte(`{"decision":"approve"}`), "Authorization: Bearer "+adminKey)
}

func writeRequest(uri string, body []byte, headers ...string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: bench.example\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", uri, len(body))
	for _, h := range headers {
		b.WriteString(h + "\r\n")
	}
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

// measureStorm reads the hot thread with and without a storm, by turns.
func measureStorm(ctx context.Context, b *bench) error {
	s, err := b.library(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	st := newStorm(s, 200, 50)
	if err := b.measureAlone(ctx, st); err != nil {
		return err
	}
	calm, rough := &rival{addr: s.addr, p: s.process}, &rival{addr: s.addr, p: s.process}
	uri := threadURI(hotPost)
	c := contest{next: always(get(uri, gzipWanted)), want: 200, bear: true}
	d := b.slice(1200 * time.Millisecond)
	var raged time.Duration
	for round := range b.rounds(9) + 1 {
		for turn := range 2 {
			if (turn+round)%2 == 0 {
				err = calm.race(ctx, c, d, round > 0)
			} else {
				began := time.Now()
				err = st.around(ctx, func() error { return rough.race(ctx, c, d, round > 0) })
				raged += time.Since(began)
			}
			if err != nil {
				return err
			}
		}
	}
	b.reportStorm(st, calm, rough, raged)
	return nil
}

// measureAlone lets the storm rage while nobody reads. What the service spends
// on it says on a busy machine too what is taken from the readers.
func (b *bench) measureAlone(ctx context.Context, st *storm) error {
	d := b.slice(4 * time.Second)
	raging, stop := context.WithTimeout(ctx, d)
	defer stop()
	before, err := st.s.cpu()
	if err != nil {
		return err
	}
	if err := st.rage(raging); err != nil {
		return err
	}
	after, err := st.s.cpu()
	if err != nil {
		return err
	}
	each := float64((after - before).Microseconds()) / float64(max(st.posted.Load(), 1))
	b.report.note("server CPU per post, checks and approvals included, nobody reading", each, fmt.Sprintf("%.0f µs, %d posts, %d approvals", each, st.posted.Load(), st.approved.Load()))
	st.posted.Store(0)
	st.approved.Store(0)
	return nil
}

// around lets the storm rage while do runs.
func (st *storm) around(ctx context.Context, do func() error) error {
	raging, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- st.rage(raging) }()
	time.Sleep(50 * time.Millisecond)
	err := do()
	stop()
	if stormErr := <-ended; err == nil {
		err = stormErr
	}
	return err
}

func (b *bench) reportStorm(st *storm, calm, rough *rival, raged time.Duration) {
	kept := ratios(rough.rate, calm.rate)
	b.report.note("requests/s without the storm", median(calm.rate), around("%.0f", calm.rate))
	b.report.note("posts/s and approvals/s in it, of these failed", float64(st.posted.Load())/raged.Seconds(), fmt.Sprintf("%.0f, %.0f, %d",
		float64(st.posted.Load())/raged.Seconds(), float64(st.approved.Load())/raged.Seconds(), st.failed.Load()))
	b.report.judge("requests/s in it against without", median(kept), around("%.2f", kept), "≥ 0.75, stretch 0.85", median(kept) >= 0.75)
	slow := float64(median(rough.p99)) / float64(max(median(calm.p99), 1))
	b.report.judge("p99 in it against without", slow, fmt.Sprintf("%.1f (%s against %s)", slow, ms(median(rough.p99)), ms(median(calm.p99))), "< 3", slow < 3)
	b.report.judge("readers' errors in it", float64(rough.bad), strconv.Itoa(rough.bad), "0", rough.bad == 0)
	b.report.note("server CPU per read in it, writes included", median(rough.cost), fmt.Sprintf("%.1f µs against %.1f µs", median(rough.cost), median(calm.cost)))
}

// measureLoads counts what a change of a hot thread costs the store while a
// thousand connections read it.
func measureLoads(ctx context.Context, b *bench) error {
	s, err := b.library(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	st := newStorm(s, 1, 1)
	c, err := dial(ctx, s.addr)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	changes := b.rounds(20)
	for len(st.hot) < changes {
		if err := st.post(c); err != nil {
			return err
		}
	}
	const crowd, pause = 1000, 250 * time.Millisecond
	var got *sent
	reading := make(chan error, 1)
	grown, err := s.grown(ctx, func() error {
		go func() {
			var err error
			got, err = load{addr: s.addr, conns: crowd, next: always(get(threadURI(hotPost), gzipWanted))}.run(ctx, time.Duration(changes+3)*pause)
			reading <- err
		}()
		time.Sleep(2 * pause)
		for range changes {
			if err := st.decide(c, <-st.hot); err != nil {
				return err
			}
			time.Sleep(pause)
		}
		return <-reading
	})
	if err != nil {
		return err
	}
	first := 1.0 // the first reader's, before any change
	each := (grown(loads) - first) / float64(changes)
	b.report.judge(fmt.Sprintf("store loads per change, %d readers", crowd), each, fmt.Sprintf("%.2f (%d changes, %d reads, %d errors)", each, changes, got.n, got.others(200)), "≤ 1", each <= 1)
	return nil
}
