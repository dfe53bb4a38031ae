package lsp

import (
	"maps"
	"slices"
)

// methods returns all methods by name.
func methods() map[string]method {
	return map[string]method{
		"initialize":                          initializeMethod(),
		"initialized":                         notification((*Server).initialized),
		"shutdown":                            shutdownMethod(),
		"exit":                                exitMethod(),
		"$/cancelRequest":                     notification((*Server).cancel),
		"$/setTrace":                          notification((*Server).setTrace),
		"window/workDoneProgress/cancel":      notification((*Server).cancelProgress),
		"textDocument/didOpen":                notification((*Server).didOpen),
		"textDocument/didChange":              notification((*Server).didChange),
		"textDocument/didClose":               notification((*Server).didClose),
		"textDocument/didSave":                notification((*Server).didSave),
		"workspace/didChangeConfiguration":    notification((*Server).didChangeConfiguration),
		"workspace/didChangeWorkspaceFolders": notification((*Server).didChangeWorkspaceFolders),
		"textDocument/codeLens":               figures((*folder).codeLens),
		"textDocument/completion":             about((*folder).complete),
		"textDocument/definition":             about((*folder).definition),
		"textDocument/references":             about((*folder).references),
		"textDocument/prepareRename":          about((*folder).prepareRename),
		"textDocument/rename":                 about((*folder).rename),
		"textDocument/semanticTokens/full":    about((*folder).semanticTokens),
		"textDocument/hover":                  figures((*folder).hover),
		"textDocument/documentSymbol":         figures((*folder).documentSymbol),
		"textDocument/inlayHint":              figures((*folder).inlayHint),
		"textDocument/foldingRange":           about((*folder).foldingRange),
		"textDocument/codeAction":             figures((*folder).codeAction),
		"textDocument/diagnostic":             figures((*folder).diagnostic),
		"textDocument/documentLink":           about((*folder).documentLink),
		"workspace/executeCommand":            call((*folder).executeCommand),
		"workspace/textDocumentContent":       call((*folder).textDocumentContent),
		"ctxledger/context":                   call((*folder).contextFor),
		"ctxledger/window":                    call((*folder).window),
		"ctxledger/carried":                   call((*folder).carriedNow),
		"ctxledger/cost":                      figures((*folder).cost),
		"ctxledger/prompt":                    figures((*folder).prompt),
		"ctxledger/symbols":                   notification((*Server).takeSymbols),
		"ctxledger/terminals":                 notification((*Server).takeTerminals),
		"ctxledger/tree":                      call((*folder).tree),
		"ctxledger/diff":                      call((*folder).diff),
	}
}

// Methods returns the names of all methods, sorted.
func Methods() []string { return slices.Sorted(maps.Keys(methods())) }
