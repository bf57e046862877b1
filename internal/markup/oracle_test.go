package markup

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What the tests allow, written down a second time and on purpose not derived from policy.go: an element or attribute
// that slips in there fails here.
var allowed = map[string]map[string]*regexp.Regexp{
	"p": blockAttributes, "li": blockAttributes, "blockquote": blockAttributes, "pre": blockAttributes,
	"br": nil, "hr": nil, "strong": nil, "em": nil, "del": nil, "ul": nil,
	"ol":   {"start": regexp.MustCompile(`^\d{1,9}$`)},
	"code": {"class": regexp.MustCompile(`^language-[\w+#.-]+$`)},
	"a": {
		"href":   regexp.MustCompile(`^(https?://[^/?#@]|mailto:[^/])`),
		"rel":    regexp.MustCompile(`^nofollow noopener noreferrer ugc$`),
		"target": regexp.MustCompile(`^_blank$`),
	},
}

var blockAttributes = map[string]*regexp.Regexp{"dir": regexp.MustCompile(`^auto$`)}

// unsafe walks HTML as a browser's parser reads it and says what is in it that a comment may never hold; "" if nothing.
func unsafe(fragment string) string {
	for _, context := range []atom.Atom{atom.Div, atom.Body, atom.Template, atom.Td} {
		root := &html.Node{Type: html.ElementNode, Data: context.String(), DataAtom: context}
		nodes, err := html.ParseFragment(strings.NewReader(fragment), root)
		if err != nil {
			return err.Error()
		}
		for _, n := range nodes {
			if fault := faultOf(n); fault != "" {
				return fmt.Sprintf("in %s: %s", context, fault)
			}
			for d := range n.Descendants() {
				if fault := faultOf(d); fault != "" {
					return fmt.Sprintf("in %s: %s", context, fault)
				}
			}
		}
	}
	return ""
}

func faultOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return ""
	}
	attributes, ok := allowed[n.Data]
	if n.Type != html.ElementNode || n.Namespace != "" || !ok {
		return fmt.Sprintf("node %q of type %d", n.Data, n.Type)
	}
	for _, a := range n.Attr {
		if pattern := attributes[a.Key]; pattern == nil || a.Namespace != "" || !pattern.MatchString(a.Val) {
			return fmt.Sprintf("attribute %s=%q on %s", a.Key, a.Val, n.Data)
		}
	}
	if n.Data == "a" {
		return faultOfAnchor(n)
	}
	if _, block := attributes["dir"]; block && attribute(n, "dir") != "auto" {
		return n.Data + " without dir"
	}
	return ""
}

func faultOfAnchor(a *html.Node) string {
	for _, key := range []string{"href", "rel", "target"} {
		if attribute(a, key) == "" {
			return "anchor without " + key
		}
	}
	for p := a.Parent; p != nil; p = p.Parent {
		if p.Data == "a" {
			return "anchor in an anchor"
		}
	}
	u, err := url.Parse(attribute(a, "href"))
	switch {
	case err != nil:
		return err.Error()
	case u.Scheme == "mailto" && strings.Contains(u.Opaque, "@"):
		return ""
	case (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil:
		return ""
	}
	return "address " + u.String()
}

// mustBeSafe fails when html holds something active or is not at rest.
func mustBeSafe(t interface {
	Helper()
	Errorf(string, ...any)
}, input, html string) {
	t.Helper()
	if fault := unsafe(html); fault != "" {
		t.Errorf("%q gives %q: %s", input, html, fault)
	}
	if again := Sanitize(html); again != html {
		t.Errorf("%q gives %q, which is sanitised again to %q", input, html, again)
	}
}

// hrefs lists what html links to, found without the package's own code for it.
func hrefs(t *testing.T, fragment string) []string {
	t.Helper()
	var found []string
	for z := html.NewTokenizer(strings.NewReader(fragment)); z.Next() != html.ErrorToken; {
		for _, a := range z.Token().Attr {
			if a.Key == "href" || a.Key == "src" {
				found = append(found, a.Val)
			}
		}
	}
	return found
}

func TestTheOracleNoticesWhatMustNotBeThere(t *testing.T) {
	for _, bad := range []string{
		`<img src=x onerror=1>`, `<script>1</script>`, `<p dir="auto" style="x">a</p>`, `<p>a</p>`, `<svg><a></a></svg>`,
		`<a href="javascript:0" rel="nofollow noopener noreferrer ugc" target="_blank">a</a>`, `<!-- a -->`,
		`<a href="https://a.b">a</a>`, `<code class="host">a</code>`, `<a href="/x" rel="nofollow noopener noreferrer ugc" target="_blank">a</a>`,
	} {
		if unsafe(bad) == "" {
			t.Errorf("%s passes", bad)
		}
	}
}
