package markup

import (
	"regexp"

	"github.com/microcosm-cc/bluemonday"
)

// What a comment may consist of. Attributes that are not the author's to choose (dir, rel, target) are not in the
// policy: Sanitize sets them itself, whatever was there.
var (
	policy        = newPolicy()
	languageClass = regexp.MustCompile(`^language-[A-Za-z0-9+#._-]{1,40}$`)
	listStart     = regexp.MustCompile(`^[0-9]{1,9}$`)
)

// isolated are the elements that get dir="auto": each finds its own direction and cannot turn its neighbours.
var isolated = map[string]bool{"p": true, "li": true, "blockquote": true, "pre": true}

// linkRel tells search engines and the linked page that a stranger set this link.
const linkRel = "nofollow noopener noreferrer ugc"

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "hr")
	p.AllowAttrs("class").Matching(languageClass).OnElements("code")
	p.AllowAttrs("start").Matching(listStart).OnElements("ol")
	p.AllowAttrs("href").OnElements("a")
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(false)
	p.AllowURLSchemes("http", "https", "mailto")
	return p
}
