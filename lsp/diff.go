package lsp

import (
	"context"

	"ctxledger.dev/lsp/records"
)

// diffParams selects a change.
type diffParams struct {
	URI string `json:"uri"` // of its document
}

// diffMethod is a custom request: the documents with the texts before and after a change, for a diff editor.
func diffMethod() method {
	return call("ctxledger/diff", func(ctx context.Context, s *Server, p *diffParams) (records.Diff, error) {
		a, err := records.Parse(p.URI)
		if err != nil {
			return records.Diff{}, err
		}
		return read(ctx, s, func(r records.Reader) (records.Diff, error) { return r.Diff(ctx, a) })
	})
}
