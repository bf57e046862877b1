package apptest

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// Desk is a browser without script at the admin page: it keeps cookies and
// sends forms with what they hold.
type Desk struct {
	Base string // of the admin page, with a slash at the end
	HTTP *http.Client
}

// NewDesk returns somebody at the admin page who is not signed in.
func (c *Client) NewDesk(t testing.TB) *Desk {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Desk{Base: c.Base + "/admin/", HTTP: &http.Client{Jar: jar, CheckRedirect: stay}}
}

// SignedIn returns somebody who signed in with the admin key.
func (c *Client) SignedIn(t testing.TB) *Desk {
	t.Helper()
	return c.SignedInWith(t, AdminKey)
}

// SignedInWith returns somebody who signed in with an API key.
func (c *Client) SignedInWith(t testing.TB, key string) *Desk {
	t.Helper()
	d := c.NewDesk(t)
	if a := d.Send(t, "signin", url.Values{"key": {key}}); a.Status != http.StatusSeeOther {
		t.Fatalf("signing in was answered with %d: %s", a.Status, a.Body)
	}
	return d
}

// Get asks for a page, without following where it leads.
func (d *Desk) Get(t testing.TB, path string, headers ...string) Answer {
	t.Helper()
	return d.do(t, http.MethodGet, path, "", headers)
}

// Send sends a form of exactly these fields.
func (d *Desk) Send(t testing.TB, path string, fields url.Values, headers ...string) Answer {
	t.Helper()
	return d.do(t, http.MethodPost, path, fields.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...))
}

var csrfOf = regexp.MustCompile(`<meta name="postil-csrf" content="([^"]+)">`)

// CSRF returns the token of the session's pages.
func (d *Desk) CSRF(t testing.TB) string {
	t.Helper()
	a := d.Get(t, "comments")
	m := csrfOf.FindSubmatch(a.Body)
	if m == nil {
		t.Fatalf("the page (%d) has no token: %s", a.Status, a.Body)
	}
	return string(m[1])
}

// Press sends a form of a page of this session.
func (d *Desk) Press(t testing.TB, path string, fields url.Values, headers ...string) Answer {
	t.Helper()
	with := url.Values{"csrf": {d.CSRF(t)}}
	for name, values := range fields {
		with[name] = values
	}
	return d.Send(t, path, with, headers...)
}

func (d *Desk) do(t testing.TB, method, path, body string, headers []string) Answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, d.Base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := d.HTTP.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return Answer{Status: res.StatusCode, Header: res.Header, Body: raw}
}
