package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/lsp/records"
	"ctxledger.dev/tokens"
)

// initializeMethod answers with the capabilities that the settings enable.
func initializeMethod() method {
	m := call("initialize", func(_ context.Context, s *Server,
		p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
		if !s.enter(starting, running) {
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize comes once")
		}
		s.caps = capabilitiesOf(p.Capabilities)
		settings, wrong := defaults().read(p.InitializationOptions)
		s.initial, s.given = settings, len(p.InitializationOptions) > 0 && string(p.InitializationOptions) != "null"
		if p.ProcessID != nil {
			s.tasks.begin(func() { s.watchClient(int(*p.ProcessID)) })
		}
		problem := s.find(rootsOf(p))
		s.update(func(k *snapshot) {
			k.settings, k.wrong, k.configured = settings, wrong, s.workspace.Configured()
			if problem != nil {
				k.live = live.State{Problem: problem.Error(), Hint: fault.HintOf(problem)}
			}
		})
		s.complain()
		return &protocol.InitializeResult{
			Capabilities: s.caps.offer(settings),
			ServerInfo:   protocol.ServerInfo{Name: "ctxlsp", Version: protocol.NewOptional(s.o.Version)},
		}, nil
	})
	m.early, m.inOrder = true, true
	return m
}

// offer returns the server's capabilities with these settings, except those that are registered later.
func (a capabilities) offer(settings Settings) protocol.ServerCapabilities {
	yes, change := true, protocol.TextDocumentSyncKindIncremental
	c := protocol.ServerCapabilities{
		PositionEncoding: protocol.PositionEncodingKindUTF16,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{OpenClose: &yes, Change: &change,
			Save: protocol.Boolean(true)},
		Workspace: &protocol.WorkspaceOptions{
			TextDocumentContent: &protocol.TextDocumentContentOptions{Schemes: []string{records.Scheme}},
		},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: commands()},
	}
	for _, o := range offers() {
		if a.atStart(o, settings) {
			o.static(&c)
		}
	}
	return c
}

// find sets the workspace. Errors: why there is none; everything else works without it.
func (s *Server) find(roots []string) error {
	builtin := Configured{Models: tokens.Builtin()}
	s.workspace = Workspace{Configured: func() Configured { return builtin }}
	if s.o.Find == nil {
		return nil
	}
	found, err := s.o.Find(roots)
	if err != nil {
		s.o.Log.Warn("no workspace", "why", err.Error())
		s.lost = err
		return err
	}
	if found.Root == "" {
		return nil
	}
	if found.Configured == nil {
		found.Configured = s.workspace.Configured
	}
	s.workspace = found
	if found.Open != nil {
		s.workspace.Open = shareable(found.Open)
	}
	return nil
}
