package netid

import (
	"errors"
	"net/netip"
	"strings"
)

// maxNetworks is how many networks a range may stand for: a /16 or a /40.
const maxNetworks = 256

// ParseNetworks reads an address or a range and returns the networks (see
// Network) that it touches. It fails for anything else and for ranges wider
// than 256 networks.
func ParseNetworks(s string) ([]netip.Prefix, error) {
	s = strings.TrimSpace(s)
	p, err := netip.ParsePrefix(s)
	if err != nil {
		addr, err := netip.ParseAddr(s)
		if err != nil {
			return nil, err
		}
		return []netip.Prefix{Network(addr)}, nil
	}
	p = unmapped(p).Masked()
	bits := pick(p, 24, 48)
	if p.Bits() >= bits {
		return []netip.Prefix{Network(p.Addr())}, nil
	}
	if bits-p.Bits() > 8 {
		return nil, errors.New("the range is wider than 256 networks")
	}
	var out []netip.Prefix
	for n := range min(1<<(bits-p.Bits()), maxNetworks) {
		raw := p.Addr().AsSlice()
		raw[bits/8-1] |= byte(n)
		addr, _ := netip.AddrFromSlice(raw)
		out = append(out, netip.PrefixFrom(addr, bits))
	}
	return out, nil
}
