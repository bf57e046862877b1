package outbound

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func TestSEC_04_ARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer inside.Close()
	s := httptest.NewServer(http.RedirectHandler(inside.URL, http.StatusFound))
	defer s.Close()
	_, c, err := Service(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusFound {
		t.Errorf("%d", res.StatusCode)
	}
}

func TestSEC_04_ANameThatLeadsInsideIsRefusedWhenItIsCalled(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was called") }))
	defer s.Close()
	name := strings.Replace(s.URL, "127.0.0.1", "localhost.", 1)
	_, c, err := Service(name)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := c.Get(name); err == nil {
		res.Body.Close()
		t.Error("a name that leads to this machine was called")
	}
	if _, err := Client(Options{}).Get(s.URL); !errors.Is(err, ErrPrivate) {
		t.Errorf("%v", err)
	}
	for _, bad := range []string{"", "ftp://a.example", "https://", "https://user:pass@a.example/"} {
		if _, _, err := Service(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestWhatIsPublic(t *testing.T) {
	t.Parallel()
	mine := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}
	for at, want := range map[string]bool{"93.184.216.34": true, "2606:4700::1": true, "10.1.2.3": true, "::ffff:10.1.2.3": true, "10.2.0.1": false, "127.0.0.1": false, "::1": false,
		"169.254.169.254": false, "::ffff:169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "fe80::1%eth0": false, "fd00::1": false, "224.0.0.1": false, "64:ff9b::a00:1": false} {
		if got := Public(netip.MustParseAddr(at), mine); got != want {
			t.Errorf("%s: %v", at, got)
		}
	}
}
