package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"ctxledger.dev/lsp/records"
)

// textDocumentContentMethod returns documents that show the content of the ledger.
func textDocumentContentMethod() method {
	return call("workspace/textDocumentContent", func(ctx context.Context, s *Server,
		p *protocol.TextDocumentContentParams) (*protocol.TextDocumentContentResult, error) {
		a, err := records.Parse(string(p.URI))
		if err != nil {
			return nil, err
		}
		text, err := read(ctx, s, func(r records.Reader) (string, error) { return r.Text(ctx, a) })
		s.reading.note(p.URI) // even if it is gone: a tab may show it
		return &protocol.TextDocumentContentResult{Text: text}, err
	})
}

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
