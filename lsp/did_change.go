package lsp

import (
	"fmt"

	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lsp/text"
)

// didChangeMethod applies edits. The order in which they come is the order in which they were made,
// whatever their versions say.
func didChangeMethod() method {
	return notification("textDocument/didChange", func(s *Server, p *protocol.DidChangeTextDocumentParams) error {
		d := s.documents.edit(p.TextDocument.URI, func(d *document) *document {
			if p.TextDocument.Version <= d.version {
				s.o.Log.Warn("a document went back", "from", d.version, "to", p.TextDocument.Version)
			}
			return d.with(p.TextDocument.Version, s.applied(d.text, p.ContentChanges))
		})
		if d == nil {
			return notOpen(string(p.TextDocument.URI))
		}
		s.examine(d)
		return nil
	})
}

// applied returns a text with changes, each made to what the one before left.
func (s *Server) applied(t *text.Text, changes []protocol.TextDocumentContentChangeEvent) *text.Text {
	for _, c := range changes {
		switch c := c.(type) {
		case *protocol.TextDocumentContentChangePartial:
			t = t.Edit(text.Range{Start: text.Position(c.Range.Start), End: text.Position(c.Range.End)}, c.Text)
		case *protocol.TextDocumentContentChangeWholeDocument:
			t = text.New(t.Encoding(), []byte(c.Text))
		}
	}
	return t
}

func notOpen(u string) error {
	return fault.New(fault.NotFound, "lsp.documents", "%s is not open", fmt.Sprintf("%.200q", u))
}
