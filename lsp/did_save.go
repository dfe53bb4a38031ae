package lsp

import (
	"path"

	"go.lsp.dev/protocol"
)

// didSave refreshes all documents after a .gitignore was saved, or a file that agents may load. The text itself is
// known already.
func (s *Server) didSave(p *protocol.DidSaveTextDocumentParams) error {
	u := p.TextDocument.URI
	s.renew(u)
	d := s.documents.get(u)
	if d != nil && path.Base(d.path) == gitignore || s.snapshot().settings.AgentFiles && couldBeAgentFile(u) {
		s.pending.refresh()
	}
	return nil
}
