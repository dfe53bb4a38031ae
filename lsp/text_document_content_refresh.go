package lsp

import (
	"context"
	"slices"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// maxReading bounds the documents of the ledger that count as possibly open.
const maxReading = 32

// reading holds the documents of the ledger that the client requested last, in its spelling.
type reading struct {
	mu   sync.Mutex
	list []uri.URI // guarded by mu; the newest last
}

// note records a document.
func (r *reading) note(u uri.URI) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(slices.DeleteFunc(r.list, func(o uri.URI) bool { return o == u }), u)
	r.list = slices.Delete(r.list, 0, max(0, len(r.list)-maxReading))
}

// all returns the documents.
func (r *reading) all() []uri.URI {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// refreshContents has the client reload documents of the ledger that it may have open: forgotten content has to disappear
// from tabs.
func (n *notifier) refreshContents() {
	if !n.caps.contents {
		return
	}
	for _, u := range n.Server.reading.all() {
		n.request("contents", func(ctx context.Context) error {
			return n.client.TextDocumentContentRefresh(ctx, &protocol.TextDocumentContentRefreshParams{URI: u})
		})
	}
}
