package lsp

import (
	"go.lsp.dev/protocol"

	"ctxledger.dev/lsp/text"
)

// at returns where a byte stands.
func at(t *text.Text, offset int) protocol.Position { return protocol.Position(t.Position(offset)) }

// span returns where the bytes from from to before to stand.
func span(t *text.Text, from, to int) protocol.Range {
	return protocol.Range{Start: at(t, from), End: at(t, to)}
}

// bytesOf returns the bytes of a range, in order.
func bytesOf(t *text.Text, r protocol.Range) (from, to int) {
	from, to = t.Offset(text.Position(r.Start)), t.Offset(text.Position(r.End))
	return min(from, to), max(from, to)
}
