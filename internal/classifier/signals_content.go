package classifier

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/postil/postil/internal/markup"
)

// contentSignals look at what stands in the text.
var contentSignals = []Signal{
	{"link", "a link", 1, is(func(v *view) bool { return len(v.links) > 0 })},
	{"links-2", "two or more links", 1, is(func(v *view) bool { return len(v.links) >= 2 })},
	{"links-4", "four or more links", 1, is(func(v *view) bool { return len(v.links) >= 4 })},
	{"link-heavy", "links make up much of the text", 1, is(linkHeavy)},
	{"link-only", "nothing but a link", 1, is(func(v *view) bool { return len(v.links) > 0 && linkShare(v) > 0.85 })},
	{"link-last", "ends with a link", 1, is(linkLast)},
	{"link-slug", "a link to a page named for search engines", 1, is(func(v *view) bool { return anyLink(v, slug) })},
	{"link-home", "a link to a bare home page", 0, is(func(v *view) bool { return anyLink(v, func(a address) bool { return !a.deep() }) })},
	{"html-link", "a link in HTML", 1, is(func(v *view) bool { return strings.Contains(v.lower, "<a ") && strings.Contains(v.lower, "href") })},
	{"html-tag", "other HTML", 0, is(func(v *view) bool {
		return hasAny(v.lower, "<strong", "<b>", "<h1", "<h2", "<p>", "<span", "<img", "<font") && !code(v)
	})},
	{"bbcode", "forum mark-up", 1, is(func(v *view) bool { return hasAny(v.lower, "[url", "[link", "[/url]", "[img") })},
	{"two-syntaxes", "links in several kinds of mark-up", 1, is(twoSyntaxes)},
	{"markdown-link", "a Markdown link", 0, is(func(v *view) bool { return strings.Contains(v.lower, "](http") })},
	{"mail-address", "an e-mail address in the text", 1, is(func(v *view) bool { return hasMail(v.lower) })},
	{"phone", "a phone number", 1, is(phone)},
	{"tld", "a domain ending that spammers like", 1, is(func(v *view) bool { return anyHost(v, func(h string) bool { return proneTLD[tldOf(h)] }) })},
	{"shortener", "a shortened address", 1, is(func(v *view) bool { return anyHost(v, func(h string) bool { return shorteners[h] }) })},
	{"host-words", "a host made of search words", 1, is(func(v *view) bool { return anyHost(v, wordyHost) })},
	{"look-alike", "letters of several alphabets in one word", 1, is(lookAlike)},
	{"invisible", "invisible characters", 1, is(func(v *view) bool { return !v.ascii && markup.Invisible(v.text) > 0 })},
	{"broken-encoding", "characters of a broken posting tool", 1, is(broken)},
	{"spun", "left over from a spinning tool", 1, is(func(v *view) bool { return !code(v) && leftover(v.text) })},
	{"hard-breaks", "line breaks in the middle of sentences", 1, is(hardBreaks)},
	{"long", "a long text", 1, is(func(v *view) bool { return v.chars.all > 1000 })},
	{"very-long", "a very long text", 1, is(func(v *view) bool { return v.chars.all > 3000 })},
	{"block", "a long text without paragraphs", 1, is(func(v *view) bool { return v.chars.all > 500 && v.chars.lines == 0 })},
	{"short", "", 0, is(func(v *view) bool { return v.chars.all < 20 })},
	{"brief", "", 0, is(func(v *view) bool { return v.chars.all < 80 })},
	{"few-words", "", 0, is(func(v *view) bool { return len(v.words) <= 3 })},
	{"off-topic", "no word in common with the page", 1, is(offTopic)},
	{"on-topic", "two or more words of the page", -1, is(func(v *view) bool { return shared(v) >= 2 })},
	{"site-talk", "speaks of the site and not of its matter", 1, is(func(v *view) bool { return v.phrases.site > 0 })},
	{"praise", "general praise", 0, is(func(v *view) bool { return v.phrases.praise > 0 })},
	{"praise-only", "nothing but general praise", 1, is(func(v *view) bool {
		return v.phrases.praise > 0 && v.chars.all < 250 && shared(v) == 0 && !bonds(v)
	})},
	{"praise-link", "general praise with a link", 1, is(func(v *view) bool { return v.phrases.praise > 0 && (len(v.links) > 0 || v.site != nil) })},
	{"calls", "asks readers to go or write somewhere", 1, is(func(v *view) bool { return v.phrases.calls > 0 })},
	{"own-site", "speaks of an own site", 1, is(func(v *view) bool { return v.phrases.own > 0 })},
	{"calls-link", "asks readers to follow a link", 1, is(func(v *view) bool { return (v.phrases.calls > 0 || v.phrases.own > 0) && len(v.links) > 0 })},
	{"offer", "speaks of prices or money", 1, is(func(v *view) bool { return v.phrases.offer > 0 || priced(v.text) })},
	{"code", "shows code or quotes", -1, is(code)},
	{"question", "asks a question", -1, is(func(v *view) bool { return v.chars.questions > 0 && !strings.Contains(v.text, "?t ") })},
	{"mention", "speaks to somebody", -1, is(func(v *view) bool { return mentions(v.text) })},
	{"reply", "answers a comment", -1, is(func(v *view) bool { return v.Reply })},
	{"shouting", "mostly capitals", 0, is(func(v *view) bool {
		return v.chars.letters > 12 && v.chars.upper*10 > v.chars.letters*3 && v.chars.lower > 0
	})},
	{"exclaims", "many exclamation marks", 0, is(func(v *view) bool { return v.chars.exclaims >= 3 })},
	{"emoji", "several emoji", 0, is(func(v *view) bool { return v.chars.emoji >= 2 })},
	{"random", "letters in no order of a language", 1, is(func(v *view) bool { return gibberish(v.lower, 0.25) })},
	{"no-lower", "begins in lower case", 0, is(startsLower)},
	{"headline", "written like a headline", 1, is(headline)},
	{"repeats", "says the same words again and again", 1, is(repeats)},
}

