package graph

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
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
	case before.Kind() == ast.KindHTMLBlock &&
		disabled().Match(bytes.TrimRight(source[lineStart(source, from-1):from], "\r\n")):
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

// startsOperation reports whether a text begins with an operation: a name that is known, or that has a parameter below it.
func startsOperation(rest []byte) bool {
	line, below, _ := bytes.Cut(rest[:min(len(rest), 4096)], []byte("\n"))
	name := operationName(line)
	if name == nil {
		return false
	}
	if _, known := operations[strings.ToLower(string(name))]; known {
		return true
	}
	return isKeyLine(firstLine(below))
}

// operationName returns the name of an operation in its first line; nil: it is none.
func operationName(line []byte) []byte {
	if len(line) < 2 || line[0] != '@' || !isLetter(line[1]) {
		return nil
	}
	end := 2
	for end < len(line) && (isWord(line[end]) || line[end] == '-') {
		end++
	}
	if len(bytes.TrimLeft(bytes.TrimSuffix(line[end:], []byte("\r")), " \t")) > 0 {
		return nil
	}
	return line[1:end]
}

// isKeyLine reports whether a line begins with a parameter: a name, and a colon behind it.
func isKeyLine[T string | []byte](line T) bool {
	if len(line) == 0 || !isLetter(line[0]) && line[0] != '_' {
		return false
	}
	at := 1
	for at < len(line) && (isWord(line[at]) || line[at] == '-') {
		at++
	}
	for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
		at++
	}
	if at == len(line) || line[at] != ':' {
		return false
	}
	rest := line[at+1:]
	return len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t' || len(rest) == 1 && rest[0] == '\r'
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isWord(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '_' }

// opensScalar reports whether a line opens a block scalar: a key, and | or > behind its colon. indent is how far the key is
// indented.
func opensScalar(line []byte) (indent int, opens bool) {
	for indent < len(line) && (line[indent] == ' ' || line[indent] == '\t') {
		indent++
	}
	rest := line[indent:]
	if len(rest) == 0 || strings.IndexByte(" \t\n\f\r\v#:", rest[0]) >= 0 {
		return 0, false
	}
	_, value, found := bytes.Cut(rest[1:], []byte(":"))
	sign := bytes.TrimLeft(value, " \t")
	if !found || len(sign) == len(value) || len(sign) == 0 || sign[0] != '|' && sign[0] != '>' {
		return 0, false
	}
	behind := bytes.TrimLeft(bytes.TrimLeft(sign[1:], "-+0123456789"), " \t")
	return indent, len(behind) == 0 || behind[0] == '#' || string(behind) == "\r"
}

// odd reports whether a paragraph has a line that looks like a heading, an operation or a parameter.
func odd(text []byte) bool {
	return isKeyLine(firstLine(text)) || bytes.Contains(text, []byte("#######")) ||
		bytes.IndexByte(text, '@') >= 0 && (bytes.HasPrefix(text, []byte("@")) || bytes.Contains(text, []byte("\n@")) ||
			seemsStep(string(text)))
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
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
			if indent, opens := opensScalar(line); opens {
				scalar = indent
			}
		}
		at = end
		if at > maxOperation {
			return at
		}
	}
	return at
}
