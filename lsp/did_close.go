package lsp

import "go.lsp.dev/protocol"

// didCloseMethod closes a document.
func didCloseMethod() method {
	return notification("textDocument/didClose", func(s *Server, p *protocol.DidCloseTextDocumentParams) error {
		d := s.documents.close(p.TextDocument.URI)
		if d == nil {
			return notOpen(string(p.TextDocument.URI))
		}
		s.renew(d.uri)
		s.examine(d)
		return nil
	})
}