var (
	mailInText  = regexp.MustCompile(`[a-z0-9._+-]{2,} ?(@|\(at\)|\[at\]) ?[a-z0-9-]+\.[a-z]{2,}`)
	spun        = regexp.MustCompile(`\{[^{}|\n]+(\|[^{}|\n]+)+\}`)
	placeholder = regexp.MustCompile(`%[a-z]+_[a-z_]+%|#file_links|\[\[?(anchor|keyword|link)`)
	mention     = regexp.MustCompile(`(^|[\s(])@[\pL\pN_]{2,}`)
)

func hasMail(s string) bool {
	return (strings.Contains(s, "@") || strings.Contains(s, "at)") || strings.Contains(s, "at]")) && mailInText.MatchString(s)
}

func leftover(s string) bool {
	return strings.Contains(s, "{") && spun.MatchString(s) || strings.ContainsAny(s, "%#[") && placeholder.MatchString(s)
}

// mentions reports whether a text turns to somebody by name.
func mentions(s string) bool {
	return strings.Contains(s, "@") && mention.MatchString(s)
}

func linkShare(v *view) float64 {
	n := 0
	for _, l := range v.links {
		n += l.size
	}
	return float64(n) / float64(max(len(strings.TrimSpace(v.text)), 1))
}

func linkHeavy(v *view) bool { return linkShare(v) > 0.4 }

func linkLast(v *view) bool {
	if len(v.links) == 0 || v.chars.all < 30 {
		return false
	}
	last := v.links[len(v.links)-1]
	rest := v.text[min(last.at+last.size, len(v.text)):]
	return len(strings.TrimSpace(rest)) < 60
}

func anyLink(v *view, f func(address) bool) bool {
	for _, l := range v.links {
		if f(l) {
			return true
		}
	}
	return false
}

