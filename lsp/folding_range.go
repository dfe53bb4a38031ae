package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// foldingRange folds sections of two lines or more. A folded declaration shows its first line, not that of its
// comment.
func (s *folder) foldingRange(_ context.Context, d *document,
	_ *protocol.FoldingRangeParams) ([]protocol.FoldingRange, error) {
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
}
