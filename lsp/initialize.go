package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// initializeMethod says what the server can, as far as the settings want it.
func initializeMethod() method {
	m := call("initialize", func(_ context.Context, s *Server, p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
		if !s.enter(starting, running) {
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize comes once")
		}
		s.able = abilitiesOf(p.Capabilities)
		settings, err := readSettings(p.InitializationOptions)
		if err != nil {
			s.o.Log.Warn("settings", "why", err.Error())
		}
		s.set(settings)
		return &protocol.InitializeResult{
			Capabilities: capabilities(settings),
			ServerInfo:   protocol.ServerInfo{Name: "ctxlsp", Version: protocol.NewOptional(s.o.Version)},
		}, nil
	})
	m.early, m.inOrder = true, true
	return m
}

// capabilities are what the server offers with these settings. What is switched off is not offered: an
// editor would ask in vain, or leave out something of its own for it.
func capabilities(settings Settings) protocol.ServerCapabilities {
	yes, change := true, protocol.TextDocumentSyncKindIncremental
	c := protocol.ServerCapabilities{
		PositionEncoding:       protocol.PositionEncodingKindUTF16,
		TextDocumentSync:       &protocol.TextDocumentSyncOptions{OpenClose: &yes, Change: &change},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: []string{commandCountSelection}},
	}
	if settings.Lens != showOff {
		c.CodeLensProvider = &protocol.CodeLensOptions{}
	}
	if settings.Hover != showOff {
		c.HoverProvider = protocol.Boolean(true)
	}
	if settings.Hints > 0 {
		c.InlayHintProvider = protocol.Boolean(true)
	}
	if settings.Symbols {
		c.DocumentSymbolProvider = protocol.Boolean(true)
	}
	if settings.Folding {
		c.FoldingRangeProvider = protocol.Boolean(true)
	}
	if settings.CountSelection {
		c.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{kindCount}}
	}
	return c
}
