package lsp

import (
	"context"

	"ctxledger.dev/lsp/records"
)

// treeParams ask for what lies below a node.
type treeParams struct {
	Parent string `json:"parent"` // the id of a node; "": the root
}

// treeResult is what lies there.
type treeResult struct {
	Nodes []records.Node `json:"nodes"`
}

// treeMethod is a request of ours: it lists what the ledger holds, for a view of the editor.
func treeMethod() method {
	return call("ctxledger/tree", func(ctx context.Context, s *Server, p *treeParams) (*treeResult, error) {
		nodes, err := read(ctx, s, func(r records.Reader) ([]records.Node, error) { return r.Nodes(ctx, p.Parent) })
		return &treeResult{nodes}, err
	})
}
