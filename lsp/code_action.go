package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"ctxledger.dev/lsp/anyfile"
)

// kindCount is the kind of the counting action.
const kindCount protocol.CodeActionKind = "source.ctxledger.count"

// codeAction offers quick fixes and counting of the selection.
func (s *folder) codeAction(ctx context.Context, d *document,
	p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	var list []protocol.CommandOrCodeAction
	for _, kind := range s.snapshot().settings.actions() {
		if !wanted(p.Context.Only, kind) {
			continue
		}
		switch kind {
		case protocol.CodeActionKindQuickFix:
			list = append(list, s.fixes(ctx, d, p.Context.Diagnostics)...)
			list = append(list, s.graphFixes(d, p.Context.Diagnostics)...)
		case protocol.CodeActionKindRefactorRewrite:
			list = append(list, s.refactorings(d, p.Range)...)
		case kindCount:
			counting, err := s.counting(d, p.Range)
			if err != nil {
				return nil, err
			}
			list = append(list, counting...)
		}
	}
	return list, nil
}

// actions returns the kinds of actions that the settings enable.
func (s Settings) actions() (kinds []protocol.CodeActionKind) {
	if s.Graphs || s.AgentFiles || slices.Contains(s.Diagnostics, anyfile.Generated) {
		kinds = append(kinds, protocol.CodeActionKindQuickFix)
	}
	if s.Graphs {
		kinds = append(kinds, protocol.CodeActionKindRefactorRewrite)
	}
	if s.CountSelection {
		kinds = append(kinds, kindCount)
	}
	return kinds
}

// counting offers to count a selection; the title shows the count.
func (s *folder) counting(d *document, r protocol.Range) ([]protocol.CommandOrCodeAction, error) {
	from, to := bytesOf(d.text, r)
	if from == to {
		return nil, nil
	}
	place, err := protocol.Marshal(&protocol.Location{URI: d.spelled, Range: r})
	if err != nil {
		return nil, err
	}
	title, kind := anyfile.Selection(s.file(d), from, to), kindCount
	count := protocol.Command{Title: title, Command: commandCountSelection, Arguments: []protocol.LSPAny{place}}
	if !s.caps.actions {
		return []protocol.CommandOrCodeAction{&count}, nil
	}
	return []protocol.CommandOrCodeAction{&protocol.CodeAction{Title: title, Kind: &kind, Command: count}}, nil
}

// wanted reports whether a request for some kinds of actions includes a kind.
func wanted(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	for _, k := range only {
		if k == kind || len(kind) > len(k) && kind[:len(k)] == k && kind[len(k)] == '.' {
			return true
		}
	}
	return len(only) == 0
}
