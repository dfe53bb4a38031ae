package graphfile

import (
	"cmp"
	"slices"

	"ctxledger.dev/graph"
)

// TokenKind is what a part of a document is.
type TokenKind int

// The kinds of tokens. Their numbers are those of the legend that an editor is told.
const (
	OperationToken TokenKind = iota // @ with the name
	ParameterToken
	ReferenceToken // the path of a block
	IDToken        // where a block gets it
)

// Token is a part of a document with a kind.
type Token struct {
	graph.Span
	Kind TokenKind
}

// Tokens returns the tokens of a document, in its order. None overlaps another one.
func Tokens(f File) []Token {
	var out []Token
	for _, b := range f.Blocks {
		if b.ID != "" {
			out = append(out, Token{b.IDAt(), IDToken})
		}
		for _, o := range b.Operations() {
			out = append(out, Token{graph.Span{From: o.NameAt.From - 1, To: o.NameAt.To}, OperationToken})
			for i := range o.Fields {
				out = append(out, Token{o.Fields[i].At, ParameterToken})
			}
			for _, m := range f.Mentions(o) {
				out = append(out, Token{m.At, ReferenceToken})
			}
			if id, at := o.Inserts(); id != "" {
				out = append(out, Token{at, IDToken})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Token) int { return cmp.Compare(a.From, b.From) })
	end := 0
	return slices.DeleteFunc(out, func(t Token) bool {
		over := t.From < end || t.Len() == 0
		end = max(end, t.To)
		return over
	})
}
