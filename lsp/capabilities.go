package lsp

import (
	"slices"

	"go.lsp.dev/protocol"
)

// capabilities are what a client said it can.
type capabilities struct {
	trees    bool // symbols that lie in each other
	actions  bool // actions that are more than commands
	changes  bool // edits of documents that name their versions
	creates  bool // edits that create files
	markdown bool // in hovers
	refresh  refreshes
	progress bool // it shows progress that the server begins
	pull     bool // it asks for diagnostics
	settings bool // it can be asked for settings
	contents bool // it reads documents that are no files
	// registrable are the methods that it takes registrations of: see offer.
	registrable map[string]bool
}

// refreshes are what a client can be asked to ask for again.
type refreshes struct{ lenses, hints, diagnostics bool }

// capabilitiesOf reads what a client says.
func capabilitiesOf(c protocol.ClientCapabilities) capabilities {
	var a capabilities
	if t := c.TextDocument; t != nil {
		a.registrable = registrableOf(t)
		a.trees = t.DocumentSymbol != nil && is(t.DocumentSymbol.HierarchicalDocumentSymbolSupport)
		a.actions = t.CodeAction != nil && t.CodeAction.CodeActionLiteralSupport.CodeActionKind.ValueSet != nil
		a.pull = t.Diagnostic != nil
		a.markdown = t.Hover != nil && slices.Contains(t.Hover.ContentFormat, protocol.MarkupKindMarkdown)
	}
	if w := c.Workspace; w != nil {
		a.settings = is(w.Configuration)
		a.contents = w.TextDocumentContent != nil
		if e := w.WorkspaceEdit; e != nil {
			a.changes = is(e.DocumentChanges)
			a.creates = a.changes && slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindCreate)
		}
		a.refresh.lenses = w.CodeLens != nil && is(w.CodeLens.RefreshSupport)
		a.refresh.hints = w.InlayHint != nil && is(w.InlayHint.RefreshSupport)
		a.refresh.diagnostics = w.Diagnostics != nil && is(w.Diagnostics.RefreshSupport)
	}
	a.progress = c.Window != nil && is(c.Window.WorkDoneProgress)
	return a
}

func is(b *bool) bool { return b != nil && *b }

// hoverKind is what hovers are written in.
func (a capabilities) hoverKind() protocol.MarkupKind {
	if a.markdown {
		return protocol.MarkupKindMarkdown
	}
	return protocol.MarkupKindPlainText
}
