package httpapi

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/postil/postil/internal/postil"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// listener reads one stream over real HTTP.
type listener struct {
	t   *testing.T
	res *http.Response
	r   *bufio.Reader
}

func listen(t *testing.T, url string) *listener {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	req, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return &listener{t, res, bufio.NewReader(res.Body)}
}

// next returns the next block of lines; it fails when none comes in ten seconds.
func (l *listener) next() string {
	l.t.Helper()
	var block strings.Builder
	for {
		line, err := l.r.ReadString('\n')
		if err != nil {
			l.t.Fatalf("stream ended after %q: %v", block.String(), err)
		}
		if line == "\n" {
			return block.String()
		}
		block.WriteString(line)
	}
}

func TestAStreamBeginsAtOnceAndTellsWhatChanged_LOAD_02(t *testing.T) {
	t.Parallel()
	w := newWorld()
	l := listen(t, w.open(t)+blog+"/stream?post=/posts/hello&post=https://blog.example/b/&post=/b&post=https://evil.example/x")
	reply{l.res, ""}.want(t, 200, "").wantHeader(t, "Content-Type", "text/event-stream", "Cache-Control", "no-store, no-transform",
		"X-Accel-Buffering", "no", "Access-Control-Allow-Origin", "*", "Content-Encoding", "")
	if first := l.next(); !regexp.MustCompile(`^: postil\nretry: [2-5][0-9]{3}\n$`).MatchString(first) {
		t.Errorf("first lines: %q", first)
	}
	sub := <-w.subs
	if len(sub.posts) != 2 || sub.posts[0] != "/posts/hello" || sub.posts[1] != "/b" || sub.actor != "actor-of-127.0.0.1" {
		t.Errorf("subscribed to %v as %s", sub.posts, sub.actor)
	}
	sub.ch <- postil.Notice{Change: "comment.approved", Event: 912, Post: "/posts/hello", Version: 43, Comment: 23}
	sub.ch <- postil.Notice{Change: "thread.updated", Event: 913, Post: "/b", Version: 7}
	if got := l.next(); got != "event: comment.approved\nid: 912\ndata: {\"post\":\"/posts/hello\",\"version\":43,\"id\":\"23\"}\n" {
		t.Errorf("%q", got)
	}
	if got := l.next(); got != "event: thread.updated\nid: 913\ndata: {\"post\":\"/b\",\"version\":7}\n" {
		t.Errorf("%q", got)
	}
	l.res.Body.Close()
	<-sub.closed
}

func TestAStreamTellsAPageThatIsBehindAtOnce(t *testing.T) {
	t.Parallel()
	for v, told := range map[string]bool{"&v=41": true, "&v=0": true, "&v=42": false, "": false} {
		w := newWorld()
		l := listen(t, w.open(t)+blog+"/stream?post=/posts/hello"+v)
		l.next() // the hello
		sub := <-w.subs
		sub.ch <- postil.Notice{Change: "comment.approved", Event: 9, Post: "/posts/hello", Version: 43, Comment: 5}
		first := l.next()
		if got := strings.Contains(first, "thread.updated") && strings.Contains(first, `"version":42`); got != told {
			t.Errorf("%q: the first news are %q", v, first)
		}
	}
}

func TestAQuietStreamShowsThatItLives_LOAD_02(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.cfg.Heartbeat = 5 * time.Millisecond
	l := listen(t, w.open(t)+blog+"/stream?post=/")
	l.next()
	for range 3 {
		if got := l.next(); got != ":\n" {
			t.Errorf("%q", got)
		}
	}
}

func TestAStreamThatWasTooSlowEnds(t *testing.T) {
	t.Parallel()
	w := newWorld()
	l := listen(t, w.open(t)+blog+"/stream?post=/")
	l.next()
	close((<-w.subs).ch)
	if _, err := l.r.ReadByte(); err == nil {
		t.Error("the stream goes on")
	}
}

func TestAStreamOutlivesTheTimeLimitsOfRequests(t *testing.T) {
	t.Parallel()
	w := newWorld()
	hs := httptest.NewUnstartedServer(w.server(t).Handler())
	hs.Config.ReadTimeout, hs.Config.WriteTimeout = 50*time.Millisecond, 50*time.Millisecond
	hs.Start()
	t.Cleanup(hs.Close)
	l := listen(t, hs.URL+blog+"/stream?post=/")
	l.next()
	sub := <-w.subs
	select {
	case <-sub.closed:
		t.Fatal("the stream was cut off")
	case <-time.After(200 * time.Millisecond): // four times what would have cut it off
	}
	sub.ch <- postil.Notice{Change: "thread.updated", Event: 1, Post: "/", Version: 2}
	if got := l.next(); !strings.Contains(got, "thread.updated") {
		t.Errorf("%q", got)
	}
}

func TestAStreamIsAllThatItsConnectionCarries(t *testing.T) {
	t.Parallel()
	w := newWorld()
	l := listen(t, w.open(t)+blog+"/stream?post=/")
	l.next()
	sub := <-w.subs
	if !l.res.Close || l.res.ContentLength != -1 || l.res.Header.Get("Date") == "" || l.res.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%v, %d, %v", l.res.Close, l.res.ContentLength, l.res.Header)
	}
	_ = l.res.Body.Close()
	<-sub.closed
}

func TestStreamsAreCapped(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.subErr = &postil.Error{Kind: postil.Throttled, RetryAfter: 30 * time.Second, Sentence: "Too many open pages."}
	url := w.open(t)
	ask(t, "GET", url+blog+"/stream?post=/", "").want(t, 429, "rate-limited").wantHeader(t, "Retry-After", "30", "Access-Control-Allow-Origin", "*")
	ask(t, "GET", url+blog+"/stream?"+strings.Repeat("post=/a&", 21), "").want(t, 400, "invalid")
	ask(t, "GET", url+blog+"/stream", "").want(t, 400, "invalid")
}

func TestStoppingTellsStreamsToComeBackAndFinishesRequests_LOAD_05(t *testing.T) {
	t.Parallel()
	w := newWorld()
	busy, release := make(chan bool), make(chan bool)
	w.deps.Read = func(context.Context, postil.View, int64) (Page, error) {
		close(busy)
		<-release
		return bodyPage("{}"), nil
	}
	s, err := New(slog.New(slog.DiscardHandler), w.cfg, w.deps)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln, s.Handler()) }()
	url := "http://" + ln.Addr().String()
	var streams []*listener
	for range 50 {
		l := listen(t, url+blog+"/stream?post=/")
		l.next()
		<-w.subs
		streams = append(streams, l)
	}
	status := make(chan int, 1)
	go func() { status <- ask(t, "GET", url+helloPath, "").StatusCode }()
	<-busy
	start := time.Now()
	stop()
	for _, l := range streams {
		if last := l.next(); !strings.Contains(last, "retry: ") {
			t.Errorf("last words: %q", last)
		}
		if _, err := l.r.ReadByte(); err == nil {
			t.Error("the stream goes on")
		}
	}
	close(release)
	if got := <-status; got != 200 {
		t.Errorf("the request under way got %d", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("stopping took %v", took)
	}
}
