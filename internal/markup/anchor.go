package markup

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// maxTargets bounds the bytes of all addresses of one comment: one reference definition can be used a thousand times.
const maxTargets = 64 << 10

// anchor is a link whose address has passed target. Links, autolinks and images of goldmark all become one of these
// or plain text, so that one rule holds for every way of writing an address.
type anchor struct {
	ast.BaseInline
	href string
}

var kindAnchor = ast.NewNodeKind("Anchor")

func (*anchor) Kind() ast.NodeKind { return kindAnchor }

func (a *anchor) Dump(source []byte, level int) {
	ast.DumpHelper(a, source, level, map[string]string{"href": a.href}, nil)
}

// anchors replaces every link, autolink and image of the tree.
func (d *document) anchors() {
	var links []ast.Node
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n.Kind() {
			case ast.KindLink, ast.KindImage, ast.KindAutoLink:
				links = append(links, n)
			}
		}
		return ast.WalkContinue, nil
	})
	spent := 0
	for _, n := range links { // outer before inner, so that inner ones see the anchor around them
		address, label := d.address(n)
		href, ok := target(address)
		if !ok {
			d.refused = append(d.refused, refusal{address, label})
		}
		if n.Kind() == ast.KindImage {
			d.images = append(d.images, label)
		}
		if auto, isAuto := n.(*ast.AutoLink); isAuto {
			n = spelled(auto, label)
		}
		if spent += len(href); !ok || spent > maxTargets || anchored(n) {
			unwrap(n)
			continue
		}
		d.replace(n, href, label)
	}
}

// address gives what a link points at, with escapes and entities resolved, and the text it shows.
func (d *document) address(n ast.Node) (address, label string) {
	switch n := n.(type) {
	case *ast.Link:
		return string(util.URLEscape(n.Destination, true)), d.words(n)
	case *ast.Image:
		return string(util.URLEscape(n.Destination, true)), d.words(n)
	case *ast.AutoLink:
		address = string(util.URLEscape(n.URL(d.source), false))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(address), "mailto:") {
			address = "mailto:" + address
		}
		return address, string(n.Label(d.source))
	}
	return "", ""
}

// spelled exchanges an autolink for a node that holds its text as a child, like every other link.
func spelled(auto *ast.AutoLink, label string) ast.Node {
	link := ast.NewLink()
	link.AppendChild(link, literal(label))
	auto.Parent().ReplaceChild(auto.Parent(), auto, link)
	return link
}

func literal(s string) ast.Node {
	n := ast.NewString([]byte(s))
	n.SetRaw(true) // shown as it is: neither escapes nor entities are resolved again
	return n
}

func anchored(n ast.Node) bool {
	for p := n.Parent(); p != nil && p.Type() == ast.TypeInline; p = p.Parent() {
		if p.Kind() == kindAnchor {
			return true
		}
	}
	return false
}

// replace puts an anchor where n stands. A link without text shows its address: nobody can see an empty one.
func (d *document) replace(n ast.Node, href, label string) {
	a := &anchor{href: href}
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling()
		a.AppendChild(a, c)
		c = next
	}
	if strings.TrimFunc(label, invisible) == "" && !holdsCode(a) {
		a.AppendChild(a, literal(href))
	}
	n.Parent().ReplaceChild(n.Parent(), n, a)
}

func holdsCode(n ast.Node) bool {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == ast.KindCodeSpan || holdsCode(c) {
			return true
		}
	}
	return false
}
