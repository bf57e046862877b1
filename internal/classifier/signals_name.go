package classifier

import (
	"strings"
	"unicode"
)

// formSignals look at the website beside the name.
var formSignals = []Signal{
	{"website", "a website beside the name", 1, is(func(v *view) bool { return v.Website != "" })},
	{"website-home", "", 0, is(func(v *view) bool { return v.site != nil && !v.site.deep() })},
	{"website-path", "the website is an inner page", 1, is(func(v *view) bool { return v.site != nil && v.site.deep() })},
	{"website-slug", "the website is a page named for search engines", 1, is(func(v *view) bool { return v.site != nil && slug(*v.site) })},
	{"website-again", "the website is linked in the text as well", 1, is(func(v *view) bool {
		return v.site != nil && anyLink(v, func(a address) bool { return a.host == v.site.host })
	})},
	{"website-broken", "the website is no address", 1, is(func(v *view) bool { return v.Website != "" && v.site == nil })},
	{"website-case", "the host has capitals inside", 1, is(func(v *view) bool { return oddCase(v.Website) })},
}

// nameSignals look at how the author is called.
var nameSignals = []Signal{
	{"name-link", "a link for a name", 1, is(func(v *view) bool {
		return hasAny(v.nameLC, "http", "<a ", "www.", "[url") || !strings.Contains(v.nameLC, "@") && nextAddress(v.nameLC+" ") >= 0
	})},
	{"name-mail", "an e-mail address for a name", 1, is(func(v *view) bool { return hasMail(v.nameLC) })},
	{"name-digits", "digits in the name", 1, is(func(v *view) bool { return strings.ContainsAny(v.nameLC, "0123456789") })},
	{"name-3-words", "a name of three or more words", 1, is(func(v *view) bool { return len(v.name) >= 3 })},
	{"name-5-words", "a name of five or more words", 1, is(func(v *view) bool { return len(v.name) >= 5 })},
	{"name-lower", "a name without capitals", 1, is(lowerName)},
	{"name-lower-2", "a name of several words without capitals", 1, is(func(v *view) bool { return lowerName(v) && len(v.name) >= 2 })},
	{"name-host", "the name stands in a linked host", 0, is(nameInHost)},
	{"name-in-link", "the name stands in the address of a link", 1, is(nameInLink)},
	{"name-in-text", "the name stands in the text", 1, is(func(v *view) bool { return len([]rune(v.nameLC)) >= 4 && strings.Contains(v.lower, v.nameLC) })},
	{"name-random", "letters in no order of a language for a name", 1, is(func(v *view) bool { return gibberish(v.nameLC, 0.4) })},
	{"name-joined", "two words joined in the name", 1, is(joined)},
	{"name-script", "name and text are in different scripts", 1, is(otherScript)},
	{"name-long", "a long name", 1, is(func(v *view) bool { return len([]rune(v.Name)) > 25 })},
	{"name-short", "", 0, is(func(v *view) bool { n := len([]rune(v.Name)); return n > 0 && n <= 3 })},
	{"name-none", "", 0, is(func(v *view) bool { return v.Name == "" })},
}

func oddCase(website string) bool {
	_, rest, ok := strings.Cut(website, "://")
	if !ok {
		rest = website
	}
	host, _, _ := strings.Cut(rest, "/")
	return strings.ToLower(host) != host
}

func lowerName(v *view) bool {
	c := false
	for _, r := range v.Name {
		if unicode.IsUpper(r) {
			return false
		}
		c = c || unicode.IsLower(r)
	}
	return c
}

func nameInHost(v *view) bool {
	return anyHost(v, func(h string) bool { return sharesWord(v.name, h) })
}

func nameInLink(v *view) bool {
	return anyLink(v, func(a address) bool { return sharesWord(v.name, strings.ToLower(a.host+a.path)) }) ||
		v.site != nil && sharesWord(v.name, strings.ToLower(v.site.path))
}

func sharesWord(words []string, address string) bool {
	for _, w := range words {
		if len(w) >= 4 && strings.Contains(address, w) {
			return true
		}
	}
	return false
}

// joined reports names like "JohnSmith" with a tail in lower case, as tools
// make them.
func joined(v *view) bool {
	if len(v.name) != 1 {
		return false
	}
	caps := 0
	for i, r := range v.Name {
		if unicode.IsUpper(r) && i > 0 {
			caps++
		}
	}
	return caps == 1 && len(v.Name) > 6
}

func otherScript(v *view) bool {
	name, text := count(v.Name).mainScript(), v.chars.mainScript()
	return name != "" && text != "" && name != text
}
