package lsp

import (
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// cancelMethod gives a call up. One that is answered already, or was never made, is none to give up.
func cancelMethod() method {
	return notification("$/cancelRequest", func(s *Server, p *protocol.CancelParams) error {
		switch id := p.ID.(type) {
		case protocol.Integer:
			s.inFlight.cancel(jsonrpc2.NewNumberID(int64(id)))
		case protocol.String:
			s.inFlight.cancel(jsonrpc2.NewStringID(string(id)))
		}
		return nil
	})
}
