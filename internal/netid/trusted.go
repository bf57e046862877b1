package netid

import (
	"fmt"
	"net/netip"
	"strings"
)

const trustedSetting = "POSTIL_TRUSTED_PROXIES"

// A prefix shorter than the shortest trusts strangers, whatever it is meant to
// say; a public one shorter than wide is worth a warning.
const (
	shortest4, shortest6 = 8, 16
	wide4, wide6         = 12, 28
)

// private are ranges that no stranger on the internet can send from.
var private = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.0/8"),
	netip.MustParsePrefix("fc00::/7"), netip.MustParsePrefix("fe80::/10"),
}

// parseTrusted reads one proxy or range of proxies. The warning is about
// something that works but may not be meant.
func parseTrusted(s string) (p netip.Prefix, warning string, err error) {
	if addr, addrErr := netip.ParseAddr(s); addrErr == nil {
		addr = plain(addr)
		return netip.PrefixFrom(addr, addr.BitLen()), "", nil
	}
	p, err = netip.ParsePrefix(s)
	if err != nil {
		return p, "", fmt.Errorf("%s: %q is not an address or a range; write for example 10.0.0.2 or 172.18.0.0/16", trustedSetting, s)
	}
	p = unmapped(p)
	if p != p.Masked() {
		warning = fmt.Sprintf("%s: %s means the whole range %s; write it so if that is meant.", trustedSetting, s, p.Masked())
		p = p.Masked()
	}
	if within(p, private) {
		return p, warning, nil
	}
	if p.Bits() < pick(p, shortest4, shortest6) {
		return p, "", fmt.Errorf("%s: %s trusts strangers: any client could then claim any address, escape every limit and have others blocked in its place; "+
			"list the addresses of your own proxies, for example 172.18.0.0/16", trustedSetting, s)
	}
	if warning == "" && p.Bits() < pick(p, wide4, wide6) {
		warning = fmt.Sprintf("%s: %s is a very large public range; everybody in it can claim any address.", trustedSetting, s)
	}
	return p, warning, nil
}

// unmapped turns a range of IPv4 addresses in IPv6 clothes into what it means.
func unmapped(p netip.Prefix) netip.Prefix {
	if !p.Addr().Is4In6() {
		return p
	}
	return netip.PrefixFrom(p.Addr().Unmap(), max(p.Bits()-96, 0))
}

func within(p netip.Prefix, ranges []netip.Prefix) bool {
	for _, r := range ranges {
		if r.Contains(p.Addr()) && r.Bits() <= p.Bits() {
			return true
		}
	}
	return false
}

func pick(p netip.Prefix, v4, v6 int) int {
	if p.Addr().Is4() {
		return v4
	}
	return v6
}

// split accepts the setting as a list or as one string with commas.
func split(values []string) []string {
	var out []string
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
	}
	return out
}
