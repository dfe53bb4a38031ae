package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"ctxledger.dev/graph"
	"ctxledger.dev/lsp/graphfile"
)

// legend are the types of tokens, by the numbers of graphfile's kinds, and their only modifier.
var legend = protocol.SemanticTokensLegend{
	TokenTypes: []string{
		graphfile.OperationToken: "decorator", graphfile.ParameterToken: "property",
		graphfile.ReferenceToken: "variable", graphfile.IDToken: "variable"},
	TokenModifiers: []string{"declaration"},
}

// semanticTokens returns operations, parameters, references and ids of a context graph.
func (s *folder) semanticTokens(_ context.Context, d *document,
	_ *protocol.SemanticTokensParams) (*protocol.SemanticTokens, error) {
	f, ok := s.graphFile(d)
	if !ok {
		return nil, nil
	}
	out := &protocol.SemanticTokens{Data: []uint32{}}
	last := protocol.Position{}
	tokens := graphfile.Tokens(f)
	parts := make([]graph.Span, len(tokens))
	for i, t := range tokens {
		parts[i] = t.Span
	}
	for i, r := range spans(d.text, parts) {
		if r.Start.Line != r.End.Line {
			continue // no client takes it
		}
		delta, modifiers := r.Start.Character, uint32(0)
		if r.Start.Line == last.Line {
			delta -= last.Character
		}
		if tokens[i].Kind == graphfile.IDToken {
			modifiers = 1
		}
		out.Data = append(out.Data, r.Start.Line-last.Line, delta, r.End.Character-r.Start.Character,
			uint32(tokens[i].Kind), modifiers)
		last = r.Start
	}
	return out, nil
}

// legendJSON is the legend as a member of registration options.
func legendJSON() string {
	raw, err := json.Marshal(legend)
	if err != nil { // it is ours
		return "{}"
	}
	return string(raw)
}
