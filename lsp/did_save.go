package lsp

import (
	"path"

	"go.lsp.dev/protocol"
)

// didSaveMethod takes in that a document was saved. Its text is known already; what git ignores may be another
// matter now.
func didSaveMethod() method {
	return notification("textDocument/didSave", func(s *Server, p *protocol.DidSaveTextDocumentParams) error {
		if d := s.documents.get(p.TextDocument.URI); d != nil && path.Base(d.path) == gitignore {
			s.pending.refresh()
		}
		return nil
	})
}
