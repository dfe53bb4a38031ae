package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/lsp/anyfile"
)

// kindCount is the kind of the action that counts.
const kindCount protocol.CodeActionKind = "source.ctxledger.count"

// codeActionMethod offers to count what is selected; the title says it already.
func codeActionMethod() method {
	of := func(p *protocol.CodeActionParams) uri.URI { return p.TextDocument.URI }
	return about("textDocument/codeAction", of, func(_ context.Context, s *Server, d *document, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
		from, to := bytesOf(d.text, p.Range)
		if from == to || !s.known().settings.CountSelection || !wanted(p.Context.Only, kindCount) {
			return nil, nil
		}
		place, err := protocol.Marshal(&protocol.Location{URI: d.spelled, Range: p.Range})
		if err != nil {
			return nil, err
		}
		title, kind := anyfile.Selection(s.file(d), from, to), kindCount
		count := protocol.Command{Title: title, Command: commandCountSelection, Arguments: []protocol.LSPAny{place}}
		if !s.able.actions {
			return []protocol.CommandOrCodeAction{&count}, nil
		}
		return []protocol.CommandOrCodeAction{&protocol.CodeAction{Title: title, Kind: &kind, Command: count}}, nil
	})
}

// wanted reports whether a client that asks only for some kinds of actions asks for this one.
func wanted(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	for _, k := range only {
		if k == kind || len(kind) > len(k) && kind[:len(k)] == k && kind[len(k)] == '.' {
			return true
		}
	}
	return len(only) == 0
}
