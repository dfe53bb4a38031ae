package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/tokens"
)

// costParams name an open document, and parts of it.
type costParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Ranges       []protocol.Range                `json:"ranges"`
}

// maxRanges is how many parts of a document are counted at once, as many as somebody selects.
const maxRanges = 1_000

// Cost is what an open document costs, or parts of it.
type Cost struct {
	Tokens tokens.Count `json:"tokens"` // of the parts together, each counted alone, or else of the whole text
	Read   tokens.Count `json:"read"`   // what reading the file adds to a conversation; zero for parts
	Cut    bool         `json:"cut"`    // an agent reads only a part of it
	Model  string       `json:"model"`  // that is counted for; "": o200k_base
	// Reading says, where Model is "", that one may be known soon: session files are still being read.
	Reading bool `json:"reading"`
	// Unsaved says whether the file on disk has another text, or is gone: what is counted is the open one. null: not known.
	Unsaved *bool `json:"unsaved"`
}

// cost is a custom request: what an open document or a selection costs, for a status bar.
func (s *folder) cost(ctx context.Context, d *document, p *costParams) (Cost, error) {
	f := s.beside(ctx, d)
	out := Cost{Model: plainLine(f.Meter.Counter.Model()), Reading: f.Meter.Reading,
		Tokens: tokens.Count{Exact: true}, Read: tokens.Count{Exact: true},
		Unsaved: f.Unsaved}
	if len(p.Ranges) == 0 {
		whole := anyfile.CostOf(f)
		out.Tokens, out.Read, out.Cut = whole.Tokens, whole.Read, whole.Cut
		return out, nil
	}
	for _, r := range p.Ranges[:min(len(p.Ranges), maxRanges)] {
		from, to := bytesOf(d.text, r)
		n := anyfile.CostOfPart(f, from, to)
		out.Tokens.N, out.Tokens.Upper = out.Tokens.N+n.N, out.Tokens.Upper+n.Upper
		out.Tokens.Exact = out.Tokens.Exact && n.Exact
	}
	return out, nil
}
