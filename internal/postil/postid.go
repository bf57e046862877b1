package postil

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ErrForeignHost is the cause of an error of Resolve when the address stands on
// a host of another site: writing is refused, reading finds nothing.
var ErrForeignHost = errors.New("foreign host")

// tracking lists the parameters that say how a reader came, never which page
// it is. A trailing "*" is a prefix.
var tracking = []string{
	"utm_*", "fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "ysclid", "twclid",
	"ttclid", "li_fat_id", "igshid", "igsh", "mc_*", "mkt_tok", "ref", "replytocom", "_ga", "_gl", "_hsenc",
	"_hsmi", "hsa_*", "oly_*", "vero_*", "wickedid", "rb_clickid", "s_cid", "__s",
}

// PostRules says which addresses of a site name the same post. The zero value
// knows no host, so it takes paths and explicit ids only.
type PostRules struct {
	Hosts     []string // the site's own and alias hosts, as OriginHost gives them
	Drop      []string // tracking parameters besides the usual ones; "x*" is a prefix, "!ref" keeps ref
	KeepSlash bool     // "/a/" and "/a" are two posts
	KeepIndex bool     // "/a/index.html" and "/a/" are two posts
}

// Resolve returns the one key of the post that raw names. What begins with "/",
// "http:" or "https:" is an address and is normalised to its path and query;
// all else is an explicit id and stays as it is, trimmed and in NFC. Nothing at
// all is the root. Resolving a key gives the same key again. Errors are Invalid
// with the field "post"; see ErrForeignHost.
func (r PostRules) Resolve(raw string) (PostID, error) {
	if r.settled(raw) {
		return PostID(raw), nil
	}
	s := strings.TrimSpace(raw)
	var id string
	switch rest, err := r.local(s); {
	case err != nil:
		return "", err
	case strings.ContainsFunc(s, unicode.IsControl):
		return "", InvalidField("post", "The post's key contains control characters. Remove them and send again.")
	case s == "":
		id = "/"
	case isAddress(s):
		id = r.normalise(rest)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, hidden):
		return "", InvalidField("post", "The post's key contains characters that cannot be shown. Use plain letters and digits.")
	default:
		id = norm.NFC.String(s)
	}
	if n := utf8.RuneCountInString(id); n > MaxPostKey {
		return "", TooLong("post", n, MaxPostKey)
	}
	return PostID(id), nil
}

// Owns reports whether rawURL is an absolute http or https address on a host
// of the site, fit to be stored as the address of a post.
func (r PostRules) Owns(rawURL string) bool {
	// Browsers leave an apostrophe in a path as it is.
	if strings.ContainsFunc(rawURL, func(c rune) bool { return c != '\'' && unsafeInURL(c) }) {
		return false
	}
	u, err := url.Parse(rawURL)
	if err != nil || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return false
	}
	host, err := canonicalHost(u)
	return err == nil && r.knows(host)
}

// IsPreviewAddress reports whether raw shows a draft to its author. Such an
// address must never become the stored address of a post.
func IsPreviewAddress(raw string) bool {
	raw, _, _ = strings.Cut(raw, "#")
	_, query, _ := strings.Cut(raw, "?")
	values, _ := url.ParseQuery(query) // what could be read is enough
	if values.Has("preview_id") || values.Has("preview_nonce") {
		return true
	}
	no := []string{"false", "0", "no"}
	return values.Has("preview") && !slices.Contains(no, strings.ToLower(values.Get("preview")))
}

func isAddress(s string) bool {
	return strings.HasPrefix(s, "/") || schemeOf(s) != ""
}

// settled recognises the paths that nearly every reader sends and that are
// their own key, so that reading a hot thread costs no allocation here.
func (r PostRules) settled(s string) bool {
	if s == "" || s[0] != '/' || len(s) > MaxPostKey || len(s) > 1 && s[len(s)-1] == '/' {
		return false
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		case c == '.' || c == '/':
			if s[i-1] == '/' { // an empty or dot segment, perhaps
				return false
			}
		default:
			return false
		}
	}
	return !r.isIndex(s[strings.LastIndexByte(s, '/')+1:])
}

// schemeOf returns "http" or "https" when s begins with it and a colon.
func schemeOf(s string) string {
	for _, scheme := range []string{"http", "https"} {
		if len(s) > len(scheme) && s[len(scheme)] == ':' && strings.EqualFold(s[:len(scheme)], scheme) {
			return scheme
		}
	}
	return ""
}

// local returns what follows the host of an absolute address; anything else it
// returns as it is.
func (r PostRules) local(s string) (string, error) {
	scheme := schemeOf(s)
	if scheme == "" {
		return s, nil
	}
	rest := s[len(scheme)+1:]
	end := 0
	if strings.HasPrefix(rest, "//") {
		rest = rest[2:]
		if end = strings.IndexAny(rest, `/\?#`); end < 0 {
			end = len(rest)
		}
	}
	u, err := url.Parse(scheme + "://" + rest[:end])
	if err != nil {
		return "", noHost(err)
	}
	host, err := canonicalHost(u)
	if err != nil {
		return "", noHost(err)
	}
	if !r.knows(host) {
		e := InvalidField("post", "The host “%s” belongs to no site here. Open the page at the blog's own address, or have the host added to the site's origins.", host)
		e.Cause = ErrForeignHost
		return "", e
	}
	return rest[end:], nil
}

