package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// foldingRangeMethod folds sections of two lines or more. What stays of a folded declaration is its own first
// line, not that of the comment before it.
func foldingRangeMethod() method {
	of := func(p *protocol.FoldingRangeParams) uri.URI { return p.TextDocument.URI }
	return about("textDocument/foldingRange", of, func(_ context.Context, s *Server, d *document, _ *protocol.FoldingRangeParams) ([]protocol.FoldingRange, error) {
		if !s.snapshot().settings.Folding {
			return nil, nil
		}
		folds := []protocol.FoldingRange{}
		for i := range d.outline.Len() {
			section := d.outline.Section(i)
			first, last := d.text.LineAt(section.Decl), d.text.LineAt(section.To)
			if last > first {
				folds = append(folds, protocol.FoldingRange{StartLine: uint32(first), EndLine: uint32(last)})
			}
		}
		return folds, nil
	})
}
