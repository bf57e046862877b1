package netid

import (
	"iter"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// entries yields what the configured header reports, nearest hop first. What it
// cannot read it yields as it is, which is no address and ends the walk.
func (r *Resolver) entries(h http.Header) iter.Seq[string] {
	lines := h[r.header]
	return func(yield func(string) bool) {
		switch {
		case r.header == forwarded:
			for item := range fromRight(lines) {
				if !yield(forwardedNode(item)) {
					return
				}
			}
		case strings.HasSuffix(r.header, "Forwarded-For"):
			for item := range fromRight(lines) {
				if !yield(strings.TrimSpace(item)) {
					return
				}
			}
		case len(lines) > 0:
			// One address, once. Twice means that somebody added his own.
			yield(strings.TrimSpace(strings.Join(lines, ",")))
		}
	}
}

// fromRight yields the items of a list header from the last to the first; many
// lines are one list. Commas inside quotes do not separate. Quotes are matched
// from the right as well: an opening quote that a client sent must not swallow
// what the proxy wrote after it.
func fromRight(lines []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, line := range slices.Backward(lines) {
			end, quoted := len(line), false
			for i := len(line) - 1; i >= 0; i-- {
				switch {
				case line[i] == '"':
					quoted = !quoted
				case line[i] == ',' && !quoted:
					if !yield(line[i+1 : end]) {
						return
					}
					end = i
				}
			}
			if !yield(line[:end]) {
				return
			}
		}
	}
}

// forwardedNode returns the value of "for" in one element of a Forwarded header
// (RFC 7239), "" when there is none or more than one.
func forwardedNode(element string) string {
	node := ""
	for pair := range strings.SplitSeq(element, ";") {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "for") {
			continue
		}
		if node != "" {
			return ""
		}
		node = strings.TrimSpace(value)
		if len(node) >= 2 && node[0] == '"' && node[len(node)-1] == '"' {
			node = node[1 : len(node)-1]
		}
	}
	return node
}

// parseNode reads an address with or without port: 192.0.2.7, 192.0.2.7:80,
// 2001:db8::7, [2001:db8::7] or [2001:db8::7]:80.
func parseNode(s string) (netip.Addr, bool) {
	if addr, err := netip.ParseAddr(s); err == nil {
		return plain(addr), true
	}
	if withPort, err := netip.ParseAddrPort(s); err == nil {
		return plain(withPort.Addr()), true
	}
	if inner, ok := strings.CutPrefix(s, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); ok {
			addr, err := netip.ParseAddr(inner)
			return plain(addr), err == nil && addr.Is6()
		}
	}
	return netip.Addr{}, false
}