func noHost(cause error) *Error {
	e := InvalidField("post", "That address has no usable host. Send the page's path, such as /posts/hello, or its full address.")
	e.Cause = cause
	return e
}

// knows reports whether host is one of the site's, "www." or not.
func (r PostRules) knows(host string) bool {
	return slices.ContainsFunc(r.Hosts, func(own string) bool {
		return strings.TrimPrefix(own, "www.") == strings.TrimPrefix(host, "www.")
	})
}

// normalise brings a path with query and fragment into the one form.
func (r PostRules) normalise(s string) string {
	s, _, _ = strings.Cut(s, "#")
	path, query, _ := strings.Cut(s, "?")
	id := r.path(path)
	if query = r.query(query); query != "" {
		id += "?" + query
	}
	// White space at the end would be trimmed when the key is read again.
	kept := strings.TrimRightFunc(id, unicode.IsSpace)
	return kept + escape(id[len(kept):])
}

// path decodes the segments, drops empty ones and resolves the dots. A
// backslash separates too, because browsers read it as a slash.
func (r PostRules) path(s string) string {
	parts := strings.Split(strings.ReplaceAll(s, `\`, "/"), "/")
	var segments []string
	slash := false // the path ends in one
	for _, part := range parts {
		part = unescape(part, func(c rune) bool { return strings.ContainsRune(`/?#%\`, c) })
		slash = part == "" || part == "." || part == ".."
		switch {
		case part == ".." && len(segments) > 0:
			segments = segments[:len(segments)-1]
		case !slash:
			segments = append(segments, part)
		}
	}
	// Again and again, so that a key resolves to itself.
	for len(segments) > 0 && r.isIndex(segments[len(segments)-1]) && !(slash && r.KeepSlash) {
		segments, slash = segments[:len(segments)-1], true
	}
	path := "/" + strings.Join(segments, "/")
	if slash && r.KeepSlash && len(segments) > 0 {
		path += "/"
	}
	return path
}

func (r PostRules) isIndex(segment string) bool {
	return !r.KeepIndex && (segment == "index.html" || segment == "index.htm")
}

// query drops the tracking parameters and sorts the others by name. Values of
// the same name keep their order: it may matter to the page.
func (r PostRules) query(s string) string {
	type pair struct{ name, text string }
	var pairs []pair
	reserved := func(c rune) bool { return strings.ContainsRune("&=+#%", c) }
	for part := range strings.SplitSeq(s, "&") {
		name, value, has := strings.Cut(part, "=")
		name = unescape(name, reserved)
		if part == "" || r.drops(strings.ToLower(name)) {
			continue
		}
		text := name
		if has {
			text += "=" + unescape(value, reserved)
		}
		pairs = append(pairs, pair{name, text})
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	texts := make([]string, len(pairs))
	for i, p := range pairs {
		texts[i] = p.text
	}
	return strings.Join(texts, "&")
}

func (r PostRules) drops(name string) bool {
	matches := func(pattern string) bool {
		pattern = strings.ToLower(pattern)
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(name, prefix)
		}
		return name == pattern
	}
	if slices.Contains(r.Drop, "!"+name) {
		return false
	}
	return slices.ContainsFunc(tracking, matches) || slices.ContainsFunc(r.Drop, matches)
}

// hidden reports whether r must not stand in a key as it is: it cannot be seen
// or turns the direction of what follows.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) || r == '\uFEFF'
}

// unescape decodes the percent-encoding of one component to NFC. Encoded stay:
// characters for which stays is true unless they were typed as they are (so
// "%2F" is never taken for a separator), hidden ones and bytes that are no
// UTF-8. A "%" that begins no escape stays literally. Decoding twice gives the
// same as decoding once, also when NFC is applied to the whole in between.
func unescape(s string, stays func(rune) bool) string {
	raw, typed := decodeBytes(s)
	var out, run strings.Builder
	flush := func() {
		writeRun(&out, norm.NFC.String(run.String()))
		run.Reset()
	}
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		switch {
		case r == utf8.RuneError && size == 1, hidden(r), !typed[i] && stays(r):
			flush()
			out.WriteString(escape(string(raw[i : i+size])))
		default:
			run.WriteRune(r)
		}
		i += size
	}
	flush()
	return out.String()
}

// decodeBytes decodes every escape and tells which bytes stood there as typed.
func decodeBytes(s string) (raw []byte, typed []bool) {
	for i := 0; i < len(s); i++ {
		if isEscape(s[i:]) {
			raw, typed = append(raw, unhex(s[i+1])<<4|unhex(s[i+2])), append(typed, false)
			i += 2
			continue
		}
		raw, typed = append(raw, s[i]), append(typed, true)
	}
	return raw, typed
}

// writeRun writes decoded text behind an escape or separator: marks that would
// combine with it are escaped, and so is a "%" that came to look like an escape.
func writeRun(out *strings.Builder, run string) {
	for run != "" && !norm.NFC.PropertiesString(run).BoundaryBefore() {
		_, size := utf8.DecodeRuneInString(run)
		out.WriteString(escape(run[:size]))
		run = run[size:]
	}
	for i := range len(run) {
		out.WriteByte(run[i])
		if isEscape(run[i:]) {
			out.WriteString("25")
		}
	}
}

// escape percent-encodes every byte of s.
func escape(s string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		b.Write([]byte{'%', digits[s[i]>>4], digits[s[i]&15]})
	}
	return b.String()
}

func isEscape(s string) bool {
	return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}
