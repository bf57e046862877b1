package classifier

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/postil/postil/internal/markup"
)

// maxScan bounds how much of a text is looked at, in bytes: what makes spam of
// a text stands in its first pages.
const maxScan = 12 << 10

// address is a link as it was typed.
type address struct {
	host string // lower case, without "www."
	path string // with query, "" for a bare host
	at   int    // byte in the text
	size int    // bytes
}

func (a address) deep() bool { return strings.Trim(a.path, "/#?") != "" }

// view is a sample taken apart once, for all signals.
type view struct {
	Sample
	text     string // line ends are "\n", tags of HTML are still in it
	lower    string
	folded   string // for comparing
	ascii    bool   // nothing beyond ASCII in the text
	words    []string
	name     []string // words of the name, lower case
	nameLC   string
	links    []address
	site     *address // the website beside the name
	chars    chars
	topic    map[string]bool // words of the page's key and title
	language string
	phrases
}

// chars counts the characters of a text.
type chars struct {
	all, letters, upper, lower, digits, spaces, marks, emoji, questions, exclaims, lines int
	scripts                                                                              map[string]int
}

func look(s Sample) *view {
	v := &view{Sample: s}
	v.text = strings.ReplaceAll(cutBytes(s.Text, maxScan), "\r\n", "\n")
	v.lower = strings.ToLower(v.text)
	v.ascii = plainASCII(v.text)
	if v.folded = v.lower; !v.ascii {
		v.folded = markup.Fold(v.text)
	}
	v.words = wordsOf(v.folded)
	v.nameLC = strings.ToLower(cutBytes(s.Name, 400))
	v.name = wordsOf(v.nameLC)
	v.links = addresses(v.text)
	if s.Website != "" {
		v.site = website(s.Website)
	}
	v.chars = count(v.text)
	v.topic = topic(s.Page, s.Title)
	v.phrases = phrasesOf(v.words)
	v.language = languageOf(v.words)
	return v
}

func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// wordsOf splits a text into words; a character of a script without spaces is a
// word of its own.
func wordsOf(s string) []string {
	var words []string
	start := -1
	end := func(i int) {
		if start >= 0 {
			words = append(words, s[start:i])
			start = -1
		}
	}
	for i, r := range s {
		switch {
		case r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'):
			if start < 0 {
				start = i
			}
		case r < 0x80:
			end(i)
		case unspaced(r):
			end(i)
			words = append(words, string(r))
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r):
			if start < 0 {
				start = i
			}
		case emoji(r):
			end(i)
			words = append(words, string(r))
		default:
			end(i)
		}
	}
	end(len(s))
	return words
}

func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func emoji(r rune) bool { return r >= 0x1F300 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x27BF }

func count(s string) chars {
	c := chars{scripts: map[string]int{}}
	for _, r := range s {
		c.all++
		switch {
		case r == '\n':
			c.lines++
			c.spaces++
		case unicode.IsSpace(r):
			c.spaces++
		case r == '?':
			c.questions++
		case r == '!':
			c.exclaims++
		case unicode.IsLetter(r):
			c.letters++
			switch {
			case unicode.IsUpper(r):
				c.upper++
			case unicode.IsLower(r):
				c.lower++
			}
			c.scripts[script(r)]++
		case unicode.IsDigit(r):
			c.digits++
		case emoji(r):
			c.emoji++
		default:
			c.marks++
		}
	}
	return c
}

// writing are the scripts that are told apart; all others are one.
var writing = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Cyrillic", unicode.Cyrillic}, {"Greek", unicode.Greek}, {"Arabic", unicode.Arabic}, {"Hebrew", unicode.Hebrew},
	{"Han", unicode.Han}, {"Kana", unicode.Hiragana}, {"Kana", unicode.Katakana}, {"Hangul", unicode.Hangul}, {"Thai", unicode.Thai},
	{"Devanagari", unicode.Devanagari}, {"Bengali", unicode.Bengali}, {"Tamil", unicode.Tamil}, {"Georgian", unicode.Georgian}, {"Armenian", unicode.Armenian},
}

