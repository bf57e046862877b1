package netid

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func newResolver(t *testing.T, header string, trusted ...string) *Resolver {
	t.Helper()
	r, _, err := NewResolver(trusted, header)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func TestRL_01_ForgedEntriesOnTheLeftHaveNoEffect(t *testing.T) {
	t.Parallel()
	r := newResolver(t, "", "172.18.0.0/16")
	for n := range 256 { // a fresh forged address each time
		h := header("X-Forwarded-For", fmt.Sprintf("9.9.9.%d, 203.0.113.5", n))
		if got := r.ClientIP("172.18.0.2:4000", h); got != netip.MustParseAddr("203.0.113.5") {
			t.Fatalf("n=%d: client is %s", n, got)
		}
	}
	// The victim's address, in every place that a client can write to.
	for _, forged := range []string{"198.51.100.9", "198.51.100.9, 172.18.0.3", "198.51.100.9,,", `"198.51.100.9"`, "for=198.51.100.9"} {
		for _, h := range []http.Header{
			header("X-Forwarded-For", forged+", 203.0.113.5"),
			header("X-Forwarded-For", forged, "X-Forwarded-For", "203.0.113.5"),
		} {
			if got := r.ClientIP("172.18.0.2:4000", h); got != netip.MustParseAddr("203.0.113.5") {
				t.Errorf("%v: client is %s", h, got)
			}
		}
	}
}

func TestRL_02_HeadersOfAnUntrustedPeerAreIgnored(t *testing.T) {
	t.Parallel()
	all := header("X-Real-IP", "9.9.9.9", "CF-Connecting-IP", "9.9.9.9", "Forwarded", "for=9.9.9.9", "True-Client-IP", "9.9.9.9",
		"X-Forwarded-For", "9.9.9.9", "X-Client-IP", "9.9.9.9", "Fly-Client-IP", "9.9.9.9")
	peer, told := netip.MustParseAddr("203.0.113.5"), netip.MustParseAddr("9.9.9.9")
	for _, configured := range []string{"", "X-Real-IP", "cf-connecting-ip", "Forwarded", "True-Client-IP"} {
		if got := newResolver(t, configured).ClientIP("203.0.113.5:4000", all); got != peer {
			t.Errorf("%q, nobody trusted: client is %s", configured, got)
		}
		if got := newResolver(t, configured, "172.18.0.0/16").ClientIP("203.0.113.5:4000", all); got != peer {
			t.Errorf("%q, peer not trusted: client is %s", configured, got)
		}
		r := newResolver(t, configured, "203.0.113.5")
		if got := r.ClientIP("203.0.113.5:4000", all); got != told {
			t.Errorf("%q, peer trusted: client is %s", configured, got)
		}
		// The configured header is absent; the others do not step in.
		others := all.Clone()
		others.Del(r.header)
		if got := r.ClientIP("203.0.113.5:4000", others); got != peer {
			t.Errorf("%q absent: client is %s", configured, got)
		}
	}
}

func TestTheWalkFollowsTrustedHopsOnly(t *testing.T) {
	t.Parallel()
	const xff = "X-Forwarded-For"
	for _, c := range []struct {
		name, header, peer string
		h                  http.Header
		want               string
	}{
		{"no header", "", "10.0.0.1:1", nil, "10.0.0.1"},
		{"one hop", "", "10.0.0.1:1", header(xff, "192.0.2.7"), "192.0.2.7"},
		{"two hops", "", "10.0.0.1:1", header(xff, "192.0.2.7, 10.0.0.2"), "192.0.2.7"},
		{"two hops in two lines", "", "10.0.0.1:1", header(xff, "192.0.2.7", xff, "10.0.0.2"), "192.0.2.7"},
		{"all trusted", "", "10.0.0.1:1", header(xff, "10.0.0.3, 10.0.0.2"), "10.0.0.3"},
		{"mapped client", "", "10.0.0.1:1", header(xff, "::ffff:192.0.2.7"), "192.0.2.7"},
		{"mapped peer", "", "[::ffff:10.0.0.1]:1", header(xff, "192.0.2.7"), "192.0.2.7"},
		{"zone of a peer", "", "[fe80::1%eth0]:1", header(xff, "192.0.2.7"), "192.0.2.7"},
		{"zone of a client", "", "10.0.0.1:1", header(xff, "fe80::9%eth0, 10.0.0.2"), "fe80::9"},
		{"with ports", "", "10.0.0.1:1", header(xff, "192.0.2.7:5000"), "192.0.2.7"},
		{"IPv6 with port", "", "10.0.0.1:1", header(xff, "[2001:db8::7]:5000"), "2001:db8::7"},
		{"IPv6 in brackets", "", "10.0.0.1:1", header(xff, "[2001:db8::7]"), "2001:db8::7"},
		{"IPv4 in brackets", "", "10.0.0.1:1", header(xff, "[192.0.2.7]"), "10.0.0.1"},
		{"garbage stops the walk", "", "10.0.0.1:1", header(xff, "192.0.2.7, unknown, 10.0.0.2"), "10.0.0.2"},
		{"empty entry stops the walk", "", "10.0.0.1:1", header(xff, "192.0.2.7, "), "10.0.0.1"},
		{"empty header", "", "10.0.0.1:1", header(xff, ""), "10.0.0.1"},
		{"octal is no address", "", "10.0.0.1:1", header(xff, "0300.0.2.7"), "10.0.0.1"},
		{"another list header", "X-Original-Forwarded-For", "10.0.0.1:1", header("X-Original-Forwarded-For", "9.9.9.9, 192.0.2.7", xff, "8.8.8.8"), "192.0.2.7"},
		{"unix socket", "", "@", header(xff, "192.0.2.7"), "invalid IP"},
		{"no peer", "", "", header(xff, "192.0.2.7"), "invalid IP"},

		{"single", "CF-Connecting-IP", "10.0.0.1:1", header("CF-Connecting-IP", " 192.0.2.7 ", xff, "8.8.8.8"), "192.0.2.7"},
		{"single twice", "CF-Connecting-IP", "10.0.0.1:1", header("CF-Connecting-IP", "9.9.9.9", "CF-Connecting-IP", "192.0.2.7"), "10.0.0.1"},
		{"single with a list", "X-Real-IP", "10.0.0.1:1", header("X-Real-IP", "9.9.9.9, 192.0.2.7"), "10.0.0.1"},

		{"forwarded", "Forwarded", "10.0.0.1:1", header("Forwarded", `For=192.0.2.7;proto=https;by=10.0.0.1`), "192.0.2.7"},
		{"forwarded IPv6", "Forwarded", "10.0.0.1:1", header("Forwarded", `proto=http; for="[2001:db8::7]:47"`), "2001:db8::7"},
		{"forwarded chain", "Forwarded", "10.0.0.1:1", header("Forwarded", `for=9.9.9.9, for=192.0.2.7`, "Forwarded", `for=10.0.0.2`), "192.0.2.7"},
		{"forwarded obfuscated", "Forwarded", "10.0.0.1:1", header("Forwarded", `for=9.9.9.9, for=_hidden`), "10.0.0.1"},
		{"forwarded unknown", "Forwarded", "10.0.0.1:1", header("Forwarded", `for=9.9.9.9, for=unknown`), "10.0.0.1"},
		{"forwarded without for", "Forwarded", "10.0.0.1:1", header("Forwarded", `for=9.9.9.9, proto=http`), "10.0.0.1"},
		{"forwarded for twice", "Forwarded", "10.0.0.1:1", header("Forwarded", `for=9.9.9.9;for=192.0.2.7`), "10.0.0.1"},
		{"forged open quote", "Forwarded", "10.0.0.1:1", header("Forwarded", `for="9.9.9.9, for=192.0.2.7`), "192.0.2.7"},
		{"forged open quote before a quoted one", "Forwarded", "10.0.0.1:1", header("Forwarded", `for="x, for="[2001:db8::7]"`), "2001:db8::7"},
		{"quoted comma", "Forwarded", "10.0.0.1:1", header("Forwarded", `for=192.0.2.7;host="a,for=9.9.9.9"`), "192.0.2.7"},
	} {
		r := newResolver(t, c.header, "10.0.0.0/8", "fe80::/10")
		if got := r.ClientIP(c.peer, c.h).String(); got != c.want {
			t.Errorf("%s: client is %s, want %s", c.name, got, c.want)
		}
	}
}

func TestTrustedLooksAtThePeerAlone(t *testing.T) {
	t.Parallel()
	r := newResolver(t, "", "10.0.0.0/8, 2001:db8::1")
	for peer, want := range map[string]bool{
		"10.9.9.9:1": true, "[::ffff:10.9.9.9]:1": true, "[2001:db8::1]:1": true,
		"11.0.0.1:1": false, "[2001:db8::2]:1": false, "@": false, "": false, "127.0.0.1:1": false,
	} {
		if got := r.Trusted(peer); got != want {
			t.Errorf("%q: %t", peer, got)
		}
	}
}

func TestRL_08_ARangeThatTrustsStrangersIsRefused(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"0.0.0.0/0", "::/0", "0.0.0.0/1", "128.0.0.0/1", "2000::/3", "::ffff:0.0.0.0/96", "::ffff:0:0/90", "10.0.0.0/0", "8.0.0.0/7"} {
		r, _, err := NewResolver([]string{"10.0.0.1", bad}, "")
		if r != nil || err == nil {
			t.Fatalf("%s is accepted", bad)
		}
		for _, part := range []string{"POSTIL_TRUSTED_PROXIES", bad, "claim any address", "172.18.0.0/16"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not say %q", bad, err, part)
			}
		}
	}
	for _, good := range []string{"10.0.0.0/8", "127.0.0.0/8", "fc00::/7", "fe80::/10", "173.245.48.0/20", "2400:cb00::/32", "::1", "::ffff:10.0.0.0/104"} {
		if _, warnings, err := NewResolver([]string{good}, ""); err != nil || warnings != nil {
			t.Errorf("%s: %v %v", good, warnings, err)
		}
	}
}

