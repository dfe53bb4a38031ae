package graph

import (
	"slices"
	"strings"
	"sync/atomic"

	"ctxledger.dev/tokens"
)

// Cost is what an operation sends, in tokens of the model that it names.
type Cost struct {
	Operation *Operation `json:"-"`
	Model     string     `json:"model,omitempty"` // as the operation names it
	Exact     bool       `json:"exact"`           // as the model's own tokenizer counts
	System    int        `json:"system"`
	Selected  int        `json:"selected"`
	Ambient   int        `json:"ambient"`
	Prompt    int        `json:"prompt"`
	Times     int        `json:"times"`                // it sends Total; in a loop without an end 1
	Shown     int        `json:"operations,omitempty"` // of Ambient: operations, see Settings.Visible
	// Later are the references, by their paths, that lead to what operations write which run before this one.
	Later []string `json:"later,omitempty"`
	Grows bool     `json:"grows,omitempty"` // so does the text before it
	Lost  []string `json:"lost,omitempty"`  // the references that lead nowhere, by their paths
	Media []string `json:"media,omitempty"` // the files that are attached, and not counted
	Tools bool     `json:"tools,omitempty"` // all is sent again after each call of tools
	Turns int      `json:"turns,omitempty"` // how often at most; 0: not known
}

// Total is all of it.
func (c Cost) Total() int { return c.System + c.Selected + c.Ambient + c.Prompt }

// Costs is what the operations of a document send. It does not change.
type Costs struct {
	Operations []Cost // those that send something

	of   []int // by operation: its place in Operations, from 1; 0: it sends nothing
	sent sends // by how many operations
	all  []*tally
	made *created
	*tally
}

// Of returns what an operation sends; sends is false where that is nothing.
func (c *Costs) Of(o *Operation) (cost Cost, sends bool) {
	if i := c.of[o.Index]; i > 0 {
		return c.Operations[i-1], true
	}
	return Cost{Operation: o, Exact: true}, false
}

// Endless reports whether a loop has no end that is known.
func (c *Costs) Endless() bool { return c.made.grows().times == nil }

// Calls is what is said before the sum of what all model calls send.
func (c *Costs) Calls() string {
	if c.Endless() {
		return "a loop has no end; each pass sends"
	}
	return "all model calls send"
}

// Inserter returns the operation that inserts the block of a path, by its id before another name; nil: none does.
func (c *Costs) Inserter(path string) (first *Operation) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for _, o := range c.made.by()[folded(name)] {
		if id, _ := o.Inserts(); Named(id, name) {
			return o
		}
		if first == nil {
			first = o
		}
	}
	return first
}

// Rest is what is said behind the sum of what all model calls send, where it is not all.
func (c *Costs) Rest() (rest string) {
	if slices.ContainsFunc(c.Operations, func(x Cost) bool { return x.Tools }) {
		rest = "; what calls of tools send again is not counted"
	}
	if c.Elsewhere() {
		rest += "; what other documents send is not counted"
	}
	return rest
}

// Elsewhere reports whether documents that this one imports or runs ask a model, too: what that sends is not in Operations.
func (c *Costs) Elsewhere() bool { return c.made.asks() }

// Gives returns the id of the block that an operation inserts, also of one of another document; "": none, or it is not known.
func (c *Costs) Gives(o *Operation) string { return c.made.header(o).id }

// Replacer returns the operation that has replaced a block when another one runs; nil: none has.
func (c *Costs) Replacer(b *Block, o *Operation) *Operation {
	if by := int(c.made.grows().gone[b.index]); by < o.Index {
		return c.made.d.Operations[by]
	}
	return nil
}

// Before reports whether an operation that may run before another one inserts the block of a path.
func (c *Costs) Before(o *Operation, path string) bool { return c.made.before(o, path) }

// Size returns the tokens of a block's own text.
func (c *Costs) Size(b *Block) int { return int(c.sizes[b.index]) }

// All returns the tokens of a block with those of all below it.
func (c *Costs) All(b *Block) int {
	n := c.Size(b)
	for i := b.index + 1; i < b.end; i++ {
		n += int(c.sizes[i])
	}
	return n
}

// Sent returns how many operations send a block.
func (c *Costs) Sent(b *Block) int { return int(c.sent.by[b.index]) }

// InAll returns the tokens of a block by the model that counts most, and those of all times that it is sent, by the model of
// each.
func (c *Costs) InAll(b *Block) (once, all tokens.Count) {
	once.Exact = true
	for _, t := range c.all {
		if times := int(t.sent.by[b.index]); times > 0 {
			once.N, once.Exact = max(once.N, int(t.sizes[b.index])), once.Exact && t.Exact
			all.N += int(t.sizes[b.index]) * times
		}
	}
	all.Exact = once.Exact
	return once, all
}

// kept is the tokens of a text that is the same as when they were counted.
type kept struct {
	newest  atomic.Pointer[counted]
	secrets atomic.Pointer[[]Span] // from the beginning of a block; nil: not looked for
}

// counted is by what a text was counted, in which block, what it has, and the same by others.
type counted struct {
	by   any
	in   *kept
	n    int
	next *counted
}

// mostKept is by how many ways of counting the tokens of a text are kept.
const mostKept = 4

