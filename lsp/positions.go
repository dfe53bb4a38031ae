package lsp

import (
	"go.lsp.dev/protocol"

	"ctxledger.dev/graph"
	"ctxledger.dev/lsp/text"
)

// at returns the position of a byte.
func at(t *text.Text, offset int) protocol.Position { return protocol.Position(t.Position(offset)) }

// span returns the range of the bytes in [from,to).
func span(t *text.Text, from, to int) protocol.Range {
	return protocol.Range{Start: at(t, from), End: at(t, to)}
}

// spans returns the ranges of parts of a text in its order.
func spans(t *text.Text, parts []graph.Span) []protocol.Range {
	cursor := t.Cursor()
	list := make([]protocol.Range, len(parts))
	for i, p := range parts {
		list[i].Start = protocol.Position(cursor.Position(p.From))
		list[i].End = protocol.Position(cursor.Position(p.To))
	}
	return list
}

// bytesOf returns the byte offsets of a range, the smaller first.
func bytesOf(t *text.Text, r protocol.Range) (from, to int) {
	from, to = t.Offset(text.Position(r.Start)), t.Offset(text.Position(r.End))
	return min(from, to), max(from, to)
}
