package graph

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"ctxledger.dev/internal/yamldoc"
)

// Document is a parsed document.
type Document struct {
	Path string // of the file, as keys of blocks depend on it; "" is a document without a file

	Front      Span         // the front matter with its delimiters, empty where there is none
	Blocks     []*Block     // in document order; the first is the preamble, the root of the tree
	Operations []*Operation // in document order

	source   source
	settings Settings
	silences bool // it may have lines that silence findings
	marks    []mark
	was      map[string]string // names that merges have changed, folded: what they are now
	before   *kept             // the tokens of the text before the first heading
	system   *keptText         // and those of the system prompt
	systems  []*Block          // that are part of it
	names    *names
	lines    func() []int   // where each begins
	grows    func() *growth // where operations write
}

// Block is a heading with all behind it up to the next heading that opens a block. There are as many as headings for each version
// of a document: they are small.
type Block struct {
	*said
	Own    Span   // from the heading to the next block
	Parent *Block // nil: the preamble

	of           *Document
	index        int   // in Document.Blocks
	end          int   // the index behind all that are below it
	heading      int32 // the length of the heading
	first, count int32 // of the operations in the block itself
	System       bool  // part of the system prompt
}

// said is what a heading or an operation says in its own text, with positions from its beginning: it stays when the text before
// changes.
type said struct {
	*headingNames
	Level     int        // of a heading: 1 to 6; 0: the preamble
	kept      *kept      // of a heading: the tokens of its block, while that text stays
	operation *Operation // nil: a heading
}

// headingNames is what the text of a heading says.
type headingNames struct {
	Title  string // without number signs and id
	ID     string // explicit; "": none
	Slug   string // of the title; "": none
	Legacy string // the slug in Fractalic; "": none

	at      Span // of the text, from the beginning of the heading
	idAt    Span // from there, too
	marked  bool // there is an id, well formed or not
	system  bool // it begins a part of the system prompt
	foreign bool // the name is not ASCII
}

// Heading returns the heading's line, which is empty in the preamble.
func (b *Block) Heading() Span { return Span{b.Own.From, b.Own.From + int(b.heading)} }

// Operations returns the operations in the block itself.
func (b *Block) Operations() []*Operation { return b.of.Operations[b.first : b.first+b.count] }

// IDAt returns where the id is, well formed or not.
func (b *Block) IDAt() Span { return b.idAt.moved(b.Heading().From) }

// Malformed reports whether the heading has an id that is none.
func (b *Block) Malformed() bool { return b.marked && b.ID == "" }

// Children calls yield for the blocks directly below a block, in document order.
func (b *Block) Children(yield func(*Block) bool) {
	for i := b.index + 1; i < b.end; i = b.of.Blocks[i].end {
		if !yield(b.of.Blocks[i]) {
			return
		}
	}
}

// Operation is an operation: a name and the parameters below it.
type Operation struct {
	Name   string // in lower case
	At     Span   // all of its lines
	NameAt Span   // without "@"
	Block  *Block // that contains it
	Index  int    // in Document.Operations
	nth    int    // in its block

	Fields    []Field
	block, to []Reference
	findings  []Finding // errors in its YAML
	own       *ownText
}

// Field is a parameter of an operation.
type Field struct {
	Key   string
	At    Span // of the key
	Value Span // of the value, as far as it is known where it ends
	null  bool // it has none
	yaml  yamldoc.Field
}

// Source returns the whole text.
func (d *Document) Source() string { return d.source.whole() }

// Len returns the length of the text in bytes.
func (d *Document) Len() int { return d.source.size }

// In returns a part of the text. It does not need the whole, which edits do not make.
func (d *Document) In(at Span) string { return d.source.cut(at.From, at.To) }

// Line returns the line of an offset, without its end, and where the next one begins, or the text ends.
func (d *Document) Line(at int) (line Span, next int) { return d.source.line(at) }

// earlier is a document, and how many marks another one begins with that are as in it.
type earlier struct {
	*Document
	same int
}

// assembled makes a document of its marks, without what finds blocks by their names.
func assembled(s Settings, path string, source source, front Span, marks []mark, as earlier) *Document {
	d := &Document{source: source, Path: path, Front: front, settings: s, marks: marks, before: new(kept),
		system: new(keptText)}
	d.fill(as)
	d.lines = sync.OnceValue(func() []int { return lineStarts(source.whole()) })
	d.grows = sync.OnceValue(func() *growth {
		return grown(d, (*Operation).headed)
	})
	return d
}

// memory is what lists are written into, many in one piece of it.
type memory[T any] struct{ free []T }

// piece is how many values a piece of memory has: pages for a large one are often new to the process, which takes longer than what is
// written there.
const piece = 64

// take returns memory for so many values.
func (m *memory[T]) take(n int) []T {
	if len(m.free) < n {
		m.free = make([]T, max(n, piece))
	}
	out := m.free[:n:n]
	m.free = m.free[n:]
	return out
}

// copied returns a copy of a list.
func (m *memory[T]) copied(list []T) []T {
	out := m.take(len(list))
	copy(out, list)
	return out
}

