package graph

// Node is a block or an operation in the tree of a document, with its size.
type Node struct {
	Line   int     `json:"line"`
	Kind   string  `json:"kind"` // block, or the operation's name
	Name   string  `json:"name"`
	Tokens int     `json:"tokens"`        // of a block its own, of an operation what it sends
	All    int     `json:"all,omitempty"` // of a block with all below it
	Nodes  []*Node `json:"nodes,omitempty"`
}

// Tree returns a block with the operations and blocks in it: the first of the Blocks is all of the document.
func (c *Costs) Tree(b *Block) *Node {
	sends := map[*Operation]int{}
	for _, cost := range c.Operations {
		sends[cost.Operation] = cost.Total()
	}
	return c.node(b, sends)
}

func (c *Costs) node(b *Block, sends map[*Operation]int) *Node {
	line, _ := c.d.Place(b.Own.From)
	n := &Node{Line: line, Kind: "block", Name: b.Name(), Tokens: c.Size(b)}
	if b.System {
		n.Name = b.Title // no reference leads there
	}
	n.All = n.Tokens
	for _, o := range b.Operations {
		at, _ := c.d.Place(o.At.From)
		n.Nodes = append(n.Nodes, &Node{Line: at, Kind: o.Name, Name: "@" + o.Name, Tokens: sends[o]})
	}
	for _, below := range b.Children {
		in := c.node(below, sends)
		n.All += in.All
		n.Nodes = append(n.Nodes, in)
	}
	return n
}
