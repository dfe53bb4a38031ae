package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
)

// documentSymbolMethod lists the sections of a document with their costs: as a tree, or one after the
// other for a client that does not know trees.
func documentSymbolMethod() method {
	of := func(p *protocol.DocumentSymbolParams) uri.URI { return p.TextDocument.URI }
	return about("textDocument/documentSymbol", of, func(_ context.Context, s *Server, d *document, _ *protocol.DocumentSymbolParams) (protocol.DocumentSymbolResult, error) {
		if !s.snapshot().settings.Symbols {
			return protocol.DocumentSymbolSlice{}, nil
		}
		symbols := anyfile.Symbols(s.file(d))
		if s.caps.trees {
			tree, _ := symbolTree(d.text, symbols, 0)
			return protocol.DocumentSymbolSlice(tree), nil
		}
		return symbolList(d, symbols), nil
	})
}

// symbolKinds are the protocol's names of our kinds.
var symbolKinds = map[outline.Kind]protocol.SymbolKind{
	outline.Heading:  protocol.SymbolKindString,
	outline.Function: protocol.SymbolKindFunction,
	outline.Method:   protocol.SymbolKindMethod,
	outline.Type:     protocol.SymbolKindClass,
	outline.Constant: protocol.SymbolKindConstant,
	outline.Variable: protocol.SymbolKindVariable,
	outline.Block:    protocol.SymbolKindNamespace,
}

// symbolTree returns the symbols of a depth with what lies in them, and what is left of the list.
func symbolTree(t *text.Text, list []anyfile.Symbol, depth int) (tree []protocol.DocumentSymbol, rest []anyfile.Symbol) {
	for len(list) > 0 && list[0].Depth >= depth {
		s := list[0]
		children, rest := symbolTree(t, list[1:], s.Depth+1)
		tree = append(tree, protocol.DocumentSymbol{
			Name: named(s.Name), Detail: &s.Cost, Kind: symbolKinds[s.Kind],
			Range: span(t, s.From, s.To), SelectionRange: span(t, s.At, s.End), Children: children,
		})
		list = rest
	}
	return tree, list
}

// symbolList returns all symbols, without what lies in which.
func symbolList(d *document, list []anyfile.Symbol) protocol.SymbolInformationSlice {
	flat := make(protocol.SymbolInformationSlice, 0, len(list))
	for _, s := range list {
		flat = append(flat, protocol.SymbolInformation{
			BaseSymbolInformation: protocol.BaseSymbolInformation{Name: named(s.Name) + " · " + s.Cost, Kind: symbolKinds[s.Kind]},
			Location:              protocol.Location{URI: d.spelled, Range: span(d.text, s.From, s.To)},
		})
	}
	return flat
}

// named returns a name that clients accept, and that is safe to show: VS Code refuses all symbols when one has none.
func named(name string) string {
	if name == "" {
		return "–"
	}
	return chars.Plain(name)
}
