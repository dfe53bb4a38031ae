package anyfile

import "ctxledger.dev/lsp/outline"

// Symbol is a section with what it costs.
type Symbol struct {
	outline.Section
	Cost string
}

// Symbols are the sections of a file.
func Symbols(f File) []Symbol {
	symbols := make([]Symbol, f.Outline.Len())
	for i := range symbols {
		s := f.Outline.Section(i)
		symbols[i] = Symbol{s, f.Meter.Of(f.cost(s)).String()}
	}
	return symbols
}
