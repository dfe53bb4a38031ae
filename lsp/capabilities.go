package lsp

import (
	"slices"

	"go.lsp.dev/protocol"
)

// capabilities are the capabilities that a client declared.
type capabilities struct {
	trees    bool // nested symbols
	actions  bool // code actions, not only commands
	changes  bool // edits of versioned documents
	creates  bool // edits that create files
	markdown bool // in hovers
	refresh  refreshes
	progress bool // progress started by the server
	pull     bool // it requests diagnostics, also when it is told to
	settings bool // the server can request settings
	contents bool // documents that are not files
	// registrable are the methods that support dynamic registration: see offer.
	registrable map[string]bool
	// reconfigures: its settings change while it runs, and what is registered follows them.
	reconfigures bool
}

// refreshes are the requests that the server can ask the client to repeat.
type refreshes struct{ lenses, hints, diagnostics bool }

// capabilitiesOf reads what a client declares.
func capabilitiesOf(c protocol.ClientCapabilities) capabilities {
	var a capabilities
	if t := c.TextDocument; t != nil {
		a.registrable = registrableOf(t)
		a.trees = t.DocumentSymbol != nil && is(t.DocumentSymbol.HierarchicalDocumentSymbolSupport)
		a.actions = t.CodeAction != nil && t.CodeAction.CodeActionLiteralSupport.CodeActionKind.ValueSet != nil
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
		a.reconfigures = w.DidChangeConfiguration != nil && is(w.DidChangeConfiguration.DynamicRegistration)
	}
	a.pull = a.pulls(c.TextDocument)
	a.progress = c.Window != nil && is(c.Window.WorkDoneProgress)
	return a
}

// pulls reports whether a client requests diagnostics rather than being sent them. One that cannot be told to request
// them again would show old ones until somebody edits the file.
func (a capabilities) pulls(t *protocol.TextDocumentClientCapabilities) bool {
	return t != nil && t.Diagnostic != nil && (a.refresh.diagnostics || t.PublishDiagnostics == nil)
}

func is(b *bool) bool { return b != nil && *b }

// hoverKind is the markup of hovers.
func (a capabilities) hoverKind() protocol.MarkupKind {
	if a.markdown {
		return protocol.MarkupKindMarkdown
	}
	return protocol.MarkupKindPlainText
}
