package graph

import (
	"slices"
	"sort"
	"strings"
)

// growth is where the operations of a document write, as far as that is known before they run: by the number of the first one
// that does, and a number above all where none does.
type growth struct {
	jumps
	own   []int32 // by block: into what it says itself
	below []int32 // by block: below it
	gone  []int32 // by block: in its place, whatever jumps there are
	place []int   // by how many operations have run: the first byte where one of them has written

	replaces [][]int // by operation: the blocks that are gone by it
	runs     []int   // by operation: how many may run before it: all above, and in a loop all in it
}

// grown finds where operations write; above returns the heading above what one does.
func grown(d *Document, above func(*Operation) header) *growth {
	blocks, n := len(d.Blocks), len(d.Operations)
	g := &growth{jumps: jumpsOf(d), own: repeated(n, blocks), below: repeated(n, blocks),
		gone: repeated(n, blocks), place: make([]int, n+1), runs: make([]int, n),
		replaces: make([][]int, n)}
	g.place[0] = d.Len() + 1
	var replaced, looped skips
	for i, o := range d.Operations {
		g.runs[i], g.place[i+1] = i, g.place[i]
		if t, ok := d.writes(o); ok && !g.dead[i] {
			t.headed = above(o)
			g.place[i+1] = min(g.place[i], t.from(o))
			g.write(d, o, t, &replaced)
		}
	}
	for i := blocks - 1; i > 0; i-- {
		up := d.Blocks[i].Parent.index
		g.below[up] = min(g.below[up], g.below[i], g.own[i])
	}
	for i := n - 1; i >= 0; i-- {
		if g.to[i] == nil || g.to[i].Own.From > d.Operations[i].At.From {
			continue
		}
		looped.each(n, g.target(d, i), i, func(k int) { g.runs[k] = i })
	}
	return g
}

// repeated returns so many times a number.
func repeated(n, times int) []int32 { return slices.Repeat([]int32{int32(n)}, times) }

// writes returns where an operation writes; ok is false where it writes nothing, or into a block that is not in the document.
func (d *Document) writes(o *Operation) (t target, ok bool) {
	if !operations[o.Name].merges || o.own.idle {
		return t, false
	}
	t, ok = d.target(o)
	return t, ok && (t.block != nil || t.mode != "replace" || d.fractalic())
}

// write notes what an operation writes into.
func (g *growth) write(d *Document, o *Operation, t target, replaced *skips) {
	into := t.block
	if into == nil {
		into = o.Block
	}
	if t.block != nil && t.mode == "replace" && !d.settings.Visible && !g.over(o) {
		from, to := t.block.index, t.block.index+1
		if t.below {
			to = t.block.end
			if !d.fractalic() {
				from++
			}
		}
		replaced.each(len(g.gone), from, to, func(i int) {
			g.gone[i], g.replaces[o.Index] = int32(o.Index), append(g.replaces[o.Index], i)
		})
	}
	level, under, replaces := t.level(o), into, t.block != nil && t.mode == "replace"
	if level > 0 { // a block below the nearest one before it that is less deep
		next := sort.Search(len(d.Blocks), func(i int) bool { return d.Blocks[i].Own.From >= t.at.From })
		for under = d.Blocks[max(next-1, 0)]; under.Level >= level; {
			under = under.Parent
		}
		if replaces {
			next = into.end
		}
		g.split(d, o, next, level)
	}
	switch {
	case replaces && t.below && level > 0:
		g.note(o, nil, into)
	case replaces && level > 0 && losesID(into, t.headed.id):
		g.note(o, nil, under)
		g.note(o, nil, into.Parent)
	case replaces && level > 0 && level == into.Level:
		g.note(o, into, nil)
	case level == 0 || replaces:
		g.note(o, into, into)
	case t.block == nil && strings.TrimSpace(d.In(o.behind())) != "": // which is in the new block then
		g.note(o, into, under)
	default:
		g.note(o, nil, under)
	}
}

// split notes that the heading above what an operation writes begins a block that takes deeper ones behind it, from the next on, out
// of those in which they are.
func (g *growth) split(d *Document, o *Operation, next, level int) {
	if next == len(d.Blocks) || d.Blocks[next].Level <= level {
		return
	}
	for up := d.Blocks[next].Parent; up.Level >= level; up = up.Parent {
		g.note(o, nil, up)
	}
}

// losesID reports whether a block has another id once one with an id has replaced it.
func losesID(b *Block, id string) bool {
	return id != "" && b.ID != "" && !Named(id, b.ID)
}

// note notes that an operation writes into what a block says itself, and below one.
func (g *growth) note(o *Operation, own, below *Block) {
	if own != nil {
		g.own[own.index] = min(g.own[own.index], int32(o.Index))
	}
	if below != nil {
		g.below[below.index] = min(g.below[below.index], int32(o.Index))
	}
}

// from returns the first byte where an operation writes.
func (t target) from(o *Operation) int {
	switch {
	case t.block == nil || t.mode == "replace" || t.level(o) > 0:
		return t.at.From
	case t.mode == "prepend":
		return t.block.Heading().To
	default:
		return min(t.at.From, t.block.Own.To)
	}
}

// level returns the level of the heading above what an operation writes; 0: there is none, or it is not known.
func (t target) level(o *Operation) int {
	level := t.headed.level
	if level == 0 || !o.truth("header-auto-align") || o.field("use-header") != nil {
		return level
	}
	switch {
	case t.block == nil:
		level = o.Block.Level + 1
	case t.mode == "replace" && !t.below:
		level = t.block.Level
	default:
		level = t.block.Level + 1
	}
	return min(level, maxLevel)
}

// skips are numbers of which each is visited once.
type skips []int

// free returns the first number from one on that was not visited.
func (s skips) free(i int) int {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

// each visits the numbers, of n, from one on up to another that were not visited.
func (s *skips) each(n, from, to int, do func(i int)) {
	if *s == nil {
		*s = make(skips, n+1)
		for i := range *s {
			(*s)[i] = i
		}
	}
	for i := s.free(from); i < to; i = s.free(i) {
		do(i)
		(*s)[i] = i + 1
	}
}

// replaced reports whether a block is another one when an operation runs: one above has replaced it.
func (d *Document) replaced(b *Block, o *Operation) bool {
	return int(d.grows().gone[b.index]) < o.Index
}

// removed reports whether an operation above has replaced a block into which no operation had written before.
func (g *growth) removed(b *Block, o *Operation) bool {
	return g.gone[b.index] < min(int32(o.Index), g.own[b.index])
}

// later reports whether a reference of an operation selects more, or something else, when the operation runs.
func (g *growth) later(o *Operation, r Reference, b *Block) bool {
	if r.Below && int(g.below[b.index]) < g.runs[o.Index] {
		return true
	}
	return (!r.Below || b.of.fractalic()) && int(g.own[b.index]) < g.runs[o.Index]
}
