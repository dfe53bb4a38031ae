package graph

import (
	"cmp"
	"encoding/hex"
	"strings"
)

// Reference is one mention of a block: a path of names, with or without "/*" for what is below it.
type Reference struct {
	Path  string
	Below bool // the children of the block with all below them, not the block itself
	At    Span // of the value; of a list's element
	Short bool // it is written without {block_uri: …}
}

// String returns the path with what is behind it.
func (r Reference) String() string {
	if r.Below {
		return r.Path + "/*"
	}
	return r.Path
}

// references returns what a parameter refers to, in its order. The list must not be changed.
func (o *Operation) references(key string) []Reference {
	if key == "to" {
		return o.to
	}
	return o.block
}

// uriKey is the key of a reference that is a mapping.
const uriKey = "block_uri"

// readReferences returns what a parameter refers to, in its order; source is the operation's own text.
func (o *Operation) readReferences(source, key string) []Reference {
	f := o.field(key)
	if f == nil {
		return nil
	}
	var out []Reference
	short, at := true, f.Value.From
	value := f.yaml
	if fields, err := value.Fields(); err == nil && len(fields) > 0 {
		short = false
		for _, in := range fields {
			if in.Key == uriKey {
				value = in
			}
		}
	}
	if i := strings.Index(f.Value.In(source), uriKey); !short && i >= 0 {
		at += i + len(uriKey) // a name may be a part of the key
	}
	add := func(text string, at Span) {
		path, below := strings.CutSuffix(strings.Trim(strings.TrimSpace(text), "/"), "/*")
		out = append(out, Reference{Path: path, Below: below, At: at, Short: short})
	}
	if items, err := value.Items(); err == nil && len(items) > 0 {
		for _, item := range items {
			_, _, text := item.Value()
			where := f.Value
			if i := strings.Index(source[at:f.Value.To], text); text != "" && i >= 0 {
				where = Span{at + i, at + i + len(text)}
				at = where.To
			}
			add(text, where)
		}
		return out
	}
	if _, _, text := value.Value(); text != "" {
		where := f.Value
		if i := strings.Index(source[at:f.Value.To], text); i >= 0 {
			where = Span{at + i, at + i + len(text)}
		}
		add(text, where)
	}
	return out
}

// By says by which kind of name a reference found its block.
type By string

// The kinds of names, in the order in which they are tried.
const (
	ByID     By = "id"
	BySlug   By = "slug"
	ByLegacy By = "legacy slug"
	ByKey    By = "key"
)

// names finds the blocks of documents with the same headings.
type names struct {
	index    func() *index
	ordinals func() []int          // see ordinalsOf
	keys     func() map[string]int // places of blocks by their keys
}

// resolved is what the references of an operation lead to in documents with the same headings: blocks are their places, -1
// for none.
type resolved struct {
	names     *names
	block, to []place
}

// place is a Match without the document.
type place struct {
	Match
	block, in int
}

// matches is what the references of a parameter lead to, in its order.
type matches struct {
	of     *Document
	places []place
}

// matches returns what the references of a parameter lead to.
func (d *Document) matches(o *Operation, key string) matches {
	r := o.own.resolved.Load()
	if r == nil || r.names != d.names {
		r = &resolved{names: d.names, block: d.placesOf(o.block), to: d.placesOf(o.to)}
		o.own.resolved.Store(r)
	}
	if key == "to" {
		return matches{d, r.to}
	}
	return matches{d, r.block}
}

// at returns one of them.
func (m matches) at(i int) Match {
	p := m.places[i]
	if p.block >= 0 {
		p.Block = m.of.Blocks[p.block]
	}
	if p.in >= 0 {
		p.In = m.of.Blocks[p.in]
	}
	return p.Match
}

// placesOf resolves references.
func (d *Document) placesOf(refs []Reference) []place {
	out := make([]place, len(refs))
	for i, r := range refs {
		p := place{d.Find(r.Path), -1, -1}
		if p.Block != nil {
			p.block, p.Block = p.Block.index, nil
		}
		if p.In != nil {
			p.in, p.In = p.In.index, nil
		}
		out[i] = p
	}
	return out
}

// index finds blocks by their names, folded. Blocks are their places in the document.
type index struct {
	ids, slugs, legacies byName
	first                []int // by block: the first with its id, or, where it has none, with its slug
}

// byName finds blocks by names of one kind.
type byName struct {
	first map[string]same
	next  []int // by block: the next one with its name
}

// same are the blocks with a name: the first of them, and how many there are.
type same struct{ first, n int }

