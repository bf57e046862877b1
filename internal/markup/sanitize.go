package markup

import (
	stdhtml "html"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxPasses is far above the two that any input known needs: one to clean, one to see that nothing changes.
const maxPasses = 5

// Sanitize gives the part of an HTML fragment that policy.go allows, well-formed and in one canonical spelling. Links
// carry rel and target, blocks carry dir="auto", whatever the input said. Sanitize(Sanitize(x)) is Sanitize(x):
// the result is returned only when another pass leaves it as it is; a fragment that finds no rest is shown as text.
func Sanitize(fragment string) string {
	current := strings.ToValidUTF8(fragment, "\uFFFD")
	for range maxPasses {
		next, ok := pass(current)
		if !ok {
			break
		}
		if next == current {
			return current
		}
		current = next
	}
	return escaped(fragment)
}

// pass applies the policy, then reads the rest as a browser would and writes it out again.
func pass(fragment string) (string, bool) {
	root, err := parseHTML(policy.Sanitize(fragment))
	if err != nil { // nested deeper than the parser follows
		return "", false
	}
	settle(root)
	var b strings.Builder
	for c := root.FirstChild; c != nil; c = c.NextSibling {
		if err := html.Render(&b, c); err != nil {
			return "", false
		}
	}
	return b.String(), true
}

// parseHTML reads a fragment as the content of a div.
func parseHTML(fragment string) (*html.Node, error) {
	root := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	children, err := html.ParseFragment(strings.NewReader(fragment), root)
	if err != nil {
		return nil, err
	}
	for _, c := range children {
		root.AppendChild(c)
	}
	return root, nil
}

// settle sets the attributes below n that are ours, and takes the anchor from an address that target refuses.
func settle(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		settle(c)
		if c.Type == html.ElementNode && isolated[c.Data] {
			c.Attr = []html.Attribute{{Key: "dir", Val: "auto"}}
		}
		if c.DataAtom == atom.A {
			settleAnchor(c)
		}
		c = next
	}
}

func settleAnchor(a *html.Node) {
	if href, ok := target(attribute(a, "href")); ok {
		a.Attr = []html.Attribute{{Key: "href", Val: href}, {Key: "rel", Val: linkRel}, {Key: "target", Val: "_blank"}}
		return
	}
	for c := a.FirstChild; c != nil; c = a.FirstChild {
		a.RemoveChild(c)
		a.Parent.InsertBefore(c, a)
	}
	a.Parent.RemoveChild(a)
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// escaped shows a fragment literally.
func escaped(fragment string) string {
	return strings.ReplaceAll(stdhtml.EscapeString(normalise(fragment)), "\u0000", "")
}
