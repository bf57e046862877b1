//go:build chaos

package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// web is the one HTTP client of all people in the test.
var web = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 128, DisableCompression: true}}

// errCut says that no answer came, so that nobody knows what happened.
type errCut struct{ error }

// ask sends a request and reads the answer into out when the status is below
// 300. An answer of any status is no error.
func (n *node) ask(ctx context.Context, method, path, key string, body, out any, header ...string) (status int, problem string, err error) {
	var payload io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, "", err
		}
		payload = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, n.base+path, payload)
	if err != nil {
		return 0, "", err
	}
	r.GetBody = nil // the client must not send it again by itself: the test wants to know
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := web.Do(r)
	if err != nil {
		return 0, "", errCut{err}
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, "", errCut{err}
	}
	if res.StatusCode >= 300 {
		return res.StatusCode, string(raw), nil
	}
	if out != nil {
		if err := json.Unmarshal(raw, out); err != nil {
			return 0, "", fmt.Errorf("%s %s: %w in %s", method, path, err, raw)
		}
	}
	return res.StatusCode, "", nil
}

// posted is the answer to a comment.
type posted struct {
	Comment struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	} `json:"comment"`
	EditKey string `json:"edit_key"`
}

// outcome is the answer to a decision.
type outcome struct {
	ID         string  `json:"id"`
	Status     string  `json:"status"`
	Changed    bool    `json:"changed"`
	DecisionID *string `json:"decision_id"`
}

// thread is a page of comments as readers get it.
type thread struct {
	Count    int     `json:"count"`
	Next     *string `json:"next_cursor"`
	Comments []struct {
		ID      string `json:"id"`
		Depth   int    `json:"depth"`
		Deleted bool   `json:"deleted"`
	} `json:"comments"`
}

func (n *node) thread(ctx context.Context, p place, cursor string) (out thread, err error) {
	q := url.Values{"post": {p.post}, "limit": {"200"}}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	status, problem, err := n.ask(ctx, "GET", "/api/v1/sites/"+p.site+"/comments?"+q.Encode(), "", nil, &out)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("thread %v: %d %s", p, status, problem)
	}
	return out, err
}

// detail is a comment as moderators get it.
type detail struct {
	Comment struct {
		ID        string  `json:"id"`
		Status    string  `json:"status"`
		Text      string  `json:"text"`
		CheckedAt *string `json:"checked_at"`
		Draft     *struct {
			Text string `json:"text"`
		} `json:"draft"`
		Review struct {
			State       *string `json:"state"`
			AnnouncedAt *string `json:"announced_at"`
		} `json:"review"`
		History []struct {
			ID string `json:"id"`
			To string `json:"to"`
		} `json:"history"`
	} `json:"comment"`
}

// readiness is what readyz says.
type readiness struct {
	Status string            `json:"status"`
	Checks map[string]string `json:"checks"`
}
