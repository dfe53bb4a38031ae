package lsp

import "go.lsp.dev/protocol"

// didCloseMethod forgets a document.
func didCloseMethod() method {
	return notification("textDocument/didClose", func(s *Server, p *protocol.DidCloseTextDocumentParams) error {
		if s.documents.close(p.TextDocument.URI) == nil {
			return notOpen(string(p.TextDocument.URI))
		}
		return nil
	})
}
