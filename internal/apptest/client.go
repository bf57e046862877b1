package apptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Client speaks to a service from outside, as admin and as reader.
type Client struct {
	Base string // where the service is reached directly, with the path of the public URL
	URL  string // its public URL
	Site string // for Post, Thread and Stream; "blog" unless changed
	HTTP *http.Client
}

func newClient(listen, url string) *Client {
	_, path, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	base := "http://" + listen
	if path = strings.Trim(path, "/"); path != "" {
		base += "/" + path
	}
	return &Client{Base: base, URL: url, Site: "blog", HTTP: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

// On returns the same client for another site.
func (c *Client) On(site string) *Client {
	other := *c
	other.Site = site
	return &other
}

// Answer is a finished HTTP answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON decodes the body into v.
func (a Answer) JSON(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, v); err != nil {
		t.Fatalf("the answer (%d) is no JSON of the wanted shape: %v\n%s", a.Status, err, a.Body)
	}
}

// Do sends a request to a path below the base. A body that is no []byte is
// sent as JSON; headers are names and values in turn.
func (c *Client) Do(ctx context.Context, method, path string, body any, headers ...string) (Answer, error) {
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case []byte:
		content = bytes.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			return Answer{}, err
		}
		content = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.Base+path, content)
	if err != nil {
		return Answer{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.HTTP.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return Answer{Status: res.StatusCode, Header: res.Header, Body: raw}, err
}

// Must is Do for a test that cannot go on without an answer of this status;
// 0 is any status.
func (c *Client) Must(t testing.TB, status int, method, path string, body any, headers ...string) Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	a, err := c.Do(ctx, method, path, body, headers...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if status != 0 && a.Status != status {
		t.Fatalf("%s %s answered %d instead of %d: %s", method, path, a.Status, status, a.Body)
	}
	return a
}

// Admin sends an admin request; path is relative to /api/v1/admin/.
func (c *Client) Admin(t testing.TB, method, path string, body any) Answer {
	t.Helper()
	return c.Must(t, 0, method, "/api/v1/admin/"+strings.TrimPrefix(path, "/"), body, "Authorization", "Bearer "+AdminKey)
}

// awaitReady waits until the service accepts comments, or ended is closed.
func (c *Client) awaitReady(t testing.TB, ended <-chan struct{}) {
	t.Helper()
	Eventually(t, startTime, "the service accepts comments", func() bool {
		select {
		case <-ended:
			t.Fatal("the service ended before it answered")
		default:
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		a, err := c.Do(ctx, "GET", "/readyz", nil)
		return err == nil && a.Status == http.StatusOK
	})
}

func (c *Client) sitePath(format string, args ...any) string {
	return "/api/v1/sites/" + c.Site + fmt.Sprintf(format, args...)
}
