package netid

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"golang.org/x/net/http/httpguts"
)

const (
	headerSetting = "POSTIL_CLIENT_IP_HEADER"
	forwardedFor  = "X-Forwarded-For"
	forwarded     = "Forwarded"
)

// Resolver knows the operator's proxies. It never changes and is safe for many
// goroutines.
type Resolver struct {
	trusted []netip.Prefix
	header  string // canonical
}

// NewResolver returns a resolver that believes header ("": X-Forwarded-For) when
// it comes from one of the trusted addresses or CIDR ranges; without any, every
// header is ignored. A range that trusts strangers, such as 0.0.0.0/0, is
// refused. err names every problem, each in a line with the setting and an
// example; warnings are sentences for the log.
func NewResolver(trusted []string, header string) (r *Resolver, warnings []string, err error) {
	r = &Resolver{header: http.CanonicalHeaderKey(strings.TrimSpace(header))}
	var problems []error
	if r.header == "" {
		r.header = forwardedFor
	}
	if !httpguts.ValidHeaderFieldName(r.header) {
		problems = append(problems, fmt.Errorf("%s: %q is not the name of a header; write for example X-Forwarded-For", headerSetting, header))
	}
	for _, s := range split(trusted) {
		p, warning, err := parseTrusted(s)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
		r.trusted = append(r.trusted, p)
	}
	if len(problems) > 0 {
		return nil, warnings, errors.Join(problems...)
	}
	if len(r.trusted) == 0 && r.header != forwardedFor {
		warnings = append(warnings, fmt.Sprintf("%s has no effect: nobody is trusted to set it; name your proxy in %s.", headerSetting, trustedSetting))
	}
	return r, warnings, nil
}

// Trusted reports whether the peer of a connection (http.Request.RemoteAddr) is
// one of the operator's proxies.
func (r *Resolver) Trusted(remoteAddr string) bool {
	addr, ok := parseNode(remoteAddr)
	return ok && r.trusts(addr)
}

func (r *Resolver) trusts(addr netip.Addr) bool {
	for _, p := range r.trusted {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// ClientIP returns the address of the client that sent a request: IPv4 as IPv4
// and without a zone. When a proxy reports nothing usable, it is the last hop
// that was certain. It is the zero address when the connection has none, as
// with a Unix socket.
func (r *Resolver) ClientIP(remoteAddr string, h http.Header) netip.Addr {
	return r.walk(remoteAddr, h, func(string, ...any) {})
}

// Explain says in sentences, one a hop, how ClientIP came to its answer. It is
// for an operator who looks at a request of his own: it contains addresses.
func (r *Resolver) Explain(remoteAddr string, h http.Header) []string {
	var steps []string
	say := func(format string, args ...any) { steps = append(steps, fmt.Sprintf(format, args...)) }
	say("The client is %s.", r.walk(remoteAddr, h, say))
	return steps
}

// walk goes from the connection towards the client for as long as the hops can
// be believed, and has each hop said.
func (r *Resolver) walk(remoteAddr string, h http.Header, say func(format string, args ...any)) netip.Addr {
	client, ok := parseNode(remoteAddr)
	if !ok {
		say("The connection has no address (%q).", remoteAddr)
		return netip.Addr{}
	}
	say("The connection comes from %s.", client)
	for entry := range r.entries(h) {
		if !r.trusts(client) {
			say("%s is not a trusted proxy; what it says in %s is ignored.", client, r.header)
			return client
		}
		next, ok := parseNode(entry)
		if !ok {
			say("%s says in %s something that is not an address; it is ignored.", client, r.header)
			return client
		}
		say("%s is a trusted proxy and says in %s that it speaks for %s.", client, r.header, next)
		client = next
	}
	return client
}
