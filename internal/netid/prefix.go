package netid

import "net/netip"

// Bucket returns whom a limit counts as one client: the IPv4 address, or the
// /64 of an IPv6 address, inside which one subscriber can pick any address. The
// zero address gives the zero prefix.
func Bucket(addr netip.Addr) netip.Prefix { return prefix(addr, 32, 64) }

// Network returns the neighbourhood of addr: the /24 of an IPv4 or the /48 of an
// IPv6 address. The zero address gives the zero prefix.
func Network(addr netip.Addr) netip.Prefix { return prefix(addr, 24, 48) }

func prefix(addr netip.Addr, bits4, bits6 int) netip.Prefix {
	addr = plain(addr)
	bits := bits6
	if addr.Is4() {
		bits = bits4
	}
	p, _ := addr.Prefix(bits) // fails for the zero address alone
	return p
}

// plain returns addr as IPv4 when it is an IPv4 address in IPv6 clothes, and
// without a zone, which means something only to the machine that wrote it.
func plain(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }
