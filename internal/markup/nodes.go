package markup

import (
	"html"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// nodes renders what this dialect shows differently from goldmark: anchors, headings and raw HTML.
type nodes struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (nodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindAnchor, renderAnchor)
	r.Register(ast.KindHeading, renderHeading)
	r.Register(ast.KindRawHTML, renderRawHTML)
}

func renderAnchor(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, err := w.WriteString("</a>")
		return ast.WalkContinue, err
	}
	_, err := w.WriteString(`<a href="` + html.EscapeString(n.(*anchor).href) + `">`)
	return ast.WalkContinue, err
}

// renderHeading shows a heading as a bold paragraph: the outline of the page belongs to the blog.
func renderHeading(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	s := "</strong></p>\n"
	if entering {
		s = "<p><strong>"
	}
	_, err := w.WriteString(s)
	return ast.WalkContinue, err
}

func renderRawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, err := w.WriteString(html.EscapeString(string(n.(*ast.RawHTML).Segments.Value(source))))
	return ast.WalkSkipChildren, err
}
