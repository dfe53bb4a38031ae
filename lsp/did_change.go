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
		d := s.documents.get(p.TextDocument.URI)
		if d == nil {
			return notOpen(string(p.TextDocument.URI))
		}
		if p.TextDocument.Version <= d.version {
			s.o.Log.Warn("a document went back", "from", d.version, "to", p.TextDocument.Version)
		}
		t := d.text
		for _, c := range p.ContentChanges {
			switch c := c.(type) {
			case *protocol.TextDocumentContentChangePartial:
				t = t.Edit(text.Range{Start: text.Position(c.Range.Start), End: text.Position(c.Range.End)}, c.Text)
			case *protocol.TextDocumentContentChangeWholeDocument:
				t = text.New(s.encoding(), []byte(c.Text))
			}
		}
		s.documents.put(d.with(p.TextDocument.Version, t))
		return nil
	})
}

func notOpen(u string) error {
	return fault.New(fault.NotFound, "lsp.documents", "%s is not open", fmt.Sprintf("%.200q", u))
}
