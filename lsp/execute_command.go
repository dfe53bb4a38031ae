package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lsp/anyfile"
)

// The commands. Their names differ from those of the VS Code extension, which registers its own.
const (
	commandCountSelection = "ctxledger.server.countSelection"
	commandExplain        = "ctxledger.server.explain"
	commandCountWorkspace = "ctxledger.server.countWorkspace"
	commandCompact        = "ctxledger.server.compact"
	commandRestore        = "ctxledger.server.restore"
	commandForget         = "ctxledger.server.forget"
	commandFollow         = "ctxledger.server.follow"
	commandHandoff        = "ctxledger.server.handoff"
	commandIgnore         = "ctxledger.server.ignore"
	commandSetWindow      = "ctxledger.server.setWindow"
	commandReadPast       = "ctxledger.server.readPast"
	commandAskServer      = "ctxledger.server.askServer"
	commandAudit          = "ctxledger.server.audit"
)

// commands returns all commands.
func commands() []string {
	return []string{commandCountSelection, commandExplain, commandCountWorkspace, commandCompact, commandRestore,
		commandForget, commandFollow, commandHandoff, commandIgnore,
		commandSetWindow, commandReadPast, commandAskServer, commandAudit}
}

// executeCommandMethod runs a command for the user.
func executeCommandMethod() method {
	return call("workspace/executeCommand", func(ctx context.Context, s *folder,
		p *protocol.ExecuteCommandParams) (any, error) {
		switch p.Command {
		case commandCountSelection:
			return s.countSelection(ctx, p.Arguments)
		case commandExplain:
			return s.explain(ctx, p.Arguments)
		case commandCountWorkspace:
			return s.countWorkspace(ctx, p.Arguments, p.WorkDoneToken)
		case commandCompact:
			return s.compact(ctx, p.Arguments, p.WorkDoneToken)
		case commandRestore:
			return s.restore(ctx, p.Arguments)
		case commandForget:
			return s.forget(ctx, p.Arguments)
		case commandFollow:
			return s.choose(ctx, p.Arguments)
		case commandHandoff:
			return s.handoff(ctx, p.Arguments)
		case commandIgnore:
			return s.ignore(ctx, p.Arguments)
		case commandSetWindow:
			return s.setWindow(p.Arguments)
		case commandReadPast:
			return s.readPast(ctx, p.WorkDoneToken)
		case commandAskServer:
			return s.askServer(ctx, p.Arguments)
		case commandAudit:
			return s.audit(ctx, p.WorkDoneToken)
		}
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown command %.1000q", p.Command)
	})
}

// argument decodes the only argument of a command, an object that may be missing. Errors: invalid.
func argument[T any](command string, args []protocol.LSPAny) (a T, err error) {
	if len(args) > 1 || len(args) == 1 && protocol.Unmarshal(args[0], &a) != nil {
		return a, fault.New(fault.Invalid, "lsp.command", "%s takes one argument, an object", command)
	}
	return a, nil
}

// countSelection shows what a part of an open document costs: one argument, a Location.
func (s *Server) countSelection(ctx context.Context, args []protocol.LSPAny) (any, error) {
	var place protocol.Location
	if len(args) != 1 || protocol.Unmarshal(args[0], &place) != nil {
		return nil, fault.New(fault.Invalid, "lsp.command", "%s takes one argument, a location", commandCountSelection)
	}
	d := s.documents.get(place.URI)
	if d == nil {
		return nil, notOpen(string(place.URI))
	}
	from, to := bytesOf(d.text, place.Range)
	return s.say(ctx, anyfile.Selection(d.folder.file(d), from, to))
}

// explain shows what an open document costs and where, for a click on its lens: one argument, its identifier.
func (s *Server) explain(ctx context.Context, args []protocol.LSPAny) (any, error) {
	document, err := argument[protocol.TextDocumentIdentifier](commandExplain, args)
	if err != nil {
		return nil, err
	}
	d := s.documents.get(document.URI)
	if d == nil {
		return nil, notOpen(string(document.URI))
	}
	return s.say(ctx, anyfile.Explain(d.folder.beside(ctx, d), d.uri.Path()))
}

// say shows a text as a message, and returns it.
func (s *Server) say(ctx context.Context, text string) (any, error) {
	err := s.client.ShowMessage(ctx, &protocol.ShowMessageParams{Type: protocol.MessageTypeInfo, Message: text})
	return protocol.String(text), err
}
