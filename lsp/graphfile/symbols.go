package graphfile

import (
	"strings"

	"ctxledger.dev/graph"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/outline"
)

// part is a block or an operation as a section of a document.
type part struct {
	outline.Section
	block     *graph.Block
	operation *graph.Operation // nil: the block itself
}

// Sections returns the blocks, each with all below it, and the operations of a document.
func Sections(f File) []outline.Section {
	parts := f.parts()
	out := make([]outline.Section, len(parts))
	for i, p := range parts {
		out[i] = p.Section
	}
	return out
}

// Symbols returns the sections with their costs: of a block its own tokens and those of all below it, of an operation
// what it sends.
func Symbols(f File) []anyfile.Symbol {
	parts := f.parts()
	out := make([]anyfile.Symbol, len(parts))
	for i, p := range parts {
		out[i] = anyfile.Symbol{Section: p.Section}
		if p.operation != nil {
			if c, sends := f.Around.Costs.Of(p.operation); sends {
				out[i].Cost = f.Said(c.Total()).String()
			}
			continue
		}
		own, all := f.Around.Costs.Size(p.block), f.Around.Costs.All(p.block)
		if out[i].Cost = f.Said(own).String(); all > own {
			out[i].Cost += " · " + f.Said(all).String() + " with all below"
		}
	}
	return out
}

// parts returns the sections of a document in its order.
func (f File) parts() []part {
	out := make([]part, 0, len(f.Blocks)+len(f.Operations))
	depth := make(map[*graph.Block]int, len(f.Blocks))
	for _, b := range f.Blocks {
		deep := depth[b.Parent]
		if b.Level > 0 {
			at := b.Own
			if below := f.Below(b); len(below) > 0 {
				at.To = below[len(below)-1].Own.To
			}
			out = append(out, part{f.section(b.Title, outline.Heading, deep, at, b.Heading()), b, nil})
			deep++
		}
		depth[b] = deep
		for _, o := range b.Operations() {
			out = append(out, part{f.section("@"+o.Name, outline.Function, deep, o.At,
				graph.Span{From: o.NameAt.From - 1, To: o.NameAt.To}), b, o})
		}
	}
	return out
}

// section is a part of a document without the blank lines at its end.
func (f File) section(name string, kind outline.Kind, depth int, at, named graph.Span) outline.Section {
	end := at.From + len(strings.TrimRight(f.In(at), " \t\r\n"))
	return outline.Section{Name: called(name), Kind: kind, Depth: depth, From: at.From, Decl: at.From,
		To: max(end, named.To), At: named.From, End: named.To}
}