// size returns the tokens of a text. It counts again when by or in differ from last times, and each time when by is nil.
func (k *kept) size(by any, in *kept, count func() int) int {
	newest := k.newest.Load()
	var others [mostKept - 1]*counted
	n := 0
	for c := newest; by != nil && c != nil; c = c.next {
		if c.by == by && c.in == in {
			return c.n
		}
		if c.in == in && n < len(others) {
			others[n] = c
			n++
		}
	}
	c := &counted{by: by, in: in, n: count()}
	if by == nil {
		return c.n
	}
	var rest *counted
	for i := n - 1; i >= 0; i-- {
		rest = &counted{others[i].by, in, others[i].n, rest}
	}
	c.next = rest
	k.newest.Store(c)
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

// Costs returns what each operation sends if the document is as it is now, but for blocks that an operation before it replaces.
// Large documents have functions of o.Count called concurrently.
func (d *Document) Costs(o Options) *Costs {
	c := &Costs{of: make([]int, len(d.Operations)), sent: newSends(d), made: createdBy(d, o.Read)}
	b := bill{Costs: c, d: d, g: c.made.grows(), count: o.Count, kept: o.Kept}
	c.tally = b.counted("")
	c.Operations = make([]Cost, 0, len(d.Operations))
	for _, o := range d.Operations {
		if cost, sends := b.cost(o); sends {
			c.Operations = append(c.Operations, cost)
			c.of[o.Index] = len(c.Operations)
		}
		b.replace(o)
	}
	c.sent.sum(d, c.sizes)
	for _, t := range c.all {
		t.sent.sum(d, t.sizes)
	}
	return c
}

// bill is what the costs of a document are found with.
type bill struct {
	*Costs
	d     *Document
	g     *growth
	count func(named string) Counting
	kept  any
	named map[string]*tally // by the models that operations name
	gone  []int             // the blocks that operations have replaced so far
}

// cost returns what an operation sends.
func (b *bill) cost(o *Operation) (cost Cost, sends bool) {
	if !b.d.runs(o) || o.Name != "llm" && o.Name != "run" && o.Name != "return" {
		return cost, false
	}
	d, model := b.d, o.text("model")
	t := b.counted(model)
	cost = Cost{Operation: o, Model: model, Exact: t.Exact, Times: 1}
	if b.g.times != nil {
		cost.Times = b.g.times[o.Index]
	}
	for _, m := range o.media() {
		cost.Media, cost.Exact = append(cost.Media, m.text), false
	}
	if o.Name == "llm" {
		cost.System = t.system
		cost.Tools, cost.Turns = o.tools()
	}
	cost.Prompt = o.own.prompt.size(t.by, nil, func() int { return t.Of(strings.TrimRight(o.text("prompt"), "\n")) })
	switch {
	case o.field("block") != nil:
		b.choose(t, o, &cost)
		if d.fractalic() { // one message of all
			cost.Selected = 0
			for _, m := range d.chosen(o) {
				cost.Selected += t.Of(m.Text)
			}
		}
	case o.sendsAmbient():
		x := o.Block
		before := extent{0, x.index}
		cost.Grows = b.g.place[b.g.runs[o.Index]] <= o.At.From
		cost.Ambient = t.sum(before)
		if !x.System && !d.replaced(x, o) {
			cost.Ambient += o.own.above.size(t.by, x.kept, func() int { return t.above.upTo(o) })
			if d.speaks(x, o.At.From) {
				before.to++
			}
		}
		if t.shown != nil {
			all := t.shown[x.index]
			if !x.System {
				all += t.Of(d.above(x, o.At.From))
			}
			cost.Ambient, cost.Shown = all, all-cost.Ambient
		}
		b.send(t, before, cost.Times)
	}
	return cost, cost.Total() > 0 || len(cost.Later)+len(cost.Lost) > 0
}

// choose adds what the references of an operation select.
func (b *bill) choose(t *tally, o *Operation, cost *Cost) {
	matches := b.d.matches(o, "block")
	all := make([]extent, 0, len(o.block))
	for i, r := range o.block {
		m := matches.at(i)
		switch x := m.Block; {
		case x != nil && b.g.later(o, r, x), x == nil && b.Costs.made.before(o, r.Path):
			cost.Later = append(cost.Later, r.String())
		case x == nil, b.g.removed(x, o) && !b.Costs.made.before(o, r.Path):
			cost.Lost = append(cost.Lost, r.String())
		}
		all = append(all, b.d.sends(o, r, m))
	}
	for _, x := range union(all) {
		cost.Selected += t.sum(x)
		b.send(t, x, cost.Times)
	}
}

// send notes that an operation sends blocks, so many times.
func (b *bill) send(t *tally, x extent, times int) {
	b.sent.add(x, 1)
	t.sent.add(x, times)
}

// replace notes which blocks an operation replaces: later ones send what they are then.
func (b *bill) replace(o *Operation) {
	for _, i := range b.g.replaces[o.Index] {
		b.gone = append(b.gone, i)
		b.sent.freeze(i)
		for _, t := range b.all {
			t.replace(b.d.Blocks[i])
		}
	}
}

// speaks reports whether a block has a text before a place in it.
func (d *Document) speaks(b *Block, end int) bool { return b.Level > 0 || d.says(b, end) }

// says is speaks without the heading.
func (d *Document) says(b *Block, end int) bool {
	for s := range b.body {
		if s.From < end && strings.TrimSpace(d.In(s)) != "" {
			return true
		}
	}
	return false
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

// sends returns the blocks of a reference that an operation sends: none where its block is another one then.
func (d *Document) sends(o *Operation, r Reference, m Match) extent {
	if m.Block != nil && d.grows().removed(m.Block, o) {
		return extent{}
	}
	return extentOf(r, m)
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
