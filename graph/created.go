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
	if read != nil && slices.ContainsFunc(d.Operations, func(o *Operation) bool { return o.Name == "import" }) {
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
	if other := c.document(o); other != nil && operations[o.Name].merges {
		return slices.Concat(o.own.header, c.namesIn(other, o))
	}
	return o.own.header
}

// taken is what an operation takes of a document.
type taken struct {
	of *Document
	extent
}

// namesIn returns the names of the blocks that an operation takes of another document, and of those that operations insert there.
func (c *created) namesIn(other *Document, by *Operation) []string {
	p := taken{other, extent{0, len(other.Blocks)}}
	if len(by.block) > 0 && by.Name == "import" {
		p.extent = extentOf(by.block[0], other.Find(by.block[0].Path))
	}
	if names, known := c.inside[p]; known {
		return names
	}
	var names []string
	for _, b := range other.Blocks[p.from:p.to] {
		if !b.System {
			names = append(names, named(b.Heading.In(other.Source))...)
		}
		for _, o := range b.Operations {
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
	other := c.document(o)
	if o.Name != "import" || other == nil || strings.Contains(o.text("file"), ".md/") {
		return header{o.own.level, o.own.id}
	}
	first := other.Blocks[0]
	for _, r := range o.block {
		if first = other.Find(r.Path).Block; first == nil {
			return header{}
		}
		if !r.Below {
			return header{first.Level, first.ID}
		}
	}
	if first.end == first.index+1 || first.Level == 0 && other.speaks(first, len(other.Source)) {
		return header{}
	}
	first = other.Blocks[first.index+1]
	return header{first.Level, first.ID}
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
