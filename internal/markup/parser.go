package markup

import (
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxContainers bounds how many quotes and lists may stand in each other; deeper markers are shown as text.
const maxContainers = 8

// engine is the one Markdown dialect. Compared with CommonMark it has no indented code (pasted prose is not code), no
// HTML blocks (tags are read inline and shown literally), line breaks where the author made them, and ~~strike~~.
var engine = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(indentable{parser.NewParagraphParser()}, 1000),
		),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)),
	goldmark.WithExtensions(
		extension.Strikethrough,
		extension.NewLinkify(
			// Prefixes are compared by case; telephones write "Https:" at the start of a sentence.
			extension.WithLinkifyAllowedProtocols([]string{"http:", "https:", "Http:", "Https:", "HTTP:", "HTTPS:"}),
			extension.WithLinkifyURLRegexp(bareURL),
			extension.WithLinkifyWWWRegexp(nothing),
			// A bare mail address stays text: a link would offer it to collectors.
			extension.WithLinkifyEmailRegexp(nothing),
		),
	),
	goldmark.WithRendererOptions(
		html.WithHardWraps(),
		renderer.WithNodeRenderers(util.Prioritized(nodes{}, 100)),
	),
)

// bareURL is an address in running text. Unlike goldmark's own pattern it knows letters of every script, so that an
// address is not cut at its first "ü", and it ends at CJK punctuation, quotes and invisible characters.
var bareURL = regexp.MustCompile(`^(?i:https?)://[\pL\pN\pM-]+(?:\.[\pL\pN\pM-]+)+(?::\d{1,5})?` +
	`(?:[/?#][^\s<>"` + "`" + `“”«»‘’\p{Cc}\p{Cf}\x{3000}-\x{303F}\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF1F}]*)?`)

// nothing matches no text; anchored, so that it does not look through the whole line for every word.
var nothing = regexp.MustCompile(`^[^\x00-\x{10FFFF}]`)

// shallow keeps a container block from opening inside too many others.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, position := reader.Position()
	// The inner parser is asked first: the list parser keeps a note in pc that only its own Open clears.
	node, state := s.BlockParser.Open(parent, reader, pc)
	if node != nil && containers(pc) >= maxContainers {
		reader.SetPosition(line, position)
		return nil, parser.NoChildren
	}
	return node, state
}

func containers(pc parser.Context) int {
	n := 0
	for _, b := range pc.OpenedBlocks() {
		switch b.Node.Kind() {
		case ast.KindList, ast.KindBlockquote:
			n++
		}
	}
	return n
}

// indentable lets a paragraph begin with four spaces or more; without it such a line would be lost, because no
// parser for indented code takes it.
type indentable struct{ parser.BlockParser }

func (indentable) CanAcceptIndentedLine() bool { return true }

// document is a parsed and tidied comment.
type document struct {
	source    []byte
	root      ast.Node
	refused   []refusal // links that became text, in order
	images    []string  // alternative texts of images, in order
	discarded []string  // names of elements that were left out with their content
	tags      []string  // raw HTML shown literally, in order
}

// refusal is a link whose address may not be one.
type refusal struct{ address, label string }

// parse reads normalised source; the tree holds only nodes that the renderer and the policy know.
func parse(source string) *document {
	d := &document{source: []byte(source)}
	d.root = engine.Parser().Parse(text.NewReader(d.source))
	d.discard()
	d.flatten()
	d.anchors()
	return d
}
