package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/postil/postil/internal/auth"
)

// refusal is a problem as the API tells it.
type refusal struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Field  string `json:"field"`
	State  string `json:"state"` // of a conflict: how the comment stands
	By     string `json:"by"`    // and who decided
}

func (r *refusal) Error() string { return r.Detail }

// ask sends a request to the admin API in the name of v. path is relative to
// it, in is sent as JSON unless it is nil, and the answer is read into out. The
// error is a *refusal when the API refused.
func (d *Desk) ask(ctx context.Context, v auth.Visitor, method, path string, in, out any) error {
	body := []byte(nil)
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(auth.WithPrincipal(ctx, v.Principal), method, "http://desk/api/v1/admin/"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.RemoteAddr = "127.0.0.1:1"
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	a := &answer{header: http.Header{}, status: http.StatusOK}
	d.deps.API.ServeHTTP(a, r)
	if a.status >= 400 {
		no := &refusal{}
		if err := json.Unmarshal(a.body.Bytes(), no); err != nil || no.Detail == "" {
			return fmt.Errorf("the API answered %s %s with status %d", method, path, a.status)
		}
		no.Status = a.status
		return no
	}
	if out == nil || a.body.Len() == 0 {
		return nil
	}
	return json.Unmarshal(a.body.Bytes(), out)
}

// get reads from the admin API.
func get[T any](ctx context.Context, d *Desk, v auth.Visitor, path string, q url.Values) (out T, err error) {
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return out, d.ask(ctx, v, http.MethodGet, path, nil, &out)
}

// answer is an http.ResponseWriter that keeps what is written.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
	begun  bool
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if !a.begun {
		a.status, a.begun = status, true
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.begun = true
	return a.body.Write(p)
}