// fill makes blocks and operations of the marks.
func (d *Document) fill(as earlier) {
	var blocks memory[Block]
	var operations memory[Operation]
	var rest lists
	d.Blocks, d.Operations = make([]*Block, 0, len(d.marks)+1), make([]*Operation, 0, len(d.marks)/8)
	first := &blocks.take(1)[0]
	*first = Block{said: &said{headingNames: &headingNames{}, kept: d.before}, Own: Span{d.Front.To, d.Len()}, of: d}
	d.Blocks = append(d.Blocks, first)
	open := []*Block{first}
	for i := range d.marks {
		m := &d.marks[i]
		switch m.kind {
		case atxHeading:
			if !d.opens(m) {
				continue
			}
			for open[len(open)-1].Level >= m.Level {
				open[len(open)-1].end = len(d.Blocks)
				open = open[:len(open)-1]
			}
			b := &blocks.take(1)[0]
			d.block(b, m, open[len(open)-1])
			open = append(open, b)
		case operationMark:
			o := &operations.take(1)[0]
			if m.read(d.source); i < as.same {
				*o = *as.Operations[len(d.Operations)]
			} else {
				m.operation.moveTo(o, &rest, m.at.From)
			}
			o.Block, o.Index = d.Blocks[len(d.Blocks)-1], len(d.Operations)
			o.nth = int(o.Block.count)
			d.Operations = append(d.Operations, o)
			o.Block.count++
		}
	}
	for _, b := range open {
		b.end = len(d.Blocks)
	}
}

// named has blocks found by their names: as in another document with the same headings, nil where there is none.
func (d *Document) named(as *Document) {
	if as != nil {
		d.names = as.names
		return
	}
	d.names = &names{sync.OnceValue(func() *index { return indexed(d.Blocks) }),
		sync.OnceValue(func() []int { return ordinalsOf(d.Blocks) }),
		sync.OnceValue(func() map[string]int { return keyed(d.Blocks) })}
}

// Place returns the line and the column of an offset, both from 1, the column in characters.
func (d *Document) Place(at int) (line, column int) {
	lines := d.lines()
	line = sort.Search(len(lines), func(i int) bool { return lines[i] > at })
	return line, utf8.RuneCountInString(d.Source()[lines[line-1]:at]) + 1
}

// block makes the block of a heading.
func (d *Document) block(b *Block, m *mark, parent *Block) {
	*b = Block{said: m.said, Own: Span{m.at.From, d.Len()}, heading: int32(m.at.Len()), Parent: parent, of: d,
		index: len(d.Blocks), first: int32(len(d.Operations))}
	b.System = b.system || d.inherits(parent)
	if b.System {
		d.systems = append(d.systems, b)
	}
	d.Blocks[b.index-1].Own.To = b.Own.From
	d.Blocks = append(d.Blocks, b)
}

// namesOf reads the text of a heading; from is where that begins.
func namesOf(text string, from int) *headingNames {
	title, id, idAt, marked := takeID(text)
	title = strings.TrimSpace(title)
	n := &headingNames{Title: title, ID: id, Slug: Slug(title), Legacy: LegacySlug(title),
		at: Span{from, from + len(text)}, idAt: idAt.moved(from), marked: marked, system: isSystem(title)}
	n.foreign = !ascii(cmp.Or(n.ID, n.Slug))
	return n
}

// isSystem reports whether a heading is that of a system block.
func isSystem(title string) bool {
	const begin = ".system"
	return len(title) >= len(begin) && strings.EqualFold(title[:len(begin)], begin)
}

// whole calls yield for the parts of a block's text besides its operations.
func (b *Block) whole(yield func(Span) bool) { b.parts(b.Own.From, yield) }

// body is whole without the heading.
func (b *Block) body(yield func(Span) bool) { b.parts(max(b.Own.From, b.Heading().To), yield) }

func (b *Block) parts(at int, yield func(Span) bool) {
	for _, o := range b.Operations() {
		if !yield(Span{at, o.At.From}) {
			return
		}
		at = o.At.To
	}
	yield(Span{at, b.Own.To})
}

// behind returns the part of the block's text that is behind an operation in it.
func (o *Operation) behind() Span {
	if next := o.nth + 1; next < len(o.Block.Operations()) {
		return Span{o.At.To, o.Block.Operations()[next].At.From}
	}
	return Span{o.At.To, o.Block.Own.To}
}

// Name returns the name by which a block is best referred to: its id, its slug, or its key.
func (b *Block) Name() string {
	switch {
	case b.ID != "":
		return b.ID
	case b.Slug != "":
		return b.Slug
	default:
		return b.Key()
	}
}

// URI returns the path that refers to a block: the names from the top.
func (b *Block) URI() string {
	if b.Parent == nil || b.Parent.Level == 0 {
		return b.Name()
	}
	return b.Parent.URI() + "/" + b.Name()
}

// Key returns the stable name of a block: 8 hexadecimal digits, which stay while its place among the names does.
func (b *Block) Key() string {
	var path strings.Builder
	for at := b; at != nil; at = at.Parent {
		fmt.Fprintf(&path, "%s#%d/", folded(cmp.Or(at.ID, at.Slug)), b.of.names.ordinals()[at.index])
	}
	sum := sha256.Sum256([]byte(b.of.Path + "\x00" + path.String()))
	return hex.EncodeToString(sum[:keyBytes])
}

// keyBytes is how many bytes of a hash a key has.
const keyBytes = 4

// Text returns what a block says itself: its heading and its text, without operations and the space around.
func (d *Document) Text(b *Block) string { return d.textUpTo(b, d.Len()) }

// textUpTo is Text without what stands behind a place in the block.
func (d *Document) textUpTo(b *Block, end int) string {
	var out []string
	for s := range b.whole {
		if s.From < end {
			out = append(out, strings.Trim(d.In(s), " \t\r\n"))
		}
	}
	return joined(out, "\n\n")
}

// joined joins the texts that are not empty.
func joined(texts []string, by string) string {
	var some []string
	for _, t := range texts {
		if t != "" {
			some = append(some, t)
		}
	}
	return strings.Join(some, by)
}
