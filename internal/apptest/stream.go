package apptest

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// Frame is one server-sent event.
type Frame struct {
	Event, Data, ID string
	At              time.Time
}

// Stream is an open stream of changes.
type Stream struct {
	Frames <-chan Frame // closed when the stream ends
	stop   context.CancelFunc
}

// Stream listens to posts and returns when the service has answered, so that
// nothing which happens afterwards is missed. It ends with the test.
func (c *Client) Stream(t testing.TB, posts ...string) *Stream {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	req, err := http.NewRequestWithContext(ctx, "GET", c.Base+c.sitePath("/stream?%s", url.Values{"post": posts}.Encode()), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.HTTP.Do(req)
	if err != nil {
		t.Fatalf("the stream could not be opened: %v", err)
	}
	if res.StatusCode != http.StatusOK {
		res.Body.Close()
		t.Fatalf("the stream was answered with %d", res.StatusCode)
	}
	frames := make(chan Frame, 256)
	go read(ctx, res.Body, frames)
	return &Stream{Frames: frames, stop: stop}
}

// Close ends the stream.
func (s *Stream) Close() { s.stop() }

// Next returns the next event of this name, skipping others; "" is any.
func (s *Stream) Next(t testing.TB, within time.Duration, event string) Frame {
	t.Helper()
	late := time.NewTimer(within)
	defer late.Stop()
	for {
		select {
		case f, open := <-s.Frames:
			if !open {
				t.Fatalf("the stream ended before the event %q", event)
			}
			if event == "" || f.Event == event {
				return f
			}
		case <-late.C:
			t.Fatalf("no event %q within %v", event, within)
		}
	}
}

// read splits a stream into frames; comments and empty frames are left out.
func read(ctx context.Context, body io.ReadCloser, frames chan<- Frame) {
	defer close(frames)
	defer body.Close()
	var f Frame
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() == "" && f.Data != "":
			f.At = time.Now()
			select {
			case frames <- f:
			case <-ctx.Done():
				return
			}
			f = Frame{}
		case name == "event":
			f.Event = value
		case name == "data":
			f.Data += value
		case name == "id":
			f.ID = value
		}
	}
}
