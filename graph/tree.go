package graph

import "ctxledger.dev/tokens"

// Node is a block or an operation in the tree of a document, with its size.
type Node struct {
	Line   int     `json:"line"`
	Kind   string  `json:"kind"` // block, or the operation's name
	Name   string  `json:"name"`
	Tokens int     `json:"tokens"`        // of a block its own, of an operation what it sends
	All    int     `json:"all,omitempty"` // of a block with all below it
	Exact  bool    `json:"exact"`         // as the model's own tokenizer counts
	Nodes  []*Node `json:"nodes,omitempty"`
}

// Said is a figure of the node.
func (n *Node) Said(tokensOf int) tokens.Count { return tokens.Count{N: tokensOf, Exact: n.Exact} }

// Tree returns a block with the operations and blocks in it: the first of the Blocks is all of the document. c are its costs.
func (d *Document) Tree(b *Block, c *Costs) *Node {
	line, _ := d.Place(b.Own.From)
	n := &Node{Line: line, Kind: "block", Name: b.Name(), Tokens: c.Size(b), All: c.All(b), Exact: c.Exact}
	if b.System {
		n.Name = b.Title // no reference leads there
	}
	for _, o := range b.Operations() {
		at, _ := d.Place(o.At.From)
		cost, _ := c.Of(o)
		n.Nodes = append(n.Nodes, &Node{Line: at, Kind: o.Name, Name: "@" + o.Name, Tokens: cost.Total(),
			Exact: cost.Exact})
	}
	for below := range b.Children {
		n.Nodes = append(n.Nodes, d.Tree(below, c))
	}
	return n
}
