package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"ctxledger.dev/lsp/graphfile"
	"ctxledger.dev/lsp/outline"
)

// foldingRange folds sections of two lines or more. A folded declaration shows its first line, not that of its
// comment.
func (s *folder) foldingRange(_ context.Context, d *document,
	_ *protocol.FoldingRangeParams) ([]protocol.FoldingRange, error) {
	if !s.snapshot().settings.Folding {
		return nil, nil
	}
	folds := []protocol.FoldingRange{}
	for _, section := range s.sections(d) {
		first, last := d.text.LineAt(section.Decl), d.text.LineAt(section.To)
		if last > first {
			folds = append(folds, protocol.FoldingRange{StartLine: uint32(first), EndLine: uint32(last)})
		}
	}
	return folds, nil
}

// sections returns the sections of a document: of a context graph its blocks and operations.
func (s *folder) sections(d *document) (out []outline.Section) {
	if f, ok := s.graphFile(d); ok {
		return graphfile.Sections(f)
	}
	for i := range d.outline.Len() {
		out = append(out, d.outline.Section(i))
	}
	return out
}
