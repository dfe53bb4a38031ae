package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/tokens"
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
		s.given = len(p.InitializationOptions) > 0 && string(p.InitializationOptions) != "null"
		problem := s.find(rootsOf(p))
		s.know(func(k *known) {
			k.settings, k.models = settings, s.place.Models
			if problem != nil {
				k.live = live.State{Problem: problem.Error(), Hint: fault.HintOf(problem)}
			}
		})
		return &protocol.InitializeResult{
			Capabilities: s.able.offer(settings),
			ServerInfo:   protocol.ServerInfo{Name: "ctxlsp", Version: protocol.NewOptional(s.o.Version)},
		}, nil
	})
	m.early, m.inOrder = true, true
	return m
}

// offer is what the server offers with these settings. What is switched off is not offered: an
// editor would ask in vain, or leave out something of its own for it.
func (a abilities) offer(settings Settings) protocol.ServerCapabilities {
	yes, change := true, protocol.TextDocumentSyncKindIncremental
	c := protocol.ServerCapabilities{
		PositionEncoding:       protocol.PositionEncodingKindUTF16,
		TextDocumentSync:       &protocol.TextDocumentSyncOptions{OpenClose: &yes, Change: &change, Save: protocol.Boolean(true)},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: []string{commandCountSelection, commandCountWorkspace}},
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
	if kinds := settings.actions(); len(kinds) > 0 {
		c.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: kinds}
	}
	if len(settings.Diagnostics) > 0 && a.pull {
		c.DiagnosticProvider = &protocol.DiagnosticOptions{}
	}
	return c
}

// find takes in where the client is. Errors: why there is no workspace; nothing else is missing then.
func (s *Server) find(roots []string) error {
	s.place = Place{Models: tokens.Builtin()}
	if s.o.Find == nil {
		return nil
	}
	place, err := s.o.Find(roots)
	if err != nil {
		s.o.Log.Warn("no workspace", "why", err.Error())
		return err
	}
	if place.Models != nil {
		s.place = place
	}
	return nil
}
