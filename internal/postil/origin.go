package postil

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// ParseOrigin returns the canonical form scheme://host[:port] of a configured
// origin: lower-case, international names as punycode, no default port. A path,
// query or fragment means nothing to an origin; it is dropped and warning, a
// sentence for the log, says so. Errors are Invalid with the field "origins".
func ParseOrigin(s string) (origin, warning string, err error) {
	s = strings.TrimSpace(s)
	u, err := url.Parse(s)
	if err != nil || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return "", "", badOrigin(s, err)
	}
	host, err := canonicalHost(u)
	if err != nil {
		return "", "", badOrigin(s, err)
	}
	origin = u.Scheme + "://" + host
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		warning = fmt.Sprintf("The origin %q has more than scheme, host and port; only %s counts.", s, origin)
	}
	return origin, warning, nil
}

func badOrigin(s string, cause error) *Error {
	e := InvalidField("origins", "%q is no origin. Write scheme, host and, if need be, port, for example https://blog.example.", s)
	e.Cause = cause
	return e
}

// OriginHost returns the host, with the port if it is not the default one, of a
// canonical origin: "localhost:8080" of "http://localhost:8080".
func OriginHost(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	return host
}

// canonicalHost returns u's host in lower case and punycode, with the port
// unless it is the default one of u's scheme.
func canonicalHost(u *url.URL) (string, error) {
	host, err := asciiHost(u.Hostname())
	if err != nil {
		return "", err
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	port := u.Port()
	if port == "" {
		return host, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", fmt.Errorf("port %q", port)
	}
	if u.Scheme == "http" && n == 80 || u.Scheme == "https" && n == 443 {
		return host, nil
	}
	return host + ":" + strconv.FormatUint(n, 10), nil
}

// asciiHost returns a host name or IP address in its canonical ASCII form.
func asciiHost(host string) (string, error) {
	if addr, err := netip.ParseAddr(host); err == nil && addr.Zone() == "" {
		return addr.String(), nil
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	// Plain names go by our own rule: IDNA refuses underscores and "a---b",
	// which do occur.
	if !isASCII(host) || strings.Contains(host, "xn--") {
		var err error
		if host, err = idna.Lookup.ToASCII(host); err != nil {
			return "", err
		}
	}
	if !hostName.MatchString(host) || len(host) > 253 || numericEnd.MatchString(host) {
		return "", fmt.Errorf("host %q", host)
	}
	return host, nil
}

var (
	hostName = regexp.MustCompile(`^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)
	// numericEnd tells what browsers read as an IPv4 address in some notation.
	numericEnd = regexp.MustCompile(`(^|\.)([0-9]+|0x[0-9a-f]*)$`)
)

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