func script(r rune) string {
	if r < 0x250 || unicode.Is(unicode.Latin, r) {
		return "Latin"
	}
	for _, w := range writing {
		if unicode.Is(w.table, r) {
			return w.name
		}
	}
	return "other"
}

// mainScript is the script of most letters, "" without letters.
func (c chars) mainScript() string {
	best, most := "", 0
	for name, n := range c.scripts {
		if n > most || n == most && name < best {
			best, most = name, n
		}
	}
	return best
}

// addresses finds links however they are written: in Markdown, HTML, BBCode or
// bare.
func addresses(s string) []address {
	var found []address
	for at := 0; at < len(s) && len(found) < 100; {
		i := nextAddress(s[at:])
		if i < 0 {
			break
		}
		start := at + i
		end := start + strings.IndexFunc(s[start:], endsAddress)
		if end < start {
			end = len(s)
		}
		if a := website(strings.TrimRight(s[start:end], ".,;:!?*_")); a != nil {
			a.at, a.size = start, end-start
			found = append(found, *a)
		}
		at = max(end, start+1)
	}
	return found
}

// nextAddress returns where the next address begins in s, -1 for nowhere.
func nextAddress(s string) int {
	for i := 0; i+2 < len(s); i++ {
		switch s[i] {
		case 'h', 'H':
			if len(s)-i > 8 && strings.EqualFold(s[i:i+4], "http") && (s[i+4] == ':' && s[i+5] == '/' || (s[i+4] == 's' || s[i+4] == 'S') && s[i+5] == ':' && s[i+6] == '/') {
				return i
			}
		case 'w', 'W':
			if len(s)-i > 5 && strings.EqualFold(s[i:i+4], "www.") && (i == 0 || !alnum(s[i-1])) {
				return i
			}
		case '.':
			if start := bareHost(s, i); start >= 0 {
				return start
			}
		}
	}
	return -1
}

// bareHost returns where a host name without a scheme begins whose last dot may
// be at i: "shop.example.com" or "example.ru/path", but not "asp.net".
func bareHost(s string, i int) int {
	end := i + 1
	for end < len(s) && s[end] >= 'a' && s[end] <= 'z' {
		end++
	}
	if end-i-1 < 2 || end-i-1 > 6 || i == 0 || !alnum(s[i-1]) {
		return -1
	}
	slash := end < len(s)-1 && s[end] == '/' && alnum(s[end+1])
	if end < len(s) && alnum(s[end]) || !slash && !plainTLD[s[i+1:end]] {
		return -1
	}
	start := i
	for start > 0 && (alnum(s[start-1]) || s[start-1] == '-' || s[start-1] == '.') {
		start--
	}
	if start > 0 && (s[start-1] == '@' || s[start-1] == '/' || s[start-1] == '_') || i-start < 3 {
		return -1
	}
	return start
}

// plainTLD are endings that are no words and no names of files or of software.
var plainTLD = map[string]bool{"com": true, "org": true, "info": true, "biz": true, "ru": true, "uk": true, "de": true, "online": true, "shop": true, "xyz": true, "site": true, "club": true, "top": true, "store": true}

func alnum(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

func endsAddress(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("<>\"'()[]{}|`\\^", r)
}

// website reads an address that was typed, nil when it is none.
func website(s string) *address {
	s = strings.TrimSpace(s)
	if i := strings.Index(s, "://"); i >= 0 {
		s = s[i+3:]
	} else if i := strings.Index(s, ":/"); i >= 0 && i < 6 {
		s = s[i+2:]
	}
	host, path := s, ""
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		host, path = s[:i], s[i:]
	}
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	host = strings.TrimPrefix(strings.Trim(host, "."), "www.")
	if !strings.Contains(host, ".") || strings.ContainsAny(host, " @") || len(host) > 253 {
		return nil
	}
	if un, err := url.PathUnescape(path); err == nil {
		path = un
	}
	return &address{host: host, path: path}
}

// topic returns the words of a page's key and title that mean something.
func topic(page, title string) map[string]bool {
	words := map[string]bool{}
	for _, w := range wordsOf(markup.Fold(cutBytes(page+" "+title, 1000))) {
		if len(w) > 2 || len(w) > 0 && w[0] >= 0x80 {
			words[w] = true
		}
	}
	return words
}
