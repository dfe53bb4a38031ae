package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"ctxledger.dev/lsp/records"
)

// textDocumentContentMethod returns documents that the server has and no file: what the ledger holds.
func textDocumentContentMethod() method {
	return call("workspace/textDocumentContent", func(ctx context.Context, s *Server, p *protocol.TextDocumentContentParams) (*protocol.TextDocumentContentResult, error) {
		a, err := records.Parse(string(p.URI))
		if err != nil {
			return nil, err
		}
		var text string
		err = s.records(ctx, func(r records.Reader) (err error) {
			text, err = r.Text(ctx, a)
			return err
		})
		return &protocol.TextDocumentContentResult{Text: text}, err
	})
}
