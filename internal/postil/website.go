package postil

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// MaxWebsite is how many characters the canonical form of a website may have.
const MaxWebsite = 300

// bareWebsite is an address typed without its scheme: host.tld and what follows.
var bareWebsite = regexp.MustCompile(`^[\pL\pM\pN-]+(\.[\pL\pM\pN-]+)*\.[\pL\pM][\pL\pM\pN-]+\.?(:[0-9]+)?([/?#].*)?$`)

// CleanWebsite returns an author's website in its canonical, all-ASCII form:
// host in lower case and punycode, the rest percent-encoded, no default port.
// A missing scheme is taken for https. "" stays "". It is fit for an href once
// it is escaped as every attribute is. Errors are Invalid with the field
// "author.website".
func CleanWebsite(s string) (canonical string, err error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", nil
	}
	valid := utf8.ValidString(s)
	s = norm.NFC.String(s) // first: it makes a backtick of U+1FEF
	if !valid || strings.ContainsFunc(s, unsafeInURL) {
		return "", badWebsite(nil)
	}
	if bareWebsite.MatchString(s) {
		s = "https://" + s
	}
	scheme := strings.ToLower(schemeOf(s))
	after, ok := strings.CutPrefix(s[len(scheme):], "://")
	if scheme == "" || !ok {
		return "", badWebsite(nil)
	}
	end := strings.IndexAny(after+"/", "/?#")
	u, err := url.Parse(scheme + "://" + after[:end])
	if err != nil || u.User != nil {
		return "", badWebsite(err)
	}
	host, err := canonicalHost(u)
	if err != nil {
		return "", badWebsite(err)
	}
	canonical = scheme + "://" + host + encodeRest(after[end:])
	if len(canonical) > MaxWebsite {
		return "", TooLong("author.website", len(canonical), MaxWebsite)
	}
	return canonical, nil
}

func badWebsite(cause error) *Error {
	e := InvalidField("author.website", "A website is a full web address, for example https://ann.example. Correct it, or leave the field empty.")
	e.Cause = cause
	return e
}

// unsafeInURL reports whether r has no place in an address that somebody typed:
// it breaks out of attributes, means something else to browsers or hides.
func unsafeInURL(r rune) bool {
	return unicode.IsSpace(r) || hidden(r) || strings.ContainsRune("\"'`<>\\", r)
}

// encodeRest percent-encodes what may not stand in path, query and fragment.
// Escapes that are there stay, so that encoding again changes nothing.
func encodeRest(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isEscape(s[i:]):
			b.WriteString(strings.ToUpper(s[i : i+3]))
			i += 2
		case c == '%' || c <= ' ' || c >= 0x7F || strings.IndexByte("[]^{|}", c) >= 0,
			c == '#' && strings.Contains(s[:i], "#"):
			b.WriteString(escape(s[i : i+1]))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// ShowWebsite returns the form of a canonical website that people read, for
// display beside a link and never as its target. A host that could be taken
// for another stays in punycode, and what cannot be seen stays encoded.
func ShowWebsite(canonical string) string {
	scheme, after, ok := strings.Cut(canonical, "://")
	if !ok {
		return canonical
	}
	end := strings.IndexAny(after+"/", "/?#")
	rest := unescape(after[end:], func(r rune) bool {
		return r <= unicode.MaxASCII || !unicode.IsPrint(r) || unicode.IsSpace(r) || invisible(r)
	})
	return scheme + "://" + showHost(after[:end]) + rest
}

func showHost(host string) string {
	name, port, found := strings.Cut(host, ":")
	if found && !strings.HasPrefix(host, "[") {
		return showHost(name) + ":" + port
	}
	readable, err := idna.Display.ToUnicode(host)
	if err != nil {
		return host
	}
	for label := range strings.SplitSeq(readable, ".") {
		if !honest(label) {
			return host
		}
	}
	return readable
}

// allowedMixes are the sets of scripts that one honest label may use together.
var allowedMixes = [][]string{
	{"Latin", "Han", "Hiragana", "Katakana"}, {"Latin", "Han", "Bopomofo"}, {"Latin", "Han", "Hangul"},
}

// latinLike are the letters that alone can spell a Latin word's double.
const latinLike = "асԁеһіјӏорԛѕԝхуъьвкмнтґпгѵѡ" + "αικνορτυωχ"

// honest reports whether a label uses one script, or a usual mix, and is not
// made of look-alikes of Latin letters only.
func honest(label string) bool {
	scripts := map[string]bool{}
	lookAlike := true
	for _, r := range label {
		if script := scriptOf(r); script != "" {
			scripts[script] = true
			lookAlike = lookAlike && strings.ContainsRune(latinLike, r)
		}
	}
	if len(scripts) < 2 {
		return !lookAlike || len(scripts) == 0
	}
	for _, mix := range allowedMixes {
		known := 0
		for _, script := range mix {
			if scripts[script] {
				known++
			}
		}
		if known == len(scripts) {
			return true
		}
	}
	return false
}

// scriptOf returns the script of r, "" for what all scripts share.
func scriptOf(r rune) string {
	if unicode.In(r, unicode.Common, unicode.Inherited) {
		return ""
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return name
		}
	}
	return "unknown"
}