func anyHost(v *view, f func(string) bool) bool {
	return v.site != nil && f(v.site.host) || anyLink(v, func(a address) bool { return f(a.host) })
}

func slug(a address) bool { return strings.Count(a.path, "-") >= 3 }

func twoSyntaxes(v *view) bool {
	n := 0
	for _, has := range []bool{strings.Contains(v.lower, "<a "), hasAny(v.lower, "[url"), strings.Contains(v.lower, "](http"), strings.Contains(v.lower, "[link")} {
		if has {
			n++
		}
	}
	return n >= 2
}

// phone finds runs of nine to fifteen digits with the signs that people put
// between them.
func phone(v *view) bool {
	digits, gaps, plus := 0, 0, false
	inAddress := func(i int) bool {
		return anyLink(v, func(a address) bool { return i >= a.at && i < a.at+a.size })
	}
	for i := range len(v.text) {
		c := v.text[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
		case digits > 0 && strings.IndexByte(" -().", c) >= 0 && gaps < 6:
			gaps++
			continue
		default:
			if digits >= 9 && digits <= 15 && (plus || gaps >= 2 || digits >= 10) && !inAddress(i-1) {
				return true
			}
			digits, gaps, plus = 0, 0, c == '+'
		}
	}
	return digits >= 9 && digits <= 15 && (plus || gaps >= 2 || digits >= 10) && !inAddress(len(v.text)-1)
}

var proneTLD = setOf("xyz", "top", "club", "online", "site", "icu", "tk", "ml", "ga", "cf", "gq", "buzz", "click", "link", "work", "loan", "win", "bid", "men", "stream", "download", "racing", "review", "trade", "party", "science", "date", "faith", "cricket", "accountant", "shop", "store", "website", "space", "live", "life", "fun", "pro", "vip", "cyou", "rest", "ooo", "toys", "pw", "cc", "su", "biz", "info")

var shorteners = setOf("bit.ly", "goo.gl", "tinyurl.com", "is.gd", "v.gd", "ow.ly", "t.co", "cutt.ly", "rb.gy", "rebrand.ly", "shorturl.at", "clck.ru", "vk.cc", "t.ly", "tiny.cc", "adf.ly", "shorte.st", "bc.vc", "u.to", "soo.gd", "s.id", "lnkd.in", "buff.ly", "t.me", "wa.me", "linktr.ee", "bitly.com", "x.co", "qr.ae", "po.st", "n9.cl")

func setOf(words ...string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}

func tldOf(host string) string { return host[strings.LastIndexByte(host, '.')+1:] }

// wordyHost reports names built from search words: hyphens or great length.
func wordyHost(h string) bool {
	name := strings.TrimSuffix(h, "."+tldOf(h))
	return strings.Count(name, "-") >= 2 || len(name) >= 18 && !strings.Contains(name, ".") || len(name) >= 28
}

func lookAlike(v *view) bool {
	if v.ascii {
		return false
	}
	foreign := func(word string) bool {
		return strings.IndexFunc(word, func(r rune) bool { return r >= 0x250 }) >= 0
	}
	for _, word := range strings.FieldsFunc(v.Name+" "+v.text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		if foreign(word) && (markup.MixedScript(word) || oddLatin(word)) {
			return true
		}
	}
	return false
}

// oddLatin reports words of plain Latin letters with one from the edges of the
// alphabet, such as phonetic signs, that only looks like a Latin letter.
func oddLatin(word string) bool {
	plain, odd := 0, 0
	for _, r := range word {
		switch {
		case r < 0x80:
			plain++
		case r >= 0x250 && r <= 0x2AF, r >= 0x530 && r <= 0x58F, r >= 0x13A0 && r <= 0x13FF, r >= 0x10A0 && r <= 0x10FF, r >= 0x1D00 && r <= 0x1DBF, r >= 0x0400 && r <= 0x052F, r >= 0x370 && r <= 0x3FF:
			odd++
		}
	}
	return plain >= 2 && odd > 0
}

