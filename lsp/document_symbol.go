package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/graphfile"
	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
)

// documentSymbol lists the sections of a document with their costs: as a tree, or as a list if the client does not
// support trees.
func (s *folder) documentSymbol(_ context.Context, d *document,
	_ *protocol.DocumentSymbolParams) (protocol.DocumentSymbolResult, error) {
	if !s.snapshot().settings.Symbols {
		return protocol.DocumentSymbolSlice{}, nil
	}
	var symbols []anyfile.Symbol
	if f, ok := s.graphFile(d); ok {
		symbols = graphfile.Symbols(f)
	} else {
		symbols = anyfile.Symbols(s.file(d))
	}
	if s.caps.trees {
		tree, _ := symbolTree(d.text, symbols, 0)
		return protocol.DocumentSymbolSlice(tree), nil
	}
	return symbolList(d, symbols), nil
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

// maxSymbols is how many symbols of a document are taken from an editor: those of a file of 20,000 lines.
const maxSymbols = 2_000

// symbolsParams are the symbols that the editor has of a version of a document, in any order, not nested.
type symbolsParams struct {
	TextDocument struct {
		URI     uri.URI `json:"uri"`
		Version int32   `json:"version"`
	} `json:"textDocument"`
	Symbols []symbol `json:"symbols"`
}

// symbol is a declaration with the place of its name.
type symbol struct {
	Name           string              `json:"name"`
	Kind           protocol.SymbolKind `json:"kind"`
	Range          protocol.Range      `json:"range"`
	SelectionRange protocol.Range      `json:"selectionRange"`
}

// takeSymbols is a custom notification: a server cannot request symbols of an editor, which has them of languages that
// are not parsed here. They are taken for the version that they are of, and moved by later edits.
func (s *Server) takeSymbols(p *symbolsParams) error {
	u, version := p.TextDocument.URI, p.TextDocument.Version
	d := s.documents.get(u)
	if d == nil {
		return notOpen(string(u))
	}
	if d.version != version || d.language != outline.Indented || d.text.Len() > anyfile.MaxOutlined {
		return nil
	}
	sections := sectionsOf(d.text, p.Symbols[:min(len(p.Symbols), maxSymbols)])
	changed := false
	s.documents.edit(u, func(d *document) *document { // d may be in another encoding by now
		o := outline.Given(d.language, d.text, sections)
		if d.version != version || o.Same(d.outline) {
			return d
		}
		changed = true
		with := *d
		with.outline = o
		return &with
	})
	if changed {
		s.pending.sections()
	}
	return nil
}

// sectionsOf returns the sections that symbols stand for.
func sectionsOf(t *text.Text, symbols []symbol) []outline.Section {
	sections := make([]outline.Section, 0, len(symbols))
	for _, one := range symbols {
		from, to := bytesOf(t, one.Range)
		at, end := bytesOf(t, one.SelectionRange)
		kind, known := sectionKinds[one.Kind]
		if !known {
			kind = outline.Variable
		}
		sections = append(sections,
			outline.Section{Name: one.Name, Kind: kind, From: from, Decl: from, To: to, At: at, End: end})
	}
	return sections
}

// sectionKinds maps the protocol's symbol kinds to section kinds. All others are variables.
var sectionKinds = map[protocol.SymbolKind]outline.Kind{
	protocol.SymbolKindModule:      outline.Type,
	protocol.SymbolKindNamespace:   outline.Type,
	protocol.SymbolKindPackage:     outline.Type,
	protocol.SymbolKindClass:       outline.Type,
	protocol.SymbolKindEnum:        outline.Type,
	protocol.SymbolKindInterface:   outline.Type,
	protocol.SymbolKindStruct:      outline.Type,
	protocol.SymbolKindMethod:      outline.Method,
	protocol.SymbolKindConstructor: outline.Method,
	protocol.SymbolKindFunction:    outline.Function,
	protocol.SymbolKindConstant:    outline.Constant,
}
