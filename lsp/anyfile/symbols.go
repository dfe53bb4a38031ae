package anyfile

import "ctxledger.dev/lsp/outline"

// Symbol is a section with its cost.
type Symbol struct {
	outline.Section
	Cost string
}

// Symbols returns the sections of a file.
func Symbols(f File) []Symbol {
	symbols := make([]Symbol, f.Outline.Len())
	for i := range symbols {
		s := f.Outline.Section(i)
		symbols[i] = Symbol{s, f.cost(s).String()}
	}
	return symbols
}
