package transcript

import "strings"

// A content is a string, or an array of blocks that each have a type. Anthropic's results are such, and
// all messages and results of OpenAI.

// innerBlock is one block of a content.
type innerBlock struct {
	node
	typ  string
	text string
}

// isText reports whether blocks of a type have a text: OpenAI's responses distinguish what a model reads from what
// it wrote.
func isText(typ string) bool { return typ == "text" || typ == "input_text" || typ == "output_text" }

// plainText is codec.textType where all text parts have one type.
func plainText(string) string { return "text" }

// readInner reads the blocks of the content at a span.
func readInner(src []byte, at Span) ([]innerBlock, error) {
	var inner []innerBlock
	err := eachNode(walk(src, at), src, "block", func(n node) (err error) {
		in := innerBlock{node: n}
		if in.typ, err = in.str("type", true); err == nil && isText(in.typ) {
			in.text, err = in.str("text", true)
		}
		inner = append(inner, in)
		return err
	})
	return inner, err
}

// replaceText returns the splices that put a string literal in the place of the text of a content, which
// is the member of this name: of its string, or of its first text block, while the other text blocks go
// and the rest stays. typ is the type of a text block where none is there.
func replaceText(n node, member, typ string, literal []byte) ([]splice, error) {
	at := n.get(member)
	switch n.first(at) {
	case 0:
		end := n.at.To - 1
		return []splice{{emptyAt(end), joined(`,`, string(quote(member)), `:`, string(literal))}}, nil
	case '[':
	default:
		return []splice{{at, literal}}, nil
	}
	inner, err := readInner(n.src, at)
	if err != nil {
		return nil, err
	}
	var out []splice
	spans, drop := make([]Span, len(inner)), make([]bool, len(inner))
	for i, in := range inner {
		spans[i] = in.at
		if !isText(in.typ) {
			continue
		}
		if drop[i] = out != nil; !drop[i] {
			out = append(out, splice{in.get("text"), literal})
		}
	}
	if out == nil {
		block := textBlock(typ, literal)
		if len(inner) > 0 {
			block = append(block, ',')
		}
		return []splice{{emptyAt(at.From + 1), block}}, nil
	}
	return append(out, without(spans, drop)...), nil
}

// textBlock wraps a string literal.
func textBlock(typ string, literal []byte) []byte {
	return joined(`{"type":"`, typ, `","text":`, string(literal), `}`)
}

// joined is the pieces of JSON, one behind the other.
func joined(pieces ...string) []byte { return []byte(strings.Join(pieces, "")) }
