package lsp

import (
	"context"
	"slices"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// maxReading is how many documents of the ledger are remembered as those that the client may have open.
const maxReading = 32

// reading is the documents of the ledger that the client asked for last, as it spells them.
type reading struct {
	mu   sync.Mutex
	list []uri.URI // guarded by mu; the newest last
}

// note remembers a document.
func (r *reading) note(u uri.URI) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(slices.DeleteFunc(r.list, func(o uri.URI) bool { return o == u }), u)
	r.list = slices.Delete(r.list, 0, max(0, len(r.list)-maxReading))
}

// all returns them.
func (r *reading) all() []uri.URI {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// readAgain has the client read the documents of the ledger that it may have open again: what was forgotten goes from
// its tabs, too.
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
