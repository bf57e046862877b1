package markup

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// maxInline bounds how deep emphasis may be nested; more makes no difference to the eye.
const maxInline = 8

// discard removes every script or style element together with its content. An opening tag that is never closed is
// prose about a tag and stays, as literal text.
func (d *document) discard() {
	leaves := leavesOf(d.root)
	closer := make([]int, len(leaves)) // for an opening tag the index of its closing tag, else 0
	last := map[string]int{}
	for i := len(leaves) - 1; i >= 0; i-- {
		switch name, closing := d.tag(leaves[i]); {
		case name == "":
		case closing:
			last[name] = i
		default:
			closer[i] = last[name]
		}
	}
	for i := 0; i < len(leaves); i++ {
		if closer[i] == 0 {
			d.noteTag(leaves[i])
			continue
		}
		name, _ := d.tag(leaves[i])
		d.discarded = append(d.discarded, name)
		for end := closer[i]; i < end; i++ {
			prune(leaves[i])
		}
		prune(leaves[i])
	}
}

// leavesOf lists the nodes that carry content, in reading order.
func leavesOf(root ast.Node) []ast.Node {
	var leaves []ast.Node
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && (n.FirstChild() == nil || n.Kind() == ast.KindCodeSpan) {
			leaves = append(leaves, n)
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return leaves
}

// tag gives the name of a raw tag whose content is never shown, and whether it is the closing one.
func (d *document) tag(n ast.Node) (name string, closing bool) {
	raw, ok := n.(*ast.RawHTML)
	if !ok {
		return "", false
	}
	b := bytes.TrimPrefix(raw.Segments.Value(d.source), []byte("<"))
	b, closing = bytes.CutPrefix(b, []byte("/"))
	if end := bytes.IndexAny(b, " \t\n/>"); end >= 0 {
		b = b[:end]
	}
	switch {
	case asciiEqualFold(b, "script"):
		return "script", closing
	case asciiEqualFold(b, "style"):
		return "style", closing
	}
	return "", false
}

// asciiEqualFold compares as HTML does: only A-Z and a-z are the same letter, never U+0130 or U+212A.
func asciiEqualFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

func (d *document) noteTag(n ast.Node) {
	if raw, ok := n.(*ast.RawHTML); ok {
		d.tags = append(d.tags, string(raw.Segments.Value(d.source)))
	}
}

// prune removes a node and the ancestors that it leaves empty.
func prune(n ast.Node) {
	for p := n.Parent(); p != nil; n, p = p, p.Parent() {
		p.RemoveChild(p, n)
		if p.FirstChild() != nil {
			return
		}
	}
}

// flatten takes away emphasis below maxInline. Outer nodes go first, so that every node moves at most once.
func (d *document) flatten() {
	depth := 0
	var deep []ast.Node
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Kind() != ast.KindEmphasis && n.Kind() != extast.KindStrikethrough {
			return ast.WalkContinue, nil
		}
		if !entering {
			depth--
			return ast.WalkContinue, nil
		}
		if depth++; depth > maxInline {
			deep = append(deep, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range deep {
		unwrap(n)
	}
}

// unwrap puts the children of n in its place.
func unwrap(n ast.Node) {
	parent := n.Parent()
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling()
		parent.InsertBefore(parent, n, c)
		c = next
	}
	parent.RemoveChild(parent, n)
}

// words gives the text below an inline node, as far as it is typed by the author.
func (d *document) words(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(d.source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(d.source))
		case *ast.RawHTML:
			b.Write(n.Segments.Value(d.source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
