package lsp

import (
	"context"
	"maps"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ctxledger.dev/records"
)

// initializeMethod answers with the capabilities that the settings enable.
func initializeMethod() method {
	m := call(func(s *folder, _ context.Context,
		p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
		if !s.enter(starting, running) {
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "already initialized")
		}
		s.caps = capabilitiesOf(p.Capabilities)
		settings, wrong := defaults().read(p.InitializationOptions)
		s.initial, s.given = settings, len(p.InitializationOptions) > 0 && string(p.InitializationOptions) != "null"
		if p.ProcessID != nil {
			s.tasks.begin(func() { s.watchClient(int(*p.ProcessID)) })
		}
		s.Server.update(func(k *snapshot) { k.settings, k.wrong = settings, wrong })
		s.roots = rootsOf(p)
		s.arrange(s.roots)
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
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{Supported: &yes,
				ChangeNotifications: protocol.Boolean(true)},
			TextDocumentContent: &protocol.TextDocumentContentOptions{Schemes: []string{records.Scheme}},
		},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: slices.Sorted(maps.Keys(commands()))},
	}
	for _, o := range offers() {
		if a.atStart(o, settings) {
			o.static(&c)
		}
	}
	return c
}
