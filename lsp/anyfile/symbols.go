package anyfile

import "ctxledger.dev/lsp/outline"

// Symbol is a section with what it costs.
type Symbol struct {
	outline.Section
	Cost string
}

// Symbols are the sections of a file.
func Symbols(f File) []Symbol {
	sections := f.Sections()
	symbols := make([]Symbol, len(sections))
	for i, s := range sections {
		symbols[i] = Symbol{s, f.Meter.Of(f.cost(s)).String()}
	}
	return symbols
}
