package lsp

import (
	"path"

	"go.lsp.dev/protocol"
)

// didSaveMethod refreshes all documents after a .gitignore was saved. The text itself is known already.
func didSaveMethod() method {
	return notification("textDocument/didSave", func(s *Server, p *protocol.DidSaveTextDocumentParams) error {
		if d := s.documents.get(p.TextDocument.URI); d != nil && path.Base(d.path) == gitignore {
			s.pending.refresh()
		}
		return nil
	})
}
