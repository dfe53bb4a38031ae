package lsp

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"go.lsp.dev/protocol"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lsp/graphfile"
	"ctxledger.dev/lsp/text"
)

// prepareRename returns the id of a context graph that is renamed at a place.
func (s *folder) prepareRename(_ context.Context, d *document,
	p *protocol.PrepareRenameParams) (protocol.PrepareRenameResult, error) {
	f, ok := s.graphFile(d)
	if !ok {
		return nil, noRename()
	}
	name, at, err := graphfile.Renameable(f, d.text.Offset(text.Position(p.Position)))
	if err != nil {
		return nil, err
	}
	return &protocol.PrepareRenamePlaceholder{Range: span(d.text, at.From, at.To), Placeholder: name}, nil
}

// rename renames an id of a context graph with all its uses.
func (s *folder) rename(_ context.Context, d *document, p *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	f, ok := s.graphFile(d)
	if !ok {
		return nil, noRename()
	}
	at := d.text.Offset(text.Position(p.Position))
	edits, err := graphfile.Rename(f, at, p.NewName)
	if err != nil {
		return nil, err
	}
	all := s.graphEdit(d, edits...)
	s.othersOpen(d, func(d *document, other graphfile.File) {
		if edits := graphfile.RenameElsewhere(f, at, p.NewName, other); len(edits) > 0 {
			more := s.graphEdit(d, edits...)
			maps.Copy(all.Changes, more.Changes)
			all.DocumentChanges = append(all.DocumentChanges, more.DocumentChanges...)
		}
	})
	return all, nil
}

// othersOpen calls do for the other context graphs that are open and have the same tree.
func (s *folder) othersOpen(d *document, do func(d *document, f graphfile.File)) {
	root, _ := s.treeOf(d)
	all := s.documents.all()
	slices.SortFunc(all, func(a, b *document) int { return cmp.Compare(a.uri, b.uri) })
	for _, other := range all {
		if other.uri == d.uri || other.folder != s {
			continue
		}
		if its, _ := s.treeOf(other); its != root {
			continue
		}
		if f, ok := s.graphFile(other); ok {
			do(other, f)
		}
	}
}

// graphEdit returns edits of a document in the protocol's form.
func (s *folder) graphEdit(d *document, edits ...graphfile.Edit) *protocol.WorkspaceEdit {
	parts := make([]graph.Span, len(edits))
	for i, e := range edits {
		parts[i] = e.Span
	}
	list := make([]protocol.TextEdit, len(edits))
	for i, r := range spans(d.text, parts) {
		list[i] = protocol.TextEdit{Range: r, NewText: edits[i].Text}
	}
	return s.caps.edit(editable{uri: d.spelled, version: &d.version, text: d.text}, list...)
}

func noRename() error {
	return fault.New(fault.Invalid, "lsp.rename", "only ids of context graphs can be renamed")
}
