package graph

import (
	"slices"
	"strings"
	"sync/atomic"
)

// Cost is what an operation sends, in tokens.
type Cost struct {
	Operation *Operation `json:"-"`
	System    int        `json:"system"`
	Selected  int        `json:"selected"`
	Ambient   int        `json:"ambient"`
	Prompt    int        `json:"prompt"`
	Shown     int        `json:"operations,omitempty"` // of Ambient: operations, see Settings.Visible
	// Later are the references to blocks that are not in the document: operations may insert them.
	Later []string `json:"later,omitempty"`
}

// Total is all of it.
func (c Cost) Total() int { return c.System + c.Selected + c.Ambient + c.Prompt }

// Costs is what the operations of a document send. It does not change.
type Costs struct {
	Operations []Cost // those that send something

	of    []int // by operation: its place in Operations, from 1; 0: it sends nothing
	sizes []int // by block
	sent  []int // by block: by how many operations
	// Up to each block, without system blocks: tokens, and how many blocks there are.
	tokens, blocks []int
}

// Of returns what an operation sends; sends is false where that is nothing.
func (c *Costs) Of(o *Operation) (cost Cost, sends bool) {
	if i := c.of[o.Index]; i > 0 {
		return c.Operations[i-1], true
	}
	return Cost{Operation: o}, false
}

// Size returns the tokens of a block's own text.
func (c *Costs) Size(b *Block) int { return c.sizes[b.index] }

// All returns the tokens of a block with those of all below it.
func (c *Costs) All(b *Block) int {
	n := c.Size(b)
	for i := b.index + 1; i < b.end; i++ {
		n += c.sizes[i]
	}
	return n
}

// Sent returns how many operations send a block.
func (c *Costs) Sent(b *Block) int { return c.sent[b.index] }

// kept is the tokens of a text that is the same as when they were counted.
type kept struct{ newest atomic.Pointer[counted] }

// counted is by what a text was counted, in which block, and what it has.
type counted struct {
	by any
	in *kept
	n  int
}

// size returns the tokens of a text. It counts again when by or in differ from last time, and each time when by is nil.
func (k *kept) size(by any, in *kept, count func() int) int {
	if c := k.newest.Load(); by != nil && c != nil && c.by == by && c.in == in {
		return c.n
	}
	c := &counted{by, in, count()}
	if by != nil {
		k.newest.Store(c)
	}
	return c.n
}

// keptText is kept for a text that may be another one.
type keptText struct{ newest atomic.Pointer[countedText] }

// countedText is a text, by what it was counted, and what it has.
type countedText struct {
	by   any
	text string
	n    int
}

// size returns the tokens of a text. It counts again when by or text differ from last time, and each time when by is nil.
func (k *keptText) size(by any, text string, count func(string) int) int {
	if c := k.newest.Load(); by != nil && c != nil && c.by == by && c.text == text {
		return c.n
	}
	c := &countedText{by, text, count(text)}
	if by != nil {
		k.newest.Store(c)
	}
	return c.n
}

// maxPartly is how much text is counted of blocks up to operations in them, in bytes: of a block with very many operations
// the parts between them are counted one by one then, which may be a token more or less.
const maxPartly = 16 << 20

// Costs returns what each operation sends if the document is as it is now. Large documents have count called concurrently.
func (d *Document) Costs(count func(string) int) *Costs { return d.KeptCosts(count, nil) }

