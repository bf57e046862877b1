package markup

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
)

const (
	maxSearchWord    = 64 // characters of a word that count
	maxSearchPhrases = 32 // words and phrases of a query that count
	maxPhraseWords   = 200
)

// SearchWords gives the words of a text as a search index keeps them, folded,
// repeated as often as they stand there and in their order. In scripts that put
// no spaces between words every character is a word, so that a phrase finds any
// part of a sentence; so is every symbol that is a picture.
func SearchWords(text string) []string { return searchWords(SearchForm(text)) }

// SearchForm gives the folded form of a text in which a SearchPhrase's Literal
// is looked for: quotation marks and dashes are the plain ones, and white space
// and control characters are single spaces.
func SearchForm(text string) string {
	if form, ok := plainForm(text); ok {
		return form
	}
	return strings.Join(strings.FieldsFunc(strings.Map(plainMark, Fold(text)), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// plainForm is SearchForm for texts in ASCII, many times faster: an index folds
// every text, and a list compares hundreds at once.
func plainForm(text string) (string, bool) {
	form := make([]byte, 0, len(text))
	gap := false
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 0x80:
			return "", false
		case c <= ' ' || c == 0x7F:
			gap = len(form) > 0
			continue
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c == '`':
			c = '\''
		}
		if gap {
			form, gap = append(form, ' '), false
		}
		form = append(form, c)
	}
	return string(form), true
}

// SearchPhrase is a part of what somebody looks for. A text that has it holds
// Words one after the other and, where Literal is not "", contains Literal in
// its SearchForm.
type SearchPhrase struct {
	Words   []string
	Literal string // set where characters beside the words matter: "50%", "foo_bar"
}

// SearchPhrases reads what somebody typed into a search box: words, of which a
// text must have all, and phrases in quotation marks. No character has any
// other meaning. Of a very long query the beginning counts.
func SearchPhrases(query string) []SearchPhrase {
	var out []SearchPhrase
	for i, part := range strings.Split(SearchForm(query), `"`) {
		chunks := []string{strings.TrimSpace(part)}
		if i%2 == 0 { // outside of quotation marks
			chunks = strings.Fields(part)
		}
		for _, chunk := range chunks {
			p := phraseOf(chunk)
			same := func(q SearchPhrase) bool { return q.Literal == p.Literal && slices.Equal(q.Words, p.Words) }
			if chunk == "" || slices.ContainsFunc(out, same) {
				continue
			}
			if out = append(out, p); len(out) == maxSearchPhrases {
				return out
			}
		}
	}
	return out
}

// phraseOf reads one word or phrase. Sentence marks around it are not meant,
// unless there is nothing else.
func phraseOf(chunk string) (p SearchPhrase) {
	if inner := strings.Trim(chunk, ".,;:!?'()[]{}… "); inner != "" {
		chunk = inner
	}
	p.Words = searchWords(chunk)
	p.Words = p.Words[:min(len(p.Words), maxPhraseWords)]
	if strings.ContainsFunc(chunk, func(r rune) bool { return r != ' ' && searchKind(r) == separator }) {
		p.Literal = chunk
	}
	return p
}

// LinkHosts lists the hosts that safe HTML links to, each once, as they stand
// there, in lower case and punycode.
func LinkHosts(safe string) (hosts []string) {
	if !strings.Contains(safe, "href=") {
		return nil
	}
	root, err := parseHTML(safe)
	if err != nil {
		return nil
	}
	for n := range root.Descendants() {
		if n.DataAtom != atom.A {
			continue
		}
		u, err := url.Parse(attribute(n, "href"))
		if err == nil && u.Hostname() != "" && !slices.Contains(hosts, u.Hostname()) {
			hosts = append(hosts, u.Hostname())
		}
	}
	return hosts
}

type searchRune int

const (
	separator searchRune = iota
	letter               // of a word
	attached             // belongs to the character before it, whatever that is
	alone                // a word of its own
)

// runTogether are the scripts that put no spaces between words. Hangul does, but
// its words carry endings, and what one looks for is often two syllables.
var runTogether = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese, unicode.Javanese, unicode.Tai_Le, unicode.New_Tai_Lue}

func searchKind(r rune) searchRune {
	switch {
	case r < 0x80:
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return letter
		}
		return separator
	case unicode.IsMark(r):
		return attached
	case unicode.In(r, unicode.L, unicode.N):
		if unicode.In(r, runTogether...) || r == 'ー' {
			return alone
		}
		return letter
	case unicode.Is(unicode.So, r):
		return alone
	}
	return separator
}

// searchWords splits a text that is in its SearchForm.
func searchWords(form string) []string {
	var words []string
	var word []rune
	single := false // what stands in word takes no further letter
	end := func() {
		if len(word) > 0 {
			words = append(words, string(word[:min(len(word), maxSearchWord)]))
		}
		word, single = word[:0], false
	}
	for _, r := range form {
		switch searchKind(r) {
		case separator:
			end()
		case alone:
			end()
			word, single = append(word, r), true
		case attached:
			word = append(word, r)
		case letter:
			if single {
				end()
			}
			word, single = append(word, r), false
		}
	}
	end()
	return words
}

// plainMark gives the sign that a keyboard has for typographic ones.
func plainMark(r rune) rune {
	switch r {
	case '‘', '’', 'ʼ', '‛', '′', '´', '`':
		return '\''
	case '“', '”', '„', '‟', '″', '«', '»', '「', '」', '『', '』':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	}
	return r
}
