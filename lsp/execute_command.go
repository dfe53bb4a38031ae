package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lsp/agentfile"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/graphfile"
	"ctxledger.dev/lsp/text"
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

// command runs for the user.
type command func(*folder, context.Context, *protocol.ExecuteCommandParams) (any, error)

// commands returns all commands by name.
func commands() map[string]command {
	return map[string]command{
		commandCountSelection: (*folder).countSelection,
		commandExplain:        given((*folder).explain),
		commandCountWorkspace: given((*folder).countWorkspace),
		commandCompact:        given((*folder).compact),
		commandRestore:        given((*folder).restore),
		commandForget:         given((*folder).forget),
		commandFollow:         given((*folder).choose),
		commandHandoff:        given((*folder).handoff),
		commandIgnore:         given((*folder).ignore),
		commandSetWindow:      given((*folder).setWindow),
		commandReadPast:       (*folder).readPast,
		commandAskServer:      given((*folder).askServer),
		commandAudit:          (*folder).audit,
	}
}

// given returns a command with one argument, an object that may be missing. Errors: invalid.
func given[A any](do func(*folder, context.Context, A, protocol.ProgressToken) (any, error)) command {
	return func(s *folder, ctx context.Context, p *protocol.ExecuteCommandParams) (any, error) {
		var a A
		if len(p.Arguments) > 1 || len(p.Arguments) == 1 && protocol.Unmarshal(p.Arguments[0], &a) != nil {
			return nil, fault.New(fault.Invalid, "lsp.command", "%s takes one argument, an object", p.Command)
		}
		return do(s, ctx, a, p.WorkDoneToken)
	}
}

// executeCommand runs a command for the user.
func (s *folder) executeCommand(ctx context.Context, p *protocol.ExecuteCommandParams) (any, error) {
	if run, known := commands()[p.Command]; known {
		s.awaitFigures(ctx)
		return run(s, ctx, p)
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown command %.1000q", p.Command)
}

// countSelection shows what a part of an open document costs: one argument, a Location.
func (s *Server) countSelection(ctx context.Context, p *protocol.ExecuteCommandParams) (any, error) {
	var place protocol.Location
	if len(p.Arguments) != 1 || protocol.Unmarshal(p.Arguments[0], &place) != nil {
		return nil, fault.New(fault.Invalid, "lsp.command", "%s takes one argument, a location", commandCountSelection)
	}
	d := s.documents.get(place.URI)
	if d == nil {
		return nil, notOpen(string(place.URI))
	}
	from, to := bytesOf(d.text, place.Range)
	return s.say(ctx, anyfile.Selection(d.folder.file(d), from, to))
}

// explanation is asked for of a document, or a place in it.
type explanation struct {
	URI      string             `json:"uri"`
	Position *protocol.Position `json:"position,omitempty"` // nil: all of it
}

// explain shows what an open document costs and where, or what is at a place of a context graph, for a click on a lens.
func (s *Server) explain(ctx context.Context, what explanation, _ protocol.ProgressToken) (any, error) {
	u, err := uri.Parse(what.URI)
	if err != nil {
		return nil, notOpen(what.URI)
	}
	d := s.documents.get(u)
	if d == nil {
		return nil, notOpen(what.URI)
	}
	if f, ok := d.folder.graphFile(d); ok && what.Position != nil {
		if note, ok := graphfile.Hover(f, d.text.Offset(text.Position(*what.Position))); ok {
			return s.say(ctx, plainLines(note.Text))
		}
	}
	f, uses := d.folder.beside(ctx, d), d.folder.usesOf(ctx, d)
	said := agentfile.Heads(uses, f)
	if len(said) == 0 {
		for _, l := range agentfile.Lenses(uses, f) {
			said = append(said, l.Title)
		}
	}
	if f.Use.Known() {
		said = append(said, anyfile.Lens(f, anyfile.CostOf(f)))
	}
	return s.say(ctx, strings.Join(append(said, anyfile.Explain(f, d.uri.Path())), ". "))
}

// say shows a text as a message, and returns it.
func (s *Server) say(ctx context.Context, text string) (any, error) {
	err := s.client.ShowMessage(ctx, &protocol.ShowMessageParams{Type: protocol.MessageTypeInfo, Message: text})
	return protocol.String(text), err
}
