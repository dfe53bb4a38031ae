package graph

import (
	"slices"
	"strings"
	"sync"
)

// created are the names of the blocks that operations of a document insert, as far as they are known before they run.
type created struct {
	d      *Document
	read   func(from, path string) (*Document, error) // nil: no other document can be read
	inside map[taken][]string                         // the names in other documents
	by     func() map[string][]*Operation             // which insert a block of a name, folded
	grows  func() *growth                             // with what is known of the other documents
}

func createdBy(d *Document, read func(from, path string) (*Document, error)) *created {
	c := &created{d: d, read: read, inside: map[taken][]string{}}
	c.grows = d.grows
	if read != nil && slices.ContainsFunc(d.Operations, func(o *Operation) bool { return o.text("file") != "" }) {
		c.grows = sync.OnceValue(func() *growth { return grown(d, c.header) })
	}
	c.by = sync.OnceValue(func() map[string][]*Operation {
		all := map[string][]*Operation{}
		for _, o := range d.Operations {
			if !d.runs(o) {
				continue
			}
			for _, name := range c.names(o) {
				if by := all[folded(name)]; len(by) == 0 || by[len(by)-1] != o { // it may have two forms of one name
					all[folded(name)] = append(by, o)
				}
			}
		}
		return all
	})
	return c
}

// before reports whether an operation that may run before another one inserts the block of a path.
func (c *created) before(o *Operation, path string) bool {
	all := c.by()[folded(path[strings.LastIndexByte(path, '/')+1:])]
	return len(all) > 0 && all[0].Index < c.d.grows().runs[o.Index]
}

// names returns the names of the blocks that an operation inserts.
func (c *created) names(o *Operation) []string {
	other := c.document(o)
	if other == nil || !operations[o.Name].merges {
		return o.own.header
	}
	all := taken{other, extent{0, len(other.Blocks)}}
	switch by := other.returns(); {
	case o.Name == "run" && by != nil:
		return c.returned(other, by)
	case o.Name == "import" && len(o.block) > 0:
		all.extent = extentOf(o.block[0], other.Find(o.block[0].Path))
	}
	return slices.Concat(o.own.header, c.namesIn(all))
}

// returned returns the names of the blocks that @return hands on of a document; those that are written there are as they are named.
func (c *created) returned(other *Document, by *Operation) (names []string) {
	if by.text("prompt") != "" {
		names = named(by.heading())
	}
	for _, r := range by.block {
		m := other.Find(r.Path)
		if m.Block == nil {
			names = append(names, r.Path[strings.LastIndexByte(r.Path, '/')+1:])
		}
		names = append(names, c.namesIn(taken{other, extentOf(r, m)})...)
	}
	return names
}

// returns returns the operation that ends a document with a result; nil: the result is all of it.
func (d *Document) returns() *Operation {
	i := slices.IndexFunc(d.Operations, func(o *Operation) bool { return o.Name == "return" && d.runs(o) })
	if i < 0 {
		return nil
	}
	return d.Operations[i]
}

// taken is what an operation takes of a document.
type taken struct {
	of *Document
	extent
}

// namesIn returns the names of the blocks that are taken of another document, and of those that operations insert there.
func (c *created) namesIn(p taken) []string {
	if names, known := c.inside[p]; known {
		return names
	}
	var names []string
	for _, b := range p.of.Blocks[p.from:p.to] {
		if !b.System {
			names = append(names, named(p.of.In(b.Heading()))...)
		}
		for _, o := range b.Operations() {
			if header := o.text("use-header"); headingLevel(header) > 0 {
				names = append(names, named(header)...)
			}
		}
	}
	c.inside[p] = names
	return names
}

// header is the heading above what an operation inserts: its level, 0 where there is none, or it is not known, and its id.
type header struct {
	level int
	id    string
}

// header returns the heading above what an operation inserts.
func (c *created) header(o *Operation) header {
	other, refs := c.document(o), o.block
	switch {
	case other == nil || o.Name != "import" && o.Name != "run" || strings.Contains(o.text("file"), ".md/"):
		return o.headed()
	case o.Name == "import":
	case other.returns() == nil && (o.field("block") != nil || o.field("prompt") != nil): // which are above all of it
		return header{}
	case other.returns() == nil:
		refs = nil
	default:
		by := other.returns()
		if refs = by.block; len(refs) == 0 {
			return header{headingLevel(by.heading()), namesOf(strings.TrimLeft(by.heading(), "# "), 0).ID}
		}
	}
	first := other.Blocks[0]
	for _, r := range refs {
		if first = other.Find(r.Path).Block; first == nil {
			return other.inserted(r.Path)
		}
		if !r.Below {
			return header{first.Level, first.ID}
		}
	}
	if first.end == first.index+1 || first.Level == 0 && other.speaks(first, other.Len()) {
		return header{}
	}
	first = other.Blocks[first.index+1]
	return header{first.Level, first.ID}
}

// inserted returns the heading of the block that an operation inserts, by its id, as far as the operation's own text says it.
func (d *Document) inserted(id string) header {
	for _, o := range d.Operations {
		if Named(o.own.id, id) {
			return o.headed()
		}
	}
	return header{}
}

// named returns the names that a header gives the block that it opens.
func named(header string) (names []string) {
	n := namesOf(strings.TrimLeft(header, "# "), 0)
	for _, name := range []string{n.ID, n.Slug, n.Legacy} {
		if name != "" && !strings.EqualFold(header, "none") {
			names = append(names, name)
		}
	}
	return names
}

// asks reports whether an operation imports or runs a document with model calls.
func (c *created) asks() bool {
	return slices.ContainsFunc(c.d.Operations, func(o *Operation) bool {
		other := c.document(o)
		return other != nil && c.d.runs(o) && slices.ContainsFunc(other.Operations, func(in *Operation) bool {
			return in.Name == "llm" && other.runs(in)
		})
	})
}

// document returns the document that an operation names; nil: it cannot be read.
func (c *created) document(o *Operation) *Document {
	path := o.text("file")
	if c.read == nil || path == "" || !isDocument(path) {
		return nil
	}
	other, err := c.read(c.d.Path, path)
	if err != nil {
		return nil
	}
	return other
}
