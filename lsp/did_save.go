package lsp

import "go.lsp.dev/protocol"

// didSaveMethod takes in that a document was saved. Its text is known already.
func didSaveMethod() method {
	return notification("textDocument/didSave", func(*Server, *protocol.DidSaveTextDocumentParams) error { return nil })
}
