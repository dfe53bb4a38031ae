package lsp

import (
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// cancel cancels a call. An unknown id is ignored: the call may have been answered.
func (s *Server) cancel(p *protocol.CancelParams) error {
	switch id := p.ID.(type) {
	case protocol.Integer:
		s.inFlight.cancel(jsonrpc2.NewNumberID(int64(id)))
	case protocol.String:
		s.inFlight.cancel(jsonrpc2.NewStringID(string(id)))
	}
	return nil
}
