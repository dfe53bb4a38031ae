package lsp

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
)

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

// symbolsMethod is a custom notification: a server cannot request symbols of an editor, which has them of languages that
// are not parsed here. They are taken for the version that they are of, and moved by later edits.
func symbolsMethod() method {
	return notification("ctxledger/symbols", func(s *Server, p *symbolsParams) error {
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
	})
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
