package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"
)

// client is one keep-alive connection that does as little as can be done: a
// finished request out, an answer in, looked at as far as its end must be found.
type client struct {
	conn net.Conn
	buf  []byte
	head []byte // of the last answer, valid until the next
	body []byte
}

func dial(ctx context.Context, addr string) (*client, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, buf: make([]byte, 256<<10)}, nil
}

var (
	endOfHead  = []byte("\r\n\r\n")
	lengthName = []byte("\r\nContent-Length: ")
	chunked    = []byte("\r\nTransfer-Encoding: chunked")
	lastChunk  = []byte("\r\n0\r\n\r\n")
)

// do sends a request and returns the status of the answer, of which head and
// body are kept until the next call; that of a chunked answer as it came.
func (c *client) do(request []byte) (status int, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	have, head, want := 0, 0, 0
	for head == 0 || want < 0 || have < want {
		if have == len(c.buf) {
			c.buf = append(c.buf, make([]byte, len(c.buf))...)
		}
		n, err := c.conn.Read(c.buf[have:])
		if err != nil {
			return 0, err
		}
		have += n
		if head == 0 {
			if head = bytes.Index(c.buf[:have], endOfHead) + len(endOfHead); head < len(endOfHead) {
				head = 0
				continue
			}
			if status, want, err = readHead(c.buf[:head]); err != nil {
				return 0, err
			}
			if want >= 0 {
				want += head
			}
		}
		if want < 0 && bytes.HasSuffix(c.buf[head:have], lastChunk) { // nothing was asked that could come after it
			want = have
		}
	}
	c.head, c.body = c.buf[:head], c.buf[head:want]
	return status, nil
}

// readHead returns status and length of the body, -1 for one in chunks.
func readHead(head []byte) (status, length int, err error) {
	if len(head) < 12 {
		return 0, 0, errors.New("that is no HTTP")
	}
	if status, err = strconv.Atoi(string(head[9:12])); err != nil {
		return 0, 0, err
	}
	at := bytes.Index(head, lengthName)
	if at < 0 {
		if status == 304 || status == 204 {
			return status, 0, nil
		}
		if bytes.Contains(head, chunked) {
			return status, -1, nil
		}
		return 0, 0, fmt.Errorf("an answer without a length:\n%s", head)
	}
	digits := head[at+len(lengthName):]
	length, err = strconv.Atoi(string(digits[:bytes.IndexByte(digits, '\r')]))
	return status, length, err
}

// header returns the value of a header of the last answer, "" without it. The
// name is written as the server writes it.
func (c *client) header(name string) string {
	_, rest, found := bytes.Cut(c.head, []byte("\r\n"+name+": "))
	if !found {
		return ""
	}
	value, _, _ := bytes.Cut(rest, []byte("\r\n"))
	return string(value)
}

// get is a finished GET.
func get(uri string, headers ...string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: bench.example\r\n", uri)
	for _, h := range headers {
		b.WriteString(h + "\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// sent is what became of a load.
type sent struct {
	histogram
	took     time.Duration
	statuses map[int]int
	hinted   int // refusals that said when to come back
	cut      int // connections that broke
}

func (s *sent) rate() float64 { return float64(s.n) / s.took.Seconds() }

// others returns how many answers had another status.
func (s *sent) others(status int) int { return int(s.n) - s.statuses[status] + s.cut }

// load is many connections that ask as fast as they are answered, or at a pace.
type load struct {
	addr  string
	conns int
	next  func(conn int) func() []byte // the requests of one connection; nil ends it
	pace  time.Duration                // between the requests of one connection, 0 for none
	seen  func(c *client, status int)  // looks at each answer; nil for nobody
}

// run asks for d, or until next has ended every connection.
func (l load) run(ctx context.Context, d time.Duration) (*sent, error) {
	ctx, cancel := context.WithTimeout(ctx, d+20*time.Second)
	defer cancel()
	clients := make([]*client, l.conns)
	for i := range clients {
		c, err := dial(ctx, l.addr)
		if err != nil {
			return nil, err
		}
		defer c.conn.Close()
		defer context.AfterFunc(ctx, func() { c.conn.Close() })()
		clients[i] = c
	}
	total := &sent{statuses: map[int]int{}}
	var mu sync.Mutex
	var wg sync.WaitGroup
	began := time.Now()
	for i, c := range clients {
		wg.Go(func() {
			part := l.drive(c, l.next(i), began.Add(d))
			mu.Lock()
			defer mu.Unlock()
			total.add(part)
		})
	}
	wg.Wait()
	total.took = time.Since(began)
	return total, ctx.Err()
}

func (s *sent) add(part *sent) {
	s.merge(&part.histogram)
	for status, n := range part.statuses {
		s.statuses[status] += n
	}
	s.hinted += part.hinted
	s.cut += part.cut
}

func (l load) drive(c *client, next func() []byte, end time.Time) *sent {
	s := &sent{statuses: map[int]int{}}
	counts := [600]int{}
	now := time.Now()
	for due := now; now.Before(end); {
		if l.pace > 0 {
			time.Sleep(time.Until(due))
			due = due.Add(l.pace)
			now = time.Now()
		}
		request := next()
		if request == nil {
			break
		}
		status, err := c.do(request)
		if err != nil {
			s.cut++
			break
		}
		then := time.Now()
		s.histogram.add(then.Sub(now))
		now = then
		counts[status%len(counts)]++
		if status == 503 && c.header("Retry-After") != "" {
			s.hinted++
		}
		if l.seen != nil {
			l.seen(c, status)
		}
	}
	for status, n := range counts {
		if n > 0 {
			s.statuses[status] = n
		}
	}
	return s
}

// always repeats one request.
func always(request []byte) func(int) func() []byte {
	return func(int) func() []byte { return func() []byte { return request } }
}
