package lsp

import (
	"fmt"
	"path"

	"go.lsp.dev/protocol"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/lsp/graphfile"
	"ctxledger.dev/lsp/outline"
)

// graphFixes returns the quick fixes for diagnostics of a context graph.
func (s *folder) graphFixes(d *document, shown []protocol.Diagnostic) (list []protocol.CommandOrCodeAction) {
	f, ok := s.graphFile(d)
	if !ok || !s.caps.actions || len(shown) == 0 {
		return nil
	}
	found := graphfile.Check(f)
	for _, one := range shown {
		code, ok := one.Code.(protocol.String)
		if !ok {
			continue
		}
		from, to := bytesOf(d.text, one.Range)
		for i, a := range graphfile.Fixes(f, found, string(code), graph.Span{From: from, To: to}) {
			list = append(list, fix(plainLine(a.Title), one, s.graphEdit(d, a.Edits...), i == 0 && !a.Choice))
		}
	}
	return list
}

// refactorings returns what can be done to the block or the operation at the beginning of a range.
func (s *folder) refactorings(d *document, r protocol.Range) (list []protocol.CommandOrCodeAction) {
	f, ok := s.graphFile(d)
	if !ok || !s.caps.actions {
		return nil
	}
	from, _ := bytesOf(d.text, r)
	for _, a := range graphfile.Refactorings(f, from) {
		kind := protocol.CodeActionKindRefactorRewrite
		list = append(list, &protocol.CodeAction{Title: plainLine(a.Title), Kind: &kind,
			Edit: s.graphEdit(d, a.Edits...)})
	}
	return list
}

// graphCompletion offers what can be written at a byte of a context graph, or of Markdown that becomes one.
func (s *folder) graphCompletion(d *document, offset int) protocol.CompletionResult {
	k := s.snapshot()
	if d.language != outline.Markdown || !k.settings.Graphs {
		return nil
	}
	doc := d.parsed()
	if doc == nil {
		return nil
	}
	items, more := graphfile.Complete(s.graphFileOf(d, doc, k), offset, s.documentsNear(d))
	out := &protocol.CompletionList{IsIncomplete: more, Items: []protocol.CompletionItem{}}
	for n, i := range items {
		item := protocol.CompletionItem{
			Label: i.Label, Kind: protocol.CompletionItemKindProperty,
			SortText:   protocol.NewOptional(fmt.Sprintf("%03d", n)),
			FilterText: protocol.NewOptional(i.Filter),
			TextEdit:   &protocol.TextEdit{Range: span(d.text, i.From, i.To), NewText: i.Text},
		}
		if i.Value {
			item.Kind = protocol.CompletionItemKindValue
		}
		if i.Detail != "" {
			item.Detail = protocol.NewOptional(plainLine(i.Detail))
		}
		out.Items = append(out.Items, item)
	}
	return out
}

// mostListed is the largest directory whose documents are offered.
const mostListed = 2_000

// documentsNear returns what lists the documents, and the directories with a slash behind them, in a directory below that of
// a document; nil: it is not in the workspace.
func (s *folder) documentsNear(d *document) func(dir string) []string {
	if s.workspace.outside(d.path) {
		return nil
	}
	return func(dir string) (names []string) {
		_ = s.workspace.read(func(tree *safefs.Tree) error { // of what cannot be read nothing is offered
			entries, _, err := tree.List(path.Join(path.Dir(d.path), dir), mostListed)
			for _, e := range entries {
				switch ext := path.Ext(e.Name); {
				case e.Kind == safefs.Dir && e.Name[0] != '.':
					names = append(names, e.Name+"/")
				case e.Kind == safefs.File && (ext == ".md" || ext == ".ctx"):
					names = append(names, e.Name)
				}
			}
			return err
		})
		return names
	}
}
