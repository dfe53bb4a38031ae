package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/records"
	"ctxledger.dev/sessions"
)

// textDocumentContent returns documents that show the content of the ledger, or explain a finding.
func (s *folder) textDocumentContent(ctx context.Context,
	p *protocol.TextDocumentContentParams) (*protocol.TextDocumentContentResult, error) {
	if text, ok := explainedFinding(string(p.URI)); ok {
		return &protocol.TextDocumentContentResult{Text: text}, nil
	}
	text, err := where(s, string(p.URI), func(f *folder, a records.Address) (string, error) {
		return read(ctx, f, func(r records.Reader) (string, error) { return r.Text(ctx, a) })
	})
	if fault.Is(err, fault.Invalid) {
		return nil, err
	}
	s.reading.note(p.URI) // even if it is gone: a tab may show it
	return &protocol.TextDocumentContentResult{Text: text}, err
}

// diffParams selects a change.
type diffParams struct {
	URI string `json:"uri"` // of its document
}

// diff is a custom request: the documents with the texts before and after a change, for a diff editor.
func (s *folder) diff(ctx context.Context, p *diffParams) (records.Diff, error) {
	return where(s, p.URI, func(f *folder, a records.Address) (records.Diff, error) {
		d, err := read(ctx, f, func(r records.Reader) (records.Diff, error) { return r.Diff(ctx, a) })
		d.Before, d.After = f.address(d.Before), f.address(d.After)
		return d, err
	})
}

// address returns the address of a document with the ledger that has it, unless that is the one of the first folder.
func (s *folder) address(of string) string {
	if name, ok := strings.CutPrefix(of, records.Scheme+":/"); ok && s != s.first() {
		return records.Scheme + "://" + s.authority() + "/" + name
	}
	return of
}

// authority names the ledger of a folder in addresses.
func (s *folder) authority() string { return sessions.Digest([]byte(s.workspace.Root))[:12] }

// where calls do with the folder whose ledger an address names. One that names none is of the first folder that has the
// document: ids of sessions, summaries and artifacts are nowhere the same. Errors: invalid for an address of nothing.
func where[R any](s *folder, address string, do func(*folder, records.Address) (R, error)) (result R, err error) {
	at := s.all()
	if rest, ok := strings.CutPrefix(address, records.Scheme+"://"); ok {
		ledger, name, _ := strings.Cut(rest, "/")
		for _, f := range at {
			if f.authority() == ledger {
				at, address = []*folder{f}, records.Scheme+":/"+name
			}
		}
	}
	a, err := records.Parse(address)
	if err != nil {
		return result, err
	}
	for _, f := range at {
		if result, err = do(f, a); err == nil || !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Unavailable) {
			return result, err
		}
	}
	return result, err
}
