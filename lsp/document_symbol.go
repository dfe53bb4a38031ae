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

// documentSymbolMethod lists the sections of a document with their costs: as a tree, or as a list if the client does not
// support trees.
func documentSymbolMethod() method {
	of := func(p *protocol.DocumentSymbolParams) uri.URI { return p.TextDocument.URI }
	return about("textDocument/documentSymbol", of, func(_ context.Context, s *Server, d *document,
		_ *protocol.DocumentSymbolParams) (protocol.DocumentSymbolResult, error) {
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

// symbolKinds maps section kinds to the protocol's.
var symbolKinds = map[outline.Kind]protocol.SymbolKind{
	outline.Heading:  protocol.SymbolKindString,
	outline.Function: protocol.SymbolKindFunction,
	outline.Method:   protocol.SymbolKindMethod,
	outline.Type:     protocol.SymbolKindClass,
	outline.Constant: protocol.SymbolKindConstant,
	outline.Variable: protocol.SymbolKindVariable,
	outline.Block:    protocol.SymbolKindNamespace,
}

// symbolTree returns the symbols of a depth with their children, and the rest of the list.
func symbolTree(t *text.Text, list []anyfile.Symbol,
	depth int) (tree []protocol.DocumentSymbol, rest []anyfile.Symbol) {
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

// symbolList returns all symbols without their nesting.
func symbolList(d *document, list []anyfile.Symbol) protocol.SymbolInformationSlice {
	flat := make(protocol.SymbolInformationSlice, 0, len(list))
	for _, s := range list {
		flat = append(flat, protocol.SymbolInformation{
			BaseSymbolInformation: protocol.BaseSymbolInformation{Name: named(s.Name) + " · " + s.Cost,
				Kind: symbolKinds[s.Kind]},
			Location: protocol.Location{URI: d.spelled, Range: span(d.text, s.From, s.To)},
		})
	}
	return flat
}

// named returns a name that is safe to show and not empty: VS Code rejects all symbols if one has an empty name.
func named(name string) string {
	if name == "" {
		return "–"
	}
	return chars.Plain(name)
}