func broken(v *view) bool {
	if strings.ContainsRune(v.text, '\uFFFD') || strings.Count(v.text, "%") > 8 && percents.MatchString(v.text) || strings.Contains(v.text, "â€") || strings.HasSuffix(strings.TrimSpace(v.text), "|") {
		return true
	}
	return strings.Contains(v.text, "?") && torn.MatchString(v.text)
}

var (
	percents = regexp.MustCompile(`(%[0-9a-f]{2}){3}`)
	torn     = regexp.MustCompile(`[a-z]\?(t|s|m|re|ve|ll|d) [a-z]`)
)

// hardBreaks finds lines that end in the middle of a sentence, as posting tools
// wrap them.
func hardBreaks(v *view) bool {
	if code(v) {
		return false
	}
	at := 0
	for line := range strings.SplitSeq(v.text, "\n") {
		at += len(line) + 1
		if at >= len(v.text) || len(line) < 30 {
			continue
		}
		trimmed := strings.TrimRight(line, " ")
		if trimmed == "" {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(trimmed)
		after, _ := utf8.DecodeRuneInString(v.text[at:])
		if (unicode.IsLetter(before) || before == ',') && unicode.IsLower(after) {
			return true
		}
	}
	return false
}

func shared(v *view) int {
	n := 0
	seen := map[string]bool{}
	for _, w := range v.words {
		if v.topic[w] && !seen[w] {
			seen[w] = true
			n++
		}
	}
	return n
}

func offTopic(v *view) bool {
	return v.chars.all > 60 && len(v.topic) > 0 && shared(v) == 0
}

// bonds reports what ties a text to its page or to a person.
func bonds(v *view) bool {
	return v.Reply || code(v) || v.chars.questions > 0 || mentions(v.text)
}

func code(v *view) bool {
	return strings.Contains(v.text, "`") || strings.HasPrefix(v.text, "> ") || strings.Contains(v.text, "\n> ") || strings.Contains(v.text, "\n    ") ||
		hasAny(v.text, "();", "){", ") {", "</div>", "/>\n", " == ", " = ", "=>", "::", "_config", "{{", "{%")
}

// gibberish reports texts of one to eight words whose letters follow no
// language: long runs of consonants, or hardly any vowels.
func gibberish(s string, share float64) bool {
	words := strings.Fields(s)
	if len(words) == 0 || len(words) > 8 {
		return false
	}
	odd := 0
	for _, w := range words {
		if strange(w) {
			odd++
		}
	}
	return float64(odd) > share*float64(len(words))
}

func strange(w string) bool {
	vowels, letters, run, longest := 0, 0, 0, 0
	for _, r := range w {
		if r < 'a' || r > 'z' {
			if r >= 0x80 {
				return false
			}
			run = 0
			continue
		}
		letters++
		if strings.ContainsRune("aeiouy", r) {
			vowels++
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return letters >= 5 && (longest >= 5 || vowels*6 < letters)
}

func startsLower(v *view) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimSpace(v.text))
	return unicode.IsLower(r)
}

// headline reports texts most of whose words begin with a capital.
func headline(v *view) bool {
	caps, words := 0, 0
	for w := range strings.FieldsSeq(v.text) {
		r, _ := utf8.DecodeRuneInString(w)
		if !unicode.IsLetter(r) || len(w) < 3 {
			continue
		}
		words++
		if unicode.IsUpper(r) {
			caps++
		}
	}
	return words >= 6 && caps*10 >= words*6 && v.chars.upper*2 < v.chars.letters
}

func repeats(v *view) bool {
	if len(v.words) < 12 {
		return false
	}
	distinct := map[string]int{}
	most := 0
	for _, w := range v.words {
		if len(w) > 4 {
			distinct[w]++
			most = max(most, distinct[w])
		}
	}
	return most >= 4 && most*12 > len(v.words)
}
