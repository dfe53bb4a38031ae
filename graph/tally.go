package graph

import (
	"math/bits"
	"slices"
)

// Counting is how texts are counted for a model.
type Counting struct {
	Of    func(text string) int // returns the tokens of a text
	Exact bool                  // as the model's own tokenizer does
	Name  string                // of the tokenizer: what has the same name counts alike, exactly for a model or not
}

// tally is what the blocks of a document have in one way of counting.
type tally struct {
	Counting
	by     any     // see kept
	sizes  []int32 // by block
	system int     // the system prompt
	// Up to each block, without system blocks: tokens, and how many blocks there are.
	tokens, blocks []int32
	shown          []int   // the tokens before each block where operations are visible; nil: they are not
	gone           fenwick // the tokens of blocks that are replaced; nil: none is
	above          partly
	sent           sends // to such models
}

// countedBy is what counts are kept for.
type countedBy struct {
	kept any
	name string
}

// counted returns what the blocks of the document have for a model that an operation names.
func (b *bill) counted(named string) *tally {
	if t := b.named[named]; t != nil {
		return t
	}
	if b.named == nil {
		b.named = map[string]*tally{}
	}
	counting := b.count(named)
	i := slices.IndexFunc(b.all, func(t *tally) bool { return t.Name == counting.Name && t.Exact == counting.Exact })
	if i < 0 {
		i = len(b.all)
		t := b.d.tally(counting, b.kept)
		for _, i := range b.gone {
			t.replace(b.d.Blocks[i])
		}
		b.all = append(b.all, t)
	}
	t := b.all[i]
	b.named[named] = t
	return t
}

// tally counts a document.
func (d *Document) tally(counting Counting, kept any) *tally {
	n := len(d.Blocks)
	t := &tally{Counting: counting, sizes: make([]int32, n), tokens: make([]int32, n+1), blocks: make([]int32, n+1),
		sent: newSends(d)}
	if kept != nil {
		t.by = countedBy{kept, counting.Name}
	}
	d.inParts(n, func(i int) {
		b := d.Blocks[i]
		t.sizes[i] = int32(b.kept.size(t.by, nil, func() int { return t.Of(d.Text(b)) }))
	})
	for i, b := range d.Blocks {
		t.tokens[i+1], t.blocks[i+1] = t.tokens[i], t.blocks[i]
		if !b.System {
			t.tokens[i+1] += t.sizes[i]
			t.blocks[i+1]++
		}
	}
	t.system = d.system.size(t.by, d.SystemPrompt(), t.Of)
	t.above = partly{d: d, count: t.Of, left: maxPartly, parts: map[*Block][]int{}}
	if d.settings.Visible {
		t.shown = make([]int, n+1)
		for i, b := range d.Blocks {
			if t.shown[i+1] = t.shown[i]; !b.System {
				t.shown[i+1] += t.Of(d.above(b, b.Own.To))
			}
		}
	}
	return t
}

// sum returns the tokens of blocks that are not replaced, without system blocks.
func (t *tally) sum(x extent) int {
	n := int(t.tokens[x.to] - t.tokens[x.from])
	if t.gone != nil {
		n -= t.gone.upTo(x.to) - t.gone.upTo(x.from)
	}
	return n
}

// replace notes that a block is replaced.
func (t *tally) replace(b *Block) {
	if t.gone == nil {
		t.gone = make(fenwick, len(t.tokens))
	}
	t.sent.freeze(b.index)
	t.gone.add(b.index, int(t.tokens[b.index+1]-t.tokens[b.index]))
}

// fenwick has numbers, and their sums.
type fenwick []int

// add adds to a number.
func (f fenwick) add(i, n int) {
	for i++; i < len(f); i += i & -i {
		f[i] += n
	}
}

// upTo returns the sum of the numbers before one.
func (f fenwick) upTo(i int) (sum int) {
	for ; i > 0; i -= 1 << bits.TrailingZeros(uint(i)) {
		sum += f[i]
	}
	return sum
}

// maxPartly is how much text is counted of blocks up to operations in them, in bytes: of a block with very many operations
// the parts between them are counted one by one then, which may be a token more or less.
const maxPartly = 16 << 20

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
			n += p.count(p.d.In(s))
			p.parts[b] = append(p.parts[b], n)
		}
	}
	return p.parts[b][o.nth]
}
