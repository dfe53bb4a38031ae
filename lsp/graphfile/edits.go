package graphfile

import (
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/graph"
)

// Edit replaces a part of a document.
type Edit struct {
	graph.Span
	Text string
}

// applied returns a document after edits that do not overlap.
func applied(d *graph.Document, edits []Edit) *graph.Document {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.From, b.From) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(d.Source()[at:e.From] + e.Text)
		at = e.To
	}
	b.WriteString(d.Source()[at:])
	return d.Again(b.String())
}
