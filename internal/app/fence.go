package app

import (
	"net/netip"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/settings"
)

// fence is the setting admin.networks, looked up with every request.
type fence struct{ a *App }

func (f fence) Admits(client netip.Addr) bool {
	return encloses(settings.AdminNetworks.Get(f.a.settings.Now(), ""), client)
}

// Keeps looks at the one setting that can shut somebody out. A value that means
// nothing is refused by the settings themselves.
func (f fence) Keeps(ch postil.SettingChange, client netip.Addr) error {
	if ch.Name != settings.AdminNetworks.Name {
		return nil
	}
	v, err := settings.AdminNetworks.Parse(ch.Value)
	if err != nil || encloses(v.([]string), client) {
		return nil
	}
	return postil.InvalidField("value", "Your own address, %s, is in none of these networks, so you would shut yourself out. Add it, or make this change on the server, through the socket in the data directory.", client)
}

// encloses reports whether a client is in one of the networks. No network at
// all is no fence.
func encloses(networks []string, client netip.Addr) bool {
	for _, n := range networks {
		if p, err := netip.ParsePrefix(n); err == nil && p.Contains(client) {
			return true
		}
	}
	return len(networks) == 0
}
