package graph

import (
	"bytes"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Span is a part of a text, from byte From up to byte To.
type Span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// In returns the part of the text.
func (s Span) In(text string) string { return text[s.From:s.To] }

// Len is the length of a span in bytes.
func (s Span) Len() int { return s.To - s.From }

// moved returns the span elsewhere.
func (s Span) moved(by int) Span { return Span{s.From + by, s.To + by} }

// mark is what stands at the top of the Markdown and matters: headings and operations, and what looks like them.
type mark struct {
	at    Span // whole lines, without the end of the last one
	kind  markKind
	open  bool // a fence that is not closed
	*said      // nil: nothing is read of it
}

// read reads an operation, where it is not known already.
func (m *mark) read(from source) {
	if m.kind == operationMark && m.said == nil {
		m.said = &said{operation: readOperation(from.cut(m.at.From, m.at.To))}
	}
}

type markKind byte

// The kinds of marks.
const (
	atxHeading    markKind = iota
	setextHeading          // opens no block
	operationMark
	fenceMark
	textMark // a paragraph with a line that looks like something else
	htmlMark // a comment that is not closed, or has another one in it
	listMark // a list, a quote or HTML with a line that looks like an operation
)

// blocksOnly parses the block structure of CommonMark, with operations, and leaves text within blocks alone.
var blocksOnly = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(
		util.Prioritized(operationParser{}, 50),
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallow{parser.NewListParser()}, 300),
		util.Prioritized(shallow{parser.NewListItemParser()}, 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	))
})

// maxDeep is how deep lists and quotes are parsed: what is deeper is text of them, and none of it is at the top.
const maxDeep = 100

// shallow parses lists and quotes up to maxDeep.
type shallow struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	deep := 0
	for at := parent; at != nil && deep <= maxDeep; at = at.Parent() {
		deep++
	}
	if deep > maxDeep {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// Close implements parser.BlockParser. What is in a list or a quote at the top matters no more.
func (s shallow) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	s.BlockParser.Close(node, reader, pc)
	if in := node.Parent(); in != nil && in.Kind() == ast.KindDocument {
		node.RemoveChildren(node)
	}
}

// marksOf parses a text. open says that its last mark would go on if more followed, whatever that is.
func marksOf(source []byte) (marks []mark, open bool) {
	root := blocksOnly().Parse(text.NewReader(source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		last := n.NextSibling() == nil
		m := mark{at: Span{lineStart(source, n.Pos()), 0}}
		m.at.To = lineEnd(source, m.at.From)
		switch n := n.(type) {
		case *ast.Heading:
			m.kind, m.said = setextHeading, &said{Level: n.Level}
			if begins := bytes.TrimLeft(source[m.at.From:m.at.To], " "); bytes.HasPrefix(begins, []byte("#")) {
				title := Span{m.at.To, m.at.To}
				if lines := n.Lines(); lines.Len() > 0 {
					title = Span{lines.At(0).Start, lines.At(0).Stop}
				}
				m.kind, m.kept = atxHeading, new(kept)
				m.headingNames = namesOf(string(source[title.From:title.To]), title.From-m.at.From)
			}
		case *operationNode:
			m.kind, m.at = operationMark, Span{n.at.From, lineEnd(source, max(n.at.From, n.at.To-1))}
			open = last && !blankBehind(source, n.at.To)
		case *ast.FencedCodeBlock:
			end := m.at.To
			if lines := n.Lines(); lines.Len() > 0 {
				end = lines.At(lines.Len() - 1).Stop
			}
			m.kind = fenceMark
			m.open = last && !closesFence(source[m.at.From:m.at.To], source[min(next(source, end), len(source)):])
			open = m.open
		case *ast.HTMLBlock:
			closed := n.HasClosure()
			if n.HTMLBlockType > ast.HTMLBlockType5 { // a blank line ends it
				closed = blankBefore(source, len(source))
			}
			open = last && !closed
			m.at.To = regionEnd(source, n)
			text := source[m.at.From:m.at.To]
			switch comment := n.HTMLBlockType == ast.HTMLBlockType2; {
			case comment && bytes.Count(text, []byte("<!--")) > bytes.Count(text, []byte("-->")):
				m.kind, m.open = htmlMark, true
			case n.HTMLBlockType <= ast.HTMLBlockType5 || bytes.IndexByte(text, '@') < 0 || !seemsStep(string(text)):
				continue
			default:
				m.kind = listMark
			}
		case *ast.List, *ast.Blockquote:
			m.kind, m.at.To = listMark, regionEnd(source, n)
			if text := source[m.at.From:m.at.To]; bytes.IndexByte(text, '@') < 0 || !seemsStep(string(text)) {
				continue
			}
		case *ast.Paragraph:
			m.kind = textMark
			if lines := n.Lines(); lines.Len() > 0 {
				m.at.To = lineEnd(source, lines.At(lines.Len()-1).Start)
			}
			if !odd(source[m.at.From:m.at.To]) {
				continue
			}
		default:
			continue
		}
		marks = append(marks, m)
	}
	return marks, open
}

// regionEnd returns where what is behind a node at the top begins.
func regionEnd(source []byte, n ast.Node) int {
	if next := n.NextSibling(); next != nil {
		return lineStart(source, next.Pos())
	}
	return len(source)
}

// lineStart returns where the line of an offset begins.
func lineStart(source []byte, at int) int {
	return bytes.LastIndexByte(source[:min(at, len(source))], '\n') + 1
}

// lineEnd returns where the line of an offset ends, without its line feed and a carriage return before it.
func lineEnd(source []byte, at int) int {
	end := len(source)
	if i := bytes.IndexByte(source[at:], '\n'); i >= 0 {
		end = at + i
	}
	if end > 0 && end < len(source) && source[end-1] == '\r' {
		end--
	}
	return end
}

// next returns where the line behind that of an offset begins.
func next(source []byte, at int) int {
	if at > 0 && at <= len(source) && source[at-1] == '\n' {
		return at
	}
	if i := bytes.IndexByte(source[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(source)
}

// blankBehind reports whether a blank line stands at an offset.
func blankBehind(source []byte, at int) bool {
	rest := source[min(at, len(source)):]
	line, _, ended := bytes.Cut(rest, []byte("\n"))
	return ended && len(bytes.TrimSpace(line)) == 0
}

// closesFence reports whether a text begins with the line that closes a fence.
func closesFence(fence, rest []byte) bool {
	fence = bytes.TrimLeft(fence, " ")
	long := len(fence) - len(bytes.TrimLeft(fence, string(fence[:1])))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	signs := bytes.TrimLeft(line, " ")
	behind := bytes.TrimLeft(signs, string(fence[:1]))
	return len(line)-len(signs) < 4 && len(signs)-len(behind) >= long && len(bytes.TrimSpace(behind)) == 0
}
