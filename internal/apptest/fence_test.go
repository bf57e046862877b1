package apptest

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// Who may administer the service from where is a setting; whoever changes it
// cannot shut themselves out, and who did it all the same opens it on the server.
func TestTheAdminAPIAndPageMayBeKeptToSomeNetworks(t *testing.T) {
	t.Parallel()
	p := RunBinary(t, Options{}, "POSTIL_TRUSTED_PROXIES=127.0.0.1/32")
	const inside, outside, setting = "203.0.113.9", "198.51.100.7", "/api/v1/admin/config/admin.networks"
	admin := func(client string, status int, method, path string, body any) Answer {
		t.Helper()
		return p.Must(t, status, method, path, body, "Authorization", "Bearer "+AdminKey, "X-Forwarded-For", client)
	}
	admin(outside, 400, "PUT", setting, map[string]any{"value": []string{"everywhere"}})
	if a := admin(outside, 400, "PUT", setting, map[string]any{"value": []string{"203.0.113.0/24"}}); !strings.Contains(string(a.Body), "Your own address, "+outside) {
		t.Errorf("whoever shuts themselves out is told %s", a.Body)
	}
	admin(inside, 200, "PUT", setting, map[string]any{"value": []string{"203.0.113.7/24", "2001:db8::1"}})
	for _, path := range []string{"/api/v1/admin/comments", "/admin/", "/admin/signin"} {
		if got := admin(outside, 403, "GET", path, nil); !strings.Contains(string(got.Body), "admin.networks") {
			t.Errorf("%s: %s", path, got.Body)
		}
	}
	admin(inside, 200, "GET", "/api/v1/admin/comments", nil)
	admin("2001:db8::1", 200, "GET", "/admin/signin", nil)
	p.Must(t, 202, "POST", "/api/v1/sites/blog/comments", map[string]any{"post": "/p", "author": map[string]string{"name": "Ann"}, "text": "From anywhere."}, "X-Forwarded-For", outside)
	if code, _, stderr := p.Command(t, nil, "site", "list"); code != 0 {
		t.Errorf("the command line on the server: %d %s", code, stderr)
	}
	openAgain(t, filepath.Join(p.Data, "postil.sock"), setting)
	admin(outside, 200, "GET", "/api/v1/admin/comments", nil)
}

// openAgain takes the setting back as somebody would who is signed in to the
// server and nowhere else.
func openAgain(t *testing.T, socket, path string) {
	t.Helper()
	local := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	r, err := http.NewRequestWithContext(t.Context(), "PUT", "http://local"+path, strings.NewReader(`{"value":null}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := local.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("over the socket: %d", res.StatusCode)
	}
}
