package lsp

import "go.lsp.dev/protocol"

// didClose closes a document.
func (s *Server) didClose(p *protocol.DidCloseTextDocumentParams) error {
	d := s.documents.close(p.TextDocument.URI)
	if d == nil {
		return notOpen(string(p.TextDocument.URI))
	}
	s.renew(d.uri)
	s.examine(d)
	return nil
}
