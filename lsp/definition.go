package lsp

import (
	"context"
	"path/filepath"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/graph"
	"ctxledger.dev/lsp/graphfile"
	ctxtext "ctxledger.dev/lsp/text"
)

// definition returns where what a context graph names is: the heading of a block, the header of an operation that inserts it,
// or a document.
func (s *folder) definition(_ context.Context, d *document,
	p *protocol.DefinitionParams) (protocol.DefinitionResult, error) {
	f, ok := s.graphFile(d)
	if !ok {
		return nil, nil
	}
	t, ok := graphfile.TargetAt(f, d.text.Offset(ctxtext.Position(p.Position)))
	if !ok {
		return nil, nil
	}
	return protocol.LocationSlice{s.location(d, f, t)}, nil
}

// location returns the place of a target in the protocol's form.
func (s *folder) location(d *document, f graphfile.File, t graphfile.Target) protocol.Location {
	at := graph.Span{}
	if t.Block != nil || t.Inserter != nil {
		at = t.Place()
	}
	if t.Document == f.Document {
		return protocol.Location{URI: d.spelled, Range: span(d.text, at.From, at.To)}
	}
	root, _ := s.treeOf(d)
	other := ctxtext.New(d.text.Encoding(), []byte(t.Document.Source()))
	return protocol.Location{URI: uri.File(filepath.Join(root, filepath.FromSlash(t.Document.Path))),
		Range: span(other, at.From, at.To)}
}

// references returns where a context graph names the block that is named at a place.
func (s *folder) references(_ context.Context, d *document, p *protocol.ReferenceParams) ([]protocol.Location, error) {
	list := []protocol.Location{}
	f, ok := s.graphFile(d)
	if !ok {
		return list, nil
	}
	t, ok := graphfile.TargetAt(f, d.text.Offset(ctxtext.Position(p.Position)))
	if !ok || t.Document != f.Document || t.Block == nil && t.Inserter == nil {
		return list, nil
	}
	if p.Context.IncludeDeclaration {
		list = append(list, s.location(d, f, t))
	}
	for _, use := range spans(d.text, graphfile.Uses(f, t)) {
		list = append(list, protocol.Location{URI: d.spelled, Range: use})
	}
	s.othersOpen(d, func(d *document, other graphfile.File) {
		for _, use := range spans(d.text, graphfile.UsesElsewhere(other, t)) {
			list = append(list, protocol.Location{URI: d.spelled, Range: use})
		}
	})
	return list, nil
}
