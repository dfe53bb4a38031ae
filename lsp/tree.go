package lsp

import (
	"context"

	"ctxledger.dev/records"
)

// treeParams selects the parent of the nodes.
type treeParams struct {
	Parent string `json:"parent"` // the id of a node; "": the root
}

// treeResult is the children of a node.
type treeResult struct {
	Nodes []records.Node `json:"nodes"`
}

// tree is a custom request: it lists the content of the ledger for a tree view.
func (s *folder) tree(ctx context.Context, p *treeParams) (*treeResult, error) {
	if s.unrecorded() != "" {
		return &treeResult{[]records.Node{}}, nil
	}
	nodes, err := read(ctx, s, func(r records.Reader) ([]records.Node, error) { return r.Nodes(ctx, p.Parent) })
	for i := range nodes {
		nodes[i].URI = s.address(nodes[i].URI)
	}
	return &treeResult{nodes}, err
}
