package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
)

// shutdownMethod stops everything except for waiting for exit.
func shutdownMethod() method {
	m := call(func(s *folder, _ context.Context, _ *nothing) (jsonrpc2.RawMessage, error) {
		s.enter(running, stopped)
		return nil, nil
	})
	m.inOrder = true
	return m
}
