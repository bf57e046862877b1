package httpapi

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// What the pages consist of, and what a comment may bring with it.
var (
	pageElements = strings.Fields("html head meta title link body header main footer nav section article h1 h2 p ol li a span bdi time div form label input textarea button details summary")
	bodyElements = strings.Fields("p br strong em del code pre blockquote ul ol li hr a")
	bodyAttrs    = strings.Fields("href rel target dir class start")
)

// inspect reads a document as a browser does and fails for everything that
// could run, load, cover or lead astray.
func inspect(t rapid.TB, text string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		inspectElement(t, n)
		if id := attr(n, "id"); id != "" && ids[id] {
			t.Fatalf("the id %q is there twice", id)
		} else if id != "" {
			ids[id] = true
		}
	}
	inspectLabels(t, root)
	return root
}

func inspectElement(t rapid.TB, n *html.Node) {
	t.Helper()
	inBody := insideBody(n)
	if allowed := pageElements; !slices.Contains(allowed, n.Data) && !(inBody && slices.Contains(bodyElements, n.Data)) {
		t.Fatalf("there is an element %s", n.Data)
	}
	if inBody && !slices.Contains(bodyElements, n.Data) {
		t.Fatalf("there is an element %s in a comment", n.Data)
	}
	for _, a := range n.Attr {
		name := strings.ToLower(a.Key)
		if strings.HasPrefix(name, "on") || name == "style" || name == "src" || name == "srcdoc" || (inBody && !slices.Contains(bodyAttrs, name)) {
			t.Fatalf("%s has the attribute %s=%q", n.Data, a.Key, a.Val)
		}
		if inBody && name == "class" && !strings.HasPrefix(a.Val, "language-") {
			t.Fatalf("a comment chose the class %q", a.Val)
		}
		if name == "href" || name == "action" || name == "formaction" {
			inspectAddress(t, n, a.Val)
		}
	}
}

// inspectAddress wants a web address, or one relative to the page: below any
// path, so never one that begins with a slash.
func inspectAddress(t rapid.TB, n *html.Node, address string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("%s leads to %q: %v", n.Data, address, err)
	}
	switch {
	case u.Scheme == "http", u.Scheme == "https", u.Scheme == "mailto":
	case u.Scheme == "" && u.Host == "" && !strings.HasPrefix(address, "/") && !strings.HasPrefix(address, `\`):
	default:
		t.Fatalf("EMB-13: %s leads to %q", n.Data, address)
	}
}

func inspectLabels(t rapid.TB, root *html.Node) {
	t.Helper()
	labels := map[string]bool{}
	for _, l := range find(root, "label") {
		labels[attr(l, "for")] = text(l) != ""
	}
	for _, n := range append(find(root, "input"), find(root, "textarea")...) {
		if attr(n, "type") != "hidden" && !labels[attr(n, "id")] {
			t.Fatalf("the field %q has no label", attr(n, "name"))
		}
	}
	for _, b := range find(root, "button") {
		if text(b) == "" {
			t.Fatal("a button has no words")
		}
	}
}

func insideBody(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if attr(p, "class") == "postil-body" && p.Data == "div" {
			return true
		}
	}
	return false
}

// find returns the elements of this name below n.
func find(n *html.Node, name string) (found []*html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == name {
			found = append(found, d)
		}
	}
	return found
}

// byID returns the element with this id, nil without one.
func byID(n *html.Node, id string) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && attr(d, "id") == id {
			return d
		}
	}
	return nil
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// text returns the words in n, with single spaces.
func text(n *html.Node) string { return strings.Join(strings.Fields(rawText(n)), " ") }

func rawText(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// fields returns what a browser would send of the form of a document.
func fields(root *html.Node) url.Values {
	values := url.Values{}
	for _, n := range find(root, "input") {
		values.Set(attr(n, "name"), attr(n, "value"))
	}
	for _, n := range find(root, "textarea") {
		values.Set(attr(n, "name"), rawText(n))
	}
	return values
}
