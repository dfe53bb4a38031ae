package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
)

// references checks what an operation refers to: blocks of this document, and other documents.
func (c *checker) references(o *Operation) {
	source := c.d.Source
	for _, key := range []string{"block", "to"} {
		if _, takes := operations[o.Name].keys[key]; !takes || o.field(key) == nil {
			continue
		}
		refs := o.references(source, key)
		if len(refs) > 0 && !refs[0].Short {
			c.add("CG301", Hint, o.field(key).Value, "block_uri can be left out").Fix =
				&Fix{Title: "Write the short form", At: o.field(key).Value, Text: shortForm(refs, source)}
		}
		if key == "block" && o.Name == "import" {
			continue // of the other document
		}
		content := false
		for _, r := range refs {
			content = c.reference(o, key, r, refs) || content
		}
		if key == "block" && o.Name != "goto" && !content && len(refs) > 0 {
			c.add("CG304", Warning, o.field(key).Value, "nothing is selected: the blocks have no text")
		}
	}
	c.file(o)
}

// shortForm returns references as they are written shortly.
func shortForm(refs []Reference, source string) string {
	all := make([]string, len(refs))
	for i, r := range refs {
		all[i] = r.At.In(source)
	}
	if len(all) == 1 {
		return all[0]
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// reference checks one reference. content says that it selects a text, or that this cannot be known.
func (c *checker) reference(o *Operation, key string, r Reference, all []Reference) (content bool) {
	m := c.d.Find(r.Path)
	if m.Block == nil {
		return c.missing(o, r, m)
	}
	if m.More > 0 {
		c.add("CG306", Warning, r.At, fmt.Sprintf("%s are named %s: the first is "+
			"taken", chars.Plural(m.More+1, "block"), r.Path)).
			Related = []Related{{m.Block.Heading, "this one"}}
	}
	if m.By == BySlug || m.By == ByLegacy {
		f := c.add("CG311", Information, r.At, fmt.Sprintf("found by its %s: another heading breaks this "+
			"reference", m.By))
		if m.Block.ID == "" && isID(m.Block.Name()) {
			f.Fix = &Fix{Title: "Add an id to the heading", At: Span{m.Block.Heading.To, m.Block.Heading.To},
				Text: " {id=" + m.Block.Name() + "}"}
		}
	}
	if key == "to" {
		if o.text("mode") == "replace" && m.Block.ID == "" && !r.Below {
			c.add("CG110", Information, r.At, "the replaced block may lose its name: give it an id").Fix =
				&Fix{Title: "Add an id", At: Span{m.Block.Heading.To, m.Block.Heading.To},
					Text: " {id=" + m.Block.Name() + "}"}
		}
		return true
	}
	itself := slices.ContainsFunc(all, func(x Reference) bool { return !x.Below && c.d.Find(x.Path).Block == m.Block })
	if r.Below && !itself && c.hasText(m.Block) && o.Name != "goto" {
		c.add("CG303", Information, r.At, fmt.Sprintf("the text of %s itself is not selected, only what is below "+
			"it; Fractalic selects both",
			r.Path)).Fix = &Fix{Title: "Select both", At: r.At, Text: c.both(o.field(key), r, len(all))}
	}
	return slices.ContainsFunc(c.d.Select(r), func(b *Block) bool { return c.d.Text(b) != "" })
}

// both returns what selects a block and all below it, where a reference is: alone, in a list in brackets, or in one of lines.
func (c *checker) both(f *Field, r Reference, of int) string {
	text := r.At.In(c.d.Source)
	itself := strings.TrimSuffix(strings.Trim(text, `"'`), "/*")
	line := c.line(r.At.From)
	before := Span{line.From, r.At.From}.In(c.d.Source)
	switch {
	case strings.HasSuffix(before, "- "):
		return itself + "\n" + before + text
	case of > 1 || strings.HasPrefix(f.Value.In(c.d.Source), "["):
		return itself + ", " + text
	default:
		return "[" + itself + ", " + text + "]"
	}
}

// hasText reports whether a block says something besides its heading.
func (c *checker) hasText(b *Block) bool {
	return slices.ContainsFunc(b.Body, func(s Span) bool { return strings.TrimSpace(s.In(c.d.Source)) != "" })
}

// missing says what is known of a block that is not in the document: an operation may create it.
func (c *checker) missing(o *Operation, r Reference, m Match) (content bool) {
	last := r.Path[strings.LastIndexByte(r.Path, '/')+1:]
	if all := c.creates[folded(last)]; len(all) > 0 {
		switch by := all[0]; {
		case by.Index < o.Index && c.skipped(by):
			c.add("CG310", Warning, r.At, "an operation that may be jumped over creates this block")
		case by.Index > o.Index && !c.loops(by, o):
			c.add("CG309", Warning, r.At, "only a later operation creates this block").Related =
				[]Related{{by.NameAt, "this one"}}
		}
		return true
	}
	names := c.d.allNames()
	names = append(names, sorted(c.creates)...)
	f := c.add("CG305", Error, r.At, fmt.Sprintf("there is no block %s", chars.Short(m.Lost, 60)))
	if m.In != nil {
		f.Message += " directly below " + m.In.Name()
		if found := c.d.Find(m.Lost); found.Block != nil {
			f.Message += "; it stands in " + found.Block.URI()
			f.Related = []Related{{found.Block.Heading, "here"}}
			f.Fix = c.renamed(r, found.Block.URI())
			return true
		}
	}
	if n := near(m.Lost, names); n != "" {
		f.Message += "; did you mean " + n + "?"
		f.Fix = c.renamed(r, strings.Replace(r.Path, m.Lost, n, 1))
	}
	return true
}

// renamed returns the fix that writes another path.
func (c *checker) renamed(r Reference, path string) *Fix {
	if r.Below {
		path += "/*"
	}
	return &Fix{Title: "Write " + path, At: r.At, Text: path}
}

// allNames returns the names of all blocks.
func (d *Document) allNames() []string {
	var names []string
	for _, b := range d.Blocks[1:] {
		if !b.System {
			names = append(names, b.Name())
		}
	}
	return names
}

// inserts returns the names of the blocks that an operation inserts, folded: as far as they are known before it runs.
func (c *checker) inserts(o *Operation) []string {
	spec := operations[o.Name]
	if !spec.merges {
		return nil
	}
	var names []string
	header := spec.header
	if f := o.field("use-header"); f != nil {
		header = f.text()
	}
	text, id, _, _ := takeID(strings.TrimLeft(header, "# "))
	for _, name := range []string{id, Slug(text), LegacySlug(text)} {
		if name != "" && !strings.EqualFold(header, "none") {
			names = append(names, folded(name))
		}
	}
	if other := c.read(o); other != nil {
		for _, b := range other.Blocks[1:] {
			names = append(names, folded(b.ID), folded(b.Slug), folded(b.Legacy))
		}
		for _, in := range other.Operations {
			if f := in.field("use-header"); f != nil {
				text, id, _, _ := takeID(strings.TrimLeft(f.text(), "# "))
				names = append(names, folded(id), folded(Slug(text)))
			}
		}
	}
	return names
}

// read returns the document that an operation names; nil: it cannot be read.
func (c *checker) read(o *Operation) *Document {
	path := o.text("file")
	if c.o.Read == nil || path == "" || !isDocument(path) {
		return nil
	}
	other, err := c.o.Read(c.d.Path, path)
	if err != nil {
		return nil
	}
	return other
}

// ErrOutside is the error of Options.Read for a path that leads out of the workspace.
var ErrOutside = errors.New("outside of the workspace")

// file checks the document that an operation names.
func (c *checker) file(o *Operation) {
	f := o.field("file")
	if f == nil || !isDocument(f.text()) {
		return
	}
	inside := strings.Contains(f.text(), ".md/") || strings.Contains(f.text(), ".ctx/")
	if inside && o.field("block") != nil {
		c.add("CG302", Warning, f.Value, "a block is named here and by block: block counts")
	}
	if c.o.Read == nil {
		return
	}
	other, err := c.o.Read(c.d.Path, f.text())
	switch {
	case errors.Is(err, ErrOutside):
		c.add("CG308", Error, f.Value, "this path leads out of the workspace")
	case err != nil:
		c.add("CG307", Error, f.Value, err.Error())
	case o.Name == "import" && o.field("block") != nil:
		for _, r := range o.references(c.d.Source, "block") {
			if m := other.Find(r.Path); m.Block == nil {
				c.add("CG305", Error, r.At, fmt.Sprintf("there is no block %s in "+
					"%s", chars.Short(m.Lost, 60), f.text()))
			}
		}
	}
}
