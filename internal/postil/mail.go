package postil

import (
	"regexp"
	"strings"

	"golang.org/x/net/idna"
)

// MaxEmail is how many characters an e-mail address may have.
const MaxEmail = 254

// The rule for addresses is narrower than the standards on purpose: no quoted
// strings, comments, groups or address literals. Go's regular expressions take
// linear time, so no input is expensive.
var (
	mailLocal  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$")
	mailDomain = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)
)

// CleanEmail returns one e-mail address with its domain in lower case and
// punycode. "" stays "". Errors are Invalid with the field "author.email".
func CleanEmail(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", nil
	}
	local, domain, _ := strings.Cut(s, "@")
	if len(s) > MaxEmail || len(local) > 64 || !mailLocal.MatchString(local) {
		return "", badEmail(nil)
	}
	domain = strings.ToLower(domain)
	if !isASCII(domain) || strings.Contains(domain, "xn--") {
		var err error
		if domain, err = idna.Lookup.ToASCII(domain); err != nil {
			return "", badEmail(err)
		}
	}
	address := local + "@" + domain
	if !mailDomain.MatchString(domain) || len(address) > MaxEmail {
		return "", badEmail(nil)
	}
	return address, nil
}

func badEmail(cause error) *Error {
	e := InvalidField("author.email", "That is not one e-mail address such as ann@mail.example. Correct it, or leave the field empty.")
	e.Cause = cause
	return e
}