// KeptCosts is Costs for a count that is known by another value: the sizes of texts that edits leave as they are are kept for it.
func (d *Document) KeptCosts(count func(string) int, by any) *Costs {
	n := len(d.Blocks)
	c := &Costs{of: make([]int, len(d.Operations)), sizes: make([]int, n), sent: make([]int, n+1),
		tokens: make([]int, n+1), blocks: make([]int, n+1)}
	d.inParts(n, func(i int) {
		b := d.Blocks[i]
		c.sizes[i] = b.kept.size(by, nil, func() int { return count(d.Text(b)) })
	})
	for i, b := range d.Blocks {
		c.tokens[i+1], c.blocks[i+1] = c.tokens[i], c.blocks[i]
		if !b.System {
			c.tokens[i+1] += c.sizes[i]
			c.blocks[i+1]++
		}
	}
	shown := d.shown(count)
	system := d.system.size(by, d.SystemPrompt(), count)
	above := partly{d: d, count: count, left: maxPartly, parts: map[*Block][]int{}}
	for _, o := range d.Operations {
		cost := Cost{Operation: o}
		switch {
		case o.unreadable():
			continue
		case o.Name == "llm":
			cost.System = system
		case o.Name != "run" && o.Name != "return":
			continue
		}
		cost.Prompt = o.own.prompt.size(by, nil, func() int { return count(strings.TrimRight(o.text("prompt"), "\n")) })
		switch {
		case o.field("block") != nil:
			c.choose(d, o, &cost)
			if d.fractalic() { // one message of all
				cost.Selected = 0
				for _, m := range d.chosen(o) {
					cost.Selected += count(m.Text)
				}
			}
		case o.sendsAmbient():
			b := o.Block
			cost.Ambient = c.tokens[b.index] + o.own.above.size(by, b.kept, func() int { return above.upTo(o) })
			if shown != nil {
				all := shown[b.index] + count(d.above(b, o.At.From))
				cost.Ambient, cost.Shown = all, all-cost.Ambient
			}
			end := b.index
			if d.speaks(b, o.At.From) {
				end++
			}
			c.sent[0]++
			c.sent[end]--
		}
		if cost.Total() > 0 {
			c.Operations = append(c.Operations, cost)
			c.of[o.Index] = len(c.Operations)
		}
	}
	c.summed(d)
	return c
}

// shown returns the tokens before each block where operations are visible; nil: they are not.
func (d *Document) shown(count func(string) int) []int {
	if !d.settings.Visible {
		return nil
	}
	out := make([]int, len(d.Blocks)+1)
	for i, b := range d.Blocks {
		if out[i+1] = out[i]; !b.System {
			out[i+1] += count(d.above(b, b.Own.To))
		}
	}
	return out
}

// partly counts blocks up to operations in them.
type partly struct {
	d     *Document
	count func(string) int
	left  int              // of maxPartly
	parts map[*Block][]int // tokens of the parts of a block up to each operation in it, each part counted alone
}

// upTo returns the tokens of the text before an operation in its block.
func (p *partly) upTo(o *Operation) int {
	b := o.Block
	if p.left -= o.At.From - b.Own.From; p.left > 0 {
		return p.count(p.d.textUpTo(b, o.At.From))
	}
	if p.parts[b] == nil {
		n := 0
		for s := range b.whole {
			n += p.count(s.In(p.d.Source))
			p.parts[b] = append(p.parts[b], n)
		}
	}
	return p.parts[b][o.nth]
}

// speaks reports whether a block has a text before a place in it.
func (d *Document) speaks(b *Block, end int) bool { return b.Level > 0 || d.says(b, end) }

// says is speaks without the heading.
func (d *Document) says(b *Block, end int) bool {
	for s := range b.body {
		if s.From < end && strings.TrimSpace(s.In(d.Source)) != "" {
			return true
		}
	}
	return false
}

// summed turns the beginnings and ends of what operations send into how many send each block.
func (c *Costs) summed(d *Document) {
	by := 0
	for i, b := range d.Blocks {
		by += c.sent[i]
		c.sent[i] = by
		if b.System || c.sizes[i] == 0 { // there may be nothing before the first heading
			c.sent[i] = 0
		}
	}
}

// choose adds what the references of an operation select.
func (c *Costs) choose(d *Document, o *Operation, cost *Cost) {
	matches := d.matches(o, "block")
	all := make([]extent, 0, len(o.block))
	for i, r := range o.block {
		m := matches.at(i)
		if m.Block == nil {
			cost.Later = append(cost.Later, r.Path)
		}
		all = append(all, extentOf(r, m))
	}
	for _, x := range union(all) {
		cost.Selected += c.tokens[x.to] - c.tokens[x.from]
		c.sent[x.from]++
		c.sent[x.to]--
	}
}

// extent is a run of blocks, by their places in the document.
type extent struct{ from, to int }

// extentOf returns the blocks of a reference, with system blocks among them.
func extentOf(r Reference, m Match) extent {
	switch b := m.Block; {
	case b == nil:
		return extent{}
	case r.Below && b.of.fractalic():
		return extent{b.index, b.end}
	case r.Below:
		return extent{b.index + 1, b.end}
	default:
		return extent{b.index, b.index + 1}
	}
}

// union returns runs of blocks, sorted, with none twice.
func union(all []extent) []extent {
	slices.SortFunc(all, func(a, b extent) int { return a.from - b.from })
	out := all[:0]
	for _, x := range all {
		switch last := len(out) - 1; {
		case x.from >= x.to:
		case last >= 0 && x.from <= out[last].to:
			out[last].to = max(out[last].to, x.to)
		default:
			out = append(out, x)
		}
	}
	return out
}
