package apptest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/app"
	"github.com/postil/postil/internal/apptest"
)

func TestEveryRouteCarriesItsSafetyHeaders(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Demo: true, Set: func(c *app.Config) { c.SecurityContact = "mailto:me@blog.example" }})
	a.Post(t, apptest.Draft{Text: "One."})
	for _, path := range []string{"/", "/healthz", "/readyz", "/widget.js", "/count.js", "/demo/", "/nowhere", "/api/nowhere", "/api/v1/nowhere", "/.well-known/security.txt",
		"/thread/blog?post=/post", "/api/v1/sites/blog/comments?post=/post", "/api/v1/sites/blog/comments?post=/post&limit=x", "/api/v1/sites/nobody/comments?post=/",
		"/api/v1/sites/blog/counts?post=/post", "/api/v1/sites/blog/recent", "/api/v1/sites/blog/feed.atom", "/api/v1/sites/blog/form?post=/post",
		"/api/v1/admin/comments", "/api/v1/admin/nowhere", "/api/views?path=/post", "/probe/nothing", "/metrics"} {
		for _, method := range []string{"GET", "POST", "DELETE", "PATCH", "OPTIONS"} {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			res, err := a.Do(ctx, method, path, nil)
			cancel()
			if err != nil {
				t.Fatalf("%s %s: %v", method, path, err)
			}
			h := res.Header
			if res.Status >= 500 {
				t.Errorf("%s %s: %d", method, path, res.Status)
			}
			if len(res.Body) > 0 && h.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s %s (%d) may be sniffed: %v", method, path, res.Status, h)
			}
			if strings.HasPrefix(h.Get("Content-Type"), "text/html") && h.Get("Content-Security-Policy") == "" {
				t.Errorf("%s %s (%d) is HTML without a policy: %v", method, path, res.Status, h)
			}
			for name := range h {
				if name == "Server" || name == "X-Powered-By" || name == "Set-Cookie" {
					t.Errorf("%s %s sends %s", method, path, name)
				}
			}
			if h.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s %s lets foreign pages use cookies", method, path)
			}
		}
	}
	txt, err := a.Do(t.Context(), "GET", "/.well-known/security.txt", nil)
	if err != nil || txt.Status != 200 || !strings.Contains(string(txt.Body), "Contact: mailto:me@blog.example\n") || !strings.Contains(string(txt.Body), "Expires: ") {
		t.Errorf("security.txt: %d %s, %v", txt.Status, txt.Body, err)
	}
}

func TestNoRequestLeadsToAnotherHost(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Demo: true, Prefix: "/comments"})
	noFollow := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	root := "http://" + a.Config.Listen
	for _, path := range []string{"//evil.example", "//evil.example/%2f..", `/\evil.example`, "/comments", "/comments/", "/comments//evil.example", "/demo", "/demo//evil.example/", "/comments/demo//evil.example",
		"/desk?from=https://evil.example/", "/comments/desk/?next=//evil.example", "/thread/blog?post=https://evil.example/", "/https://evil.example/"} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", root+path, nil)
		if err != nil {
			continue // no client sends it
		}
		r.Host = "evil.example"
		r.Header.Set("X-Forwarded-Host", "evil.example")
		res, err := noFollow.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		to := res.Header.Get("Location")
		if strings.HasPrefix(to, "//") || strings.HasPrefix(to, `/\`) || strings.Contains(to, "://evil") || strings.Contains(to, "evil.example") {
			t.Errorf("%s leads to %s", path, to)
		}
		if strings.Contains(string(body), `href="https://evil.example`) || strings.Contains(string(body), `href="//evil`) {
			t.Errorf("the page at %s links to evil.example", path)
		}
	}
}

// raw sends bytes as they are and returns all that is answered until the
// connection ends or stands still.
func raw(t *testing.T, addr, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(conn) // the deadline is an end like others
	return string(answer)
}

func TestRequestsThatTwoServersWouldReadDifferentlyAreRefused(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{})
	const smuggled = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
	post := "POST /api/v1/sites/blog/preview HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	for name, text := range map[string]string{
		"two lengths":            post + "Content-Length: 2\r\nContent-Length: 50\r\n\r\n{}" + smuggled,
		"length and chunks":      post + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
		"chunks and length":      post + fmt.Sprintf("Transfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n0\r\n\r\n", 5+len(smuggled)) + smuggled,
		"another coding":         post + "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n" + smuggled,
		"a coding twice":         post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
		"a space before a colon": post + "Content-Length : 2\r\n\r\n{}" + smuggled,
		"a negative length":      post + "Content-Length: -1\r\n\r\n" + smuggled,
		"a length with a sign":   post + "Content-Length: +2\r\n\r\n{}" + smuggled,
		"no host":                "GET /healthz HTTP/1.1\r\n\r\n" + smuggled,
		"two hosts":              "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + smuggled,
		"a header with CR":       "GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: b\rX-B: c\r\n\r\n" + smuggled,
		"a header with NUL":      "GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: b\x00c\r\n\r\n" + smuggled,
	} {
		if got := raw(t, a.Config.Listen, text); strings.Contains(got, `{"status":"ok"}`) {
			t.Errorf("%s: what was hidden behind it was answered:\n%s", name, got)
		}
	}
}

func TestNothingFromARequestBecomesAHeaderOrAFile(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{Demo: true})
	for _, path := range []string{"/api/v1/sites/blog/comments?post=/a%0d%0aX-Injected:%201", "/thread/blog?post=%0d%0aX-Injected:1", "/thread/blog%0d%0aX-Injected:1", "/demo/%0d%0aX-Injected:1",
		"/demo/../../../../etc/passwd", "/demo/..%2f..%2f..%2fetc%2fpasswd", "/demo/%2e%2e/%2e%2e/etc/passwd", `/demo/..\..\etc\passwd`, "/demo/....//....//etc/passwd", "/demo/%00", "/demo//etc/passwd",
		"/widget.v../../../etc/passwd", "/widget.v1.js/../../../etc/passwd", "/widget.v%2e%2e%2fpasswd", "/../postil.db", "/..%2fsecret", "/secret", "/postil.db"} {
		got := raw(t, a.Config.Listen, "GET "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: a\tb\r\n\r\n")
		head, body, _ := strings.Cut(got, "\r\n\r\n")
		if strings.Contains(head, "\nX-Injected") || strings.Contains(body, "root:") || strings.Contains(body, "SQLite format") || strings.Contains(head, " 500 ") {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestAClientThatSendsItsHeadersForEverIsCutOff(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, apptest.Options{})
	conn, err := net.Dial("tcp", a.Config.Listen)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n"); err != nil {
		t.Fatal(err)
	}
	go func() {
		for range 600 {
			time.Sleep(100 * time.Millisecond)
			if _, err := io.WriteString(conn, "X-Slow: x\r\n"); err != nil {
				return
			}
		}
	}()
	conn.SetReadDeadline(time.Now().Add(50 * time.Second))
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil && !strings.Contains(line, "HTTP/1.1 4") && strings.Contains(err.Error(), "timeout") {
		t.Errorf("after 50 s it is still listened to: %q, %v", line, err)
	}
	big := "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Big: " + strings.Repeat("x", 200<<10) + "\r\n\r\n"
	if got := raw(t, a.Config.Listen, big); strings.Contains(got, "200 OK") {
		t.Error("200 KiB of headers are read")
	}
}