// put adds a block before those that were added already.
func (x *byName) put(name string, i int) {
	if name != "" {
		s := x.first[name]
		x.next[i] = s.first
		x.first[name] = same{i, s.n + 1}
	}
}

// find returns the blocks with a name for which ok is true, unless that is nil.
func (x *byName) find(name string, ok func(i int) bool) (found same) {
	all := x.first[name]
	if ok == nil {
		return all
	}
	for i, left := all.first, all.n; left > 0; i, left = x.next[i], left-1 {
		if !ok(i) {
			continue
		}
		if found.n++; found.n == 1 {
			found.first = i
		}
	}
	return found
}

// indexed indexes blocks. System blocks cannot be referred to.
func indexed(blocks []*Block) *index {
	n := len(blocks)
	x := &index{ids: byName{map[string]same{}, make([]int, n)}, slugs: byName{make(map[string]same, n), make([]int, n)},
		legacies: byName{map[string]same{}, make([]int, n)}, first: make([]int, n)}
	unnamed := map[string]int{} // the first block without id of a slug
	folds := make([]string, n)  // the id, or, where there is none, the slug
	for i := n - 1; i > 0; i-- {
		b := blocks[i]
		if b.System {
			continue
		}
		id, slug := folded(b.ID), folded(b.Slug)
		x.ids.put(id, i)
		x.slugs.put(slug, i)
		if b.Legacy != b.Slug { // or else it is found by that
			if legacy := folded(b.Legacy); legacy != slug {
				x.legacies.put(legacy, i)
			}
		}
		if folds[i] = cmp.Or(id, slug); id == "" {
			unnamed[slug] = i
		}
	}
	for i, b := range blocks {
		switch {
		case folds[i] == "":
			x.first[i] = i
		case b.ID != "":
			x.first[i] = x.ids.first[folds[i]].first
		default:
			x.first[i] = unnamed[folds[i]]
		}
	}
	return x
}

// sibling is what blocks with the same parent and names have in common.
type sibling struct {
	parent   int
	id, slug string
}

// ordinalsOf counts each block among the siblings with its names.
func ordinalsOf(blocks []*Block) []int {
	out, same := make([]int, len(blocks)), map[sibling]int{}
	for i, b := range blocks[1:] {
		s := sibling{b.Parent.index, b.ID, b.Slug}
		out[i+1] = same[s]
		same[s]++
	}
	return out
}

// Match is what a path leads to.
type Match struct {
	Block *Block
	By    By
	More  int    // other blocks that the last name fits as well: the first is taken
	Lost  string // the first name that was not found, where Block is nil
	In    *Block // in which it was looked for; nil: in the whole document
}

// Find resolves a path without "/*": its first name anywhere in the document, each further one among the children of the block
// before it.
func (d *Document) Find(path string) Match {
	var m Match
	for name := range strings.SplitSeq(path, "/") {
		in := m.Block
		if m = d.find(name, in); m.Block == nil && d.was != nil {
			m = d.find(d.was[folded(strings.TrimSpace(name))], in)
		}
		if m.Block == nil {
			return Match{Lost: name, In: in}
		}
	}
	return m
}

// find finds a name among the children of a block, or, where that is nil, among all: by ids before any slug.
func (d *Document) find(name string, in *Block) Match {
	name = strings.TrimSpace(name)
	names, wanted := d.names.index(), folded(name)
	var inside func(i int) bool
	if in != nil {
		inside = func(i int) bool { return d.Blocks[i].Parent == in }
	}
	for _, kind := range []struct {
		names *byName
		by    By
	}{{&names.ids, ByID}, {&names.slugs, BySlug}, {&names.legacies, ByLegacy}} {
		if all := kind.names.find(wanted, inside); all.n > 0 {
			return Match{Block: d.Blocks[all.first], By: kind.by, More: all.n - 1}
		}
	}
	if key, err := hex.DecodeString(name); err != nil || len(key) != keyBytes {
		return Match{}
	}
	if i, known := d.names.keys()[strings.ToLower(name)]; known && (in == nil || d.Blocks[i].Parent == in) {
		return Match{Block: d.Blocks[i], By: ByKey}
	}
	return Match{}
}

// keyed returns the blocks that can be referred to, by their keys.
func keyed(blocks []*Block) map[string]int {
	out := map[string]int{}
	for i, b := range blocks {
		if b.System || b.Level == 0 {
			continue
		}
		if key := b.Key(); out[key] == 0 {
			out[key] = i
		}
	}
	return out
}
