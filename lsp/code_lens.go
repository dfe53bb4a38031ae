package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/lsp/anyfile"
)

// codeLensMethod shows the cost of a file above its first line.
func codeLensMethod() method {
	of := func(p *protocol.CodeLensParams) uri.URI { return p.TextDocument.URI }
	return about("textDocument/codeLens", of, func(_ context.Context, s *Server, d *document, _ *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
		if s.options().Lens != showAlways {
			return nil, nil
		}
		return []protocol.CodeLens{{Command: protocol.Command{Title: anyfile.Lens(s.file(d))}}}, nil
	})
}
