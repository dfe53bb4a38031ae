package lsp

import (
	"maps"
	"slices"
)

// methods returns all methods by name.
func methods() map[string]method {
	table := map[string]method{}
	for _, m := range []method{
		initializeMethod(), initializedMethod(), shutdownMethod(), exitMethod(), cancelMethod(), setTraceMethod(),
		progressCancelMethod(),
		didOpenMethod(), didChangeMethod(), didCloseMethod(), didSaveMethod(), didChangeConfigurationMethod(),
		didChangeWorkspaceFoldersMethod(),
		codeLensMethod(), completionMethod(),
		hoverMethod(), documentSymbolMethod(), inlayHintMethod(), foldingRangeMethod(),
		codeActionMethod(), diagnosticMethod(), documentLinkMethod(), executeCommandMethod(),
		contextMethod(), windowMethod(), carriedMethod(), costMethod(), symbolsMethod(), terminalsMethod(),
		textDocumentContentMethod(), treeMethod(), diffMethod(),
	} {
		table[m.name] = m
	}
	return table
}

// Methods returns the names of all methods, sorted.
func Methods() []string { return slices.Sorted(maps.Keys(methods())) }
