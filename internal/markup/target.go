package markup

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/idna"
)

// maxTarget bounds one address, in bytes.
const maxTarget = 2_000

var asciiHost = regexp.MustCompile(`^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$`)

// hosts maps an international host name to the form that DNS and block lists know. Underscores stay allowed: real
// blogs have them.
var hosts = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false))

// target gives the canonical form of an address that may become a link: absolute http or https with a host and
// without a user name (which only serves to show a false host), or mailto with an address. Everything else, relative,
// root-relative and scheme-relative addresses included, is no link. target(target(x)) is target(x).
func target(address string) (href string, ok bool) {
	if len(address) > maxTarget {
		return "", false
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	switch u.Scheme {
	case "http", "https":
		if u.Opaque != "" || u.User != nil || !canonicalHost(u) {
			return "", false
		}
	case "mailto":
		if local, host, found := strings.Cut(u.Opaque, "@"); !found || local == "" || host == "" {
			return "", false
		}
	default:
		return "", false
	}
	href = u.String()
	return href, len(href) <= maxTarget
}

// canonicalHost puts the host of u in lower-case ASCII and reports whether it is a name or an address at all.
func canonicalHost(u *url.URL) bool {
	name, port := u.Hostname(), u.Port()
	if strings.HasPrefix(u.Host, "[") {
		_, err := netip.ParseAddr(name)
		u.Host = strings.ToLower(u.Host)
		return err == nil && !strings.Contains(name, "%")
	}
	name, err := hosts.ToASCII(name)
	if err != nil || !asciiHost.MatchString(name) {
		return false
	}
	u.Host = name
	if port != "" {
		u.Host += ":" + port
	}
	return true
}
