package lsp

import (
	"fmt"

	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lsp/text"
)

// didChange applies edits in the order of their messages, whatever their versions.
func (s *Server) didChange(p *protocol.DidChangeTextDocumentParams) error {
	d := s.documents.edit(p.TextDocument.URI, func(d *document) *document {
		if p.TextDocument.Version <= d.version {
			s.o.Log.Warn("a document version went backwards", "from", d.version, "to", p.TextDocument.Version)
		}
		return d.changed(p.TextDocument.Version, p.ContentChanges)
	})
	if d == nil {
		return notOpen(string(p.TextDocument.URI))
	}
	s.documents.used(d.uri)
	s.examine(d)
	return nil
}

// changed returns a document after changes, applied one after the other.
func (d document) changed(version int32, changes []protocol.TextDocumentContentChangeEvent) *document {
	d.version = version
	for _, c := range changes {
		switch c := c.(type) {
		case *protocol.TextDocumentContentChangePartial:
			d = *d.edited(text.Range{Start: text.Position(c.Range.Start), End: text.Position(c.Range.End)}, c.Text)
		case *protocol.TextDocumentContentChangeWholeDocument:
			d = *d.with(version, text.New(d.text.Encoding(), []byte(c.Text)))
		}
	}
	return &d
}

func notOpen(u string) error {
	return fault.New(fault.NotFound, "lsp.documents", "%s is not open", fmt.Sprintf("%.1000q", u))
}
