package graph

import (
	"encoding/hex"
	"slices"
	"strings"
)

// Reference is one mention of a block: a path of names, with or without "/*" for what is below it.
type Reference struct {
	Path  string
	Below bool // the children of the block with all below them, not the block itself
	At    Span // of the value; of a list's element
	Short bool // it is written without {block_uri: …}
}

// references returns what a parameter refers to, in its order. The list must not be changed.
func (o *Operation) references(key string) []Reference {
	if key == "to" {
		return o.to
	}
	return o.block
}

// readReferences returns what a parameter refers to, in its order; source is the operation's own text.
func (o *Operation) readReferences(source, key string) []Reference {
	f := o.field(key)
	if f == nil {
		return nil
	}
	var out []Reference
	short := true
	value := f.yaml
	if fields, err := value.Fields(); err == nil && len(fields) > 0 {
		short = false
		for _, in := range fields {
			if in.Key == "block_uri" {
				value = in
			}
		}
	}
	add := func(text string, at Span) {
		path, below := strings.CutSuffix(strings.Trim(strings.TrimSpace(text), "/"), "/*")
		out = append(out, Reference{Path: path, Below: below, At: at, Short: short})
	}
	if items, err := value.Items(); err == nil && len(items) > 0 {
		at := f.Value.From
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
		if i := strings.Index(where.In(source), text); i >= 0 {
			where = Span{where.From + i, where.From + i + len(text)}
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
	index func() index
	keys  func() map[string]int // places of blocks by their keys
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

// index finds blocks by their names, folded. Blocks are their places in the document, in its order.
type index struct {
	ids, slugs, legacies map[string][]int
	ordinals             []int // by block: among the siblings with its names
	first                []int // by block: the first with its id, or, where it has none, with its slug
}

// sibling is what blocks with the same parent and names have in common.
type sibling struct {
	parent   int
	id, slug string
}

// indexed indexes blocks. System blocks cannot be referred to.
func indexed(blocks []*Block) index {
	n := len(blocks)
	x := index{make(map[string][]int, n), make(map[string][]int, n), map[string][]int{}, make([]int, n), make([]int, n)}
	same := make(map[sibling]int, n)
	firsts := [2]map[string]int{make(map[string]int, n), make(map[string]int, n)} // by id, and by slug
	for i, b := range blocks {
		x.first[i] = i
		if b.Level > 0 {
			s := sibling{b.Parent.index, b.ID, b.Slug}
			x.ordinals[i] = same[s]
			same[s]++
		}
		if b.System || b.Level == 0 {
			continue
		}
		put := func(names map[string][]int, name string) {
			if name != "" {
				names[name] = append(names[name], i)
			}
		}
		id, slug, legacy := folded(b.ID), folded(b.Slug), folded(b.Legacy)
		put(x.ids, id)
		put(x.slugs, slug)
		if legacy != slug { // or else it is found by that
			put(x.legacies, legacy)
		}
		by, name := firsts[1], slug
		if id != "" {
			by, name = firsts[0], id
		}
		if first, taken := by[name]; taken {
			x.first[i] = first
		} else if name != "" {
			by[name] = i
		}
	}
	return x
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
	for _, kind := range []struct {
		names map[string][]int
		by    By
	}{{names.ids, ByID}, {names.slugs, BySlug}, {names.legacies, ByLegacy}} {
		all := kind.names[wanted]
		if in != nil {
			all = slices.DeleteFunc(slices.Clone(all), func(i int) bool { return d.Blocks[i].Parent != in })
		}
		if len(all) > 0 {
			return Match{Block: d.Blocks[all[0]], By: kind.by, More: len(all) - 1}
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
