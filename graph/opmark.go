package graph

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"ctxledger.dev/internal/pattern"
)

// maxOperation is the longest operation, in bytes.
const maxOperation = 4 << 20

// operationNode is an operation among the blocks of CommonMark.
type operationNode struct {
	ast.BaseBlock
	at Span // its lines
}

var operationKind = ast.NewNodeKind("Operation")

// Kind implements ast.Node.
func (*operationNode) Kind() ast.NodeKind { return operationKind }

// IsRaw implements ast.Node: nothing inside is Markdown.
func (*operationNode) IsRaw() bool { return true }

// Dump implements ast.Node.
func (n *operationNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// operationParser finds operations where CommonMark would begin a paragraph at the top of the document.
type operationParser struct{}

// Trigger implements parser.BlockParser.
func (operationParser) Trigger() []byte { return []byte{'@'} }

// Open implements parser.BlockParser. An operation begins behind a blank line, a heading or another operation.
func (operationParser) Open(parent ast.Node, reader text.Reader, _ parser.Context) (ast.Node, parser.State) {
	source := reader.Source()
	_, line := reader.PeekLine()
	from := line.Start
	if parent.Kind() != ast.KindDocument || line.Padding > 0 || from != lineStart(source, from) {
		return nil, parser.NoChildren
	}
	before := parent.LastChild()
	switch {
	case from == 0, blankBefore(source, from), before == nil:
	case before.Kind() == ast.KindHeading, before.Kind() == operationKind:
	default:
		return nil, parser.NoChildren
	}
	if !startsOperation(source[from:]) {
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	return &operationNode{at: Span{from, from + operationLen(source[from:])}}, parser.NoChildren
}

// Continue implements parser.BlockParser.
func (operationParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	_, line := reader.PeekLine()
	if line.Start >= node.(*operationNode).at.To {
		return parser.Close
	}
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

// Close implements parser.BlockParser.
func (operationParser) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph implements parser.BlockParser.
func (operationParser) CanInterruptParagraph() bool { return false }

// CanAcceptIndentedLine implements parser.BlockParser.
func (operationParser) CanAcceptIndentedLine() bool { return false }

// blankBefore reports whether the line before the one at an offset is blank.
func blankBefore(source []byte, at int) bool {
	return at > 0 && len(bytes.TrimSpace(source[lineStart(source, at-1):at])) == 0
}

// The lines of operations.
var (
	nameLine   = pattern.Lazy(`^@([A-Za-z][A-Za-z0-9_-]*)[ \t]*\r?$`)
	keyLine    = pattern.Lazy(`^[A-Za-z_][\w-]*[ \t]*:([ \t]|\r?$)`)
	scalarLine = pattern.Lazy(`^([ \t]*)(?:- )*[^\s#:][^:]*:[ \t]+[|>][-+0-9]*[ \t]*(#.*)?\r?$`)
)

// startsOperation reports whether a text begins with an operation: a name that is known, or that has a parameter below it.
func startsOperation(rest []byte) bool {
	line, below, _ := bytes.Cut(rest[:min(len(rest), 4096)], []byte("\n"))
	name := nameLine().FindSubmatch(line)
	if name == nil {
		return false
	}
	if _, known := operations[strings.ToLower(string(name[1]))]; known {
		return true
	}
	parameter, _, _ := bytes.Cut(below, []byte("\n"))
	return keyLine().Match(parameter)
}

// operationLen returns how many bytes of a text the operation at its beginning has: up to the first blank line that no block
// scalar goes on behind, the next operation, or the end.
func operationLen(rest []byte) int {
	at, scalar := 0, -1 // scalar is how far the key of an open block scalar is indented
	for first := true; at < len(rest); first = false {
		end := len(rest)
		if i := bytes.IndexByte(rest[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := bytes.TrimSuffix(rest[at:end], []byte("\n"))
		switch {
		case first:
		case len(bytes.TrimSpace(line)) == 0:
			behind := at + len(rest[at:]) - len(bytes.TrimLeft(rest[at:], " \t\r\n"))
			begin := lineStart(rest, behind)
			if scalar < 0 || behind >= len(rest) || behind-begin <= scalar {
				return at
			}
			end = begin
		case scalar >= 0 && len(line)-len(bytes.TrimLeft(line, " ")) > scalar:
		case startsOperation(rest[at:]):
			return at
		default:
			scalar = -1
			if m := scalarLine().FindSubmatchIndex(line); m != nil {
				scalar = m[3] - m[2]
			}
		}
		at = end
		if at > maxOperation {
			return at
		}
	}
	return at
}
