// Package outbound makes the HTTP clients with which the service calls
// addresses that somebody has typed in: webhooks, checks, helpers. A client
// calls the public internet alone unless the operator means something else,
// follows nobody elsewhere, and asks no proxy, which would look names up by
// itself.
//
// The rule a newcomer would break: the address is looked at when the connection
// is made, never before; a name may lead elsewhere a moment later.
package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// Options of a client.
type Options struct {
	Networks []netip.Prefix // that may be called though they are not public
	Anywhere bool           // every address is meant
	Advice   string         // what to do about a refused address, for the log; may be empty
	Timeout  time.Duration  // of a whole call; 0: the caller's context says
}

// special are networks that are no part of the public internet, beyond those
// that the standard library tells.
var special = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10")

func prefixes(list ...string) (out []netip.Prefix) {
	for _, s := range list {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// Public reports whether an address may be called. allowed are networks that
// may be, though they are not public.
func Public(ip netip.Addr, allowed []netip.Prefix) bool {
	ip = ip.Unmap().WithZone("")
	for _, p := range allowed {
		if p.Contains(ip) {
			return true
		}
	}
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
		return false
	}
	for _, p := range special {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// ErrPrivate is why an address was not called.
var ErrPrivate = errors.New("the address is not on the public internet")

// Client returns a client that keeps to its options.
func Client(o Options) *http.Client {
	d := &net.Dialer{Timeout: 5 * time.Second, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		switch {
		case err != nil:
			return fmt.Errorf("the address cannot be read: %w", err)
		case o.Anywhere || Public(at.Addr(), o.Networks):
			return nil
		case o.Advice != "":
			return fmt.Errorf("%w; %s", ErrPrivate, o.Advice)
		}
		return ErrPrivate
	}}
	return &http.Client{
		Timeout:       o.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DialContext: d.DialContext, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: 5 * time.Second,
			ResponseHeaderTimeout: o.Timeout, MaxResponseHeaderBytes: 64 << 10, DisableCompression: true, ForceAttemptHTTP2: true},
	}
}

// Service reads the address of a service that an operator set: http or https,
// with a host and without a password. Its client goes inside only where the
// address says so itself, by a number or as localhost: a name that leads inside
// is a trick of somebody else's DNS.
func Service(rawURL string) (*url.URL, *http.Client, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, nil, errors.New("that is no http or https address")
	}
	_, number := netip.ParseAddr(u.Hostname())
	return u, Client(Options{Anywhere: number == nil || u.Hostname() == "localhost", Advice: "write the address as a number if it is meant"}), nil
}