func TestRL_08_TheDetectedChainIsExplained(t *testing.T) {
	t.Parallel()
	r := newResolver(t, "", "10.0.0.0/8")
	got := r.Explain("10.0.0.1:1", header("X-Forwarded-For", "9.9.9.9, 192.0.2.7"))
	want := []string{
		"The connection comes from 10.0.0.1.",
		"10.0.0.1 is a trusted proxy and says in X-Forwarded-For that it speaks for 192.0.2.7.",
		"192.0.2.7 is not a trusted proxy; what it says in X-Forwarded-For is ignored.",
		"The client is 192.0.2.7.",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestAllProblemsOfTheSettingsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	_, _, err := NewResolver([]string{"nginx", "10.0.0.1,0.0.0.0/0", "10.0.0.0/33"}, "X Real IP")
	if err == nil {
		t.Fatal("accepted")
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 4 {
		t.Errorf("want four problems, got:\n%s", err)
	}
}

func TestWhatMayNotBeMeantIsWarnedAbout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ trusted, header, want string }{
		{"10.1.2.3/8", "", "means the whole range 10.0.0.0/8"},
		{"52.0.0.0/8", "", "very large public range"},
		{"", "X-Real-IP", "has no effect"},
	} {
		_, warnings, err := NewResolver([]string{c.trusted}, c.header)
		if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], c.want) {
			t.Errorf("%+v: %q %v", c, warnings, err)
		}
	}
	if _, warnings, err := NewResolver(nil, "x-forwarded-for"); err != nil || warnings != nil {
		t.Errorf("the default: %q %v", warnings, err)
	}
}

func TestRL_04_OneBucketForANetworkOfOneSubscriber(t *testing.T) {
	t.Parallel()
	buckets := map[netip.Prefix]bool{}
	for n := range 60 {
		buckets[Bucket(netip.MustParseAddr(fmt.Sprintf("2001:db8:1:2:%x::%x", n, n)))] = true
	}
	if len(buckets) != 1 {
		t.Errorf("60 addresses of one /64 have %d buckets", len(buckets))
	}
	for _, c := range []struct{ addr, bucket, network string }{
		{"192.0.2.7", "192.0.2.7/32", "192.0.2.0/24"},
		{"::ffff:192.0.2.7", "192.0.2.7/32", "192.0.2.0/24"},
		{"2001:db8:1:2:3::4", "2001:db8:1:2::/64", "2001:db8:1::/48"},
		{"fe80::1%eth0", "fe80::/64", "fe80::/48"},
	} {
		addr := netip.MustParseAddr(c.addr)
		if b, n := Bucket(addr).String(), Network(addr).String(); b != c.bucket || n != c.network {
			t.Errorf("%s: %s %s", c.addr, b, n)
		}
	}
	if (Bucket(netip.Addr{}) != netip.Prefix{}) || (Network(netip.Addr{}) != netip.Prefix{}) {
		t.Error("no address has a bucket")
	}
}

func FuzzClientIP(f *testing.F) {
	for _, s := range []string{"", "192.0.2.7", `for="[2001:db8::7]:47";by=x, for=1.2.3.4`, `",",,"`, "a, b"} {
		f.Add("Forwarded", s, "10.0.0.1:1")
		f.Add("X-Forwarded-For", s, "[::1]:1")
		f.Add("X-Real-Ip", s, "@")
	}
	f.Fuzz(func(t *testing.T, name, value, peer string) {
		r, _, err := NewResolver([]string{"10.0.0.0/8", "::1"}, name)
		if err != nil {
			return
		}
		addr := r.ClientIP(peer, http.Header{r.header: {value}})
		if addr.Is4In6() || addr.Zone() != "" {
			t.Fatalf("%s is not plain", addr)
		}
		// Whatever stands left of what a proxy appended changes nothing.
		if r.header == forwardedFor {
			if got := r.ClientIP("10.0.0.1:1", http.Header{r.header: {value + ", 192.0.2.7"}}); got.String() != "192.0.2.7" {
				t.Fatalf("%q moved the client to %s", value, got)
			}
		}
		if r.header == forwarded {
			if got := r.ClientIP("10.0.0.1:1", http.Header{r.header: {value + `, for="192.0.2.7"`}}); got.String() != "192.0.2.7" {
				t.Fatalf("%q moved the client to %s", value, got)
			}
		}
	})
}
