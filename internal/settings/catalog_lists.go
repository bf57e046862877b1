package settings

import (
	"net/netip"
	"regexp"
	"strings"

	"golang.org/x/net/idna"

	"github.com/postil/postil/internal/postil"
)

// What is on these lists holds a comment, stops it as spam, or is never held
// for what the automatic lists say. The words of a list are compared as
// searching compares them; hosts with everything below them.
var (
	HoldWords    = list(postil.BlockedSetting, "Words and phrases that hold a comment.", nil)
	HoldNames    = list("lists.hold_names", "Names that hold a comment.", nil)
	HoldHosts    = list("lists.hold_hosts", "Hosts, with all below them, that hold a comment that links there.", host)
	HoldNetworks = list("lists.hold_networks", "Networks whose comments are held.", network)

	SpamWords    = list("lists.spam_words", "Words and phrases that make a comment spam.", nil)
	SpamNames    = list("lists.spam_names", "Names that make a comment spam.", nil)
	SpamHosts    = list("lists.spam_hosts", "Hosts, with all below them, that make a comment spam that links there.", host)
	SpamNetworks = list("lists.spam_networks", "Networks whose comments are spam.", network)

	AllowWords    = list("lists.allow_words", "Words and phrases that no other list may hold.", nil)
	AllowNames    = list("lists.allow_names", "Names that no other list may hold.", nil)
	AllowHosts    = list("lists.allow_hosts", "Hosts, with all below them, to which any number of links may lead.", host)
	AllowNetworks = list("lists.allow_networks", "Networks that no other list may hold.", network)
)

func list(name, doc string, item func(string) (string, error)) *List {
	return declare(&List{Info: Info{Name: name, Doc: doc, PerSite: true}, Item: item})
}

// host tidies the name of a host: lower case, punycode, no “*.” in front.
func host(s string) (string, error) {
	name, err := idna.Lookup.ToASCII(strings.Trim(strings.TrimPrefix(strings.ToLower(s), "*."), "."))
	if err != nil || name == "" || strings.ContainsAny(name, "/: ") {
		return "", wrong("“%s” is no host; write it as “example.com”, without “https://” and path.", postil.CleanTitle(s))
	}
	return name, nil
}

var networkID = regexp.MustCompile(`^[A-Za-z0-9_-]{8,64}$`)

// network tidies an address, a network, or the network id that a comment shows.
func network(s string) (string, error) {
	if p, err := netip.ParsePrefix(s); err == nil {
		return p.Masked().String(), nil
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Unmap().String(), nil
	}
	if networkID.MatchString(s) {
		return s, nil
	}
	return "", wrong("“%s” is no network; write it as “203.0.113.0/24”, as one address, or as the network id that a comment shows.", postil.CleanTitle(s))
}
