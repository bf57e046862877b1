package settings

import (
	"net/netip"

	"github.com/postil/postil/internal/postil"
)

// AdminNetworks are the addresses from which the service may be administered.
var AdminNetworks = declare(&List{
	Info: Info{Name: "admin.networks", Doc: "Networks from which the admin page and the admin API may be used; with none in the list, from everywhere. The command line on the server always may."},
	Item: prefix,
})

// prefix tidies a network; an address is one of its own.
func prefix(s string) (string, error) {
	if p, err := netip.ParsePrefix(s); err == nil && !p.Addr().Is4In6() {
		return p.Masked().String(), nil
	}
	if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()).String(), nil
	}
	return "", wrong("“%s” is no network; write it as “203.0.113.0/24” or “2001:db8::/48”, or as one address.", postil.CleanTitle(s))
}
