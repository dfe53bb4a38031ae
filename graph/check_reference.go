package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// references checks what an operation refers to: blocks of this document, and other documents.
func (c *checker) references(o *Operation) {
	for _, key := range []string{"block", "to"} {
		if _, takes := operations[o.Name].keys[key]; !takes || o.field(key) == nil {
			continue
		}
		refs := o.references(key)
		if len(refs) > 0 && !refs[0].Short {
			c.add("CG301", Hint, o.field(key).Value, "block_uri can be left out").Fix =
				&Fix{Title: "Write the short form", At: o.field(key).Value, Text: c.shortForm(refs)}
		}
		if key == "block" && o.Name == "import" {
			continue // of the other document
		}
		matches := c.d.matches(o, key)
		var itself map[*Block]bool // blocks that are referred to without "/*" too
		if len(refs) > 1 && slices.ContainsFunc(refs, func(r Reference) bool { return r.Below }) {
			itself = map[*Block]bool{}
			for i, r := range refs {
				if b := matches.at(i).Block; b != nil && !r.Below {
					itself[b] = true
				}
			}
		}
		content := false
		for i, r := range refs {
			content = c.reference(o, o.field(key), r, matches.at(i), itself) || content
		}
		switch {
		case len(refs) == 0 && o.field(key).text() == "" && key == "block":
			c.add("CG304", Warning, o.field(key).At, "nothing is selected: block names no block")
		case key == "block" && o.Name != "goto" && !content && len(refs) > 0:
			c.add("CG304", Warning, o.field(key).Value, "nothing is selected: the block has no blocks below it")
		}
	}
	c.file(o)
	c.media(o)
	c.result(o)
}

// result checks the id that an operation gives the block which it inserts: another one may have it, which it does not replace.
func (c *checker) result(o *Operation) {
	id, at := o.Inserts()
	if id == "" || c.d.Keeps(o) != nil {
		return
	}
	taken := func(first Span) {
		c.add("CG102", Warning, at, "the id "+id+" is taken: a reference leads to the first block with it").Related =
			[]Related{{first, "the first one"}}
	}
	if m := c.d.Find(id); m.Block != nil && Named(m.Block.ID, id) {
		taken(m.Block.Heading())
		return
	}
	for _, by := range c.made.by()[folded(id)] {
		if same, first := by.Inserts(); by.Index < o.Index && Named(same, id) {
			taken(first)
			return
		}
	}
}

// shortForm returns references as they are written shortly.
func (c *checker) shortForm(refs []Reference) string {
	all := make([]string, len(refs))
	for i, r := range refs {
		all[i] = c.d.In(r.At)
	}
	if len(all) == 1 {
		return all[0]
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// reference checks one reference in a field. content says that it selects something, or that this cannot be known.
func (c *checker) reference(o *Operation, f *Field, r Reference, m Match, itself map[*Block]bool) (content bool) {
	if m.Block == nil {
		c.missing(o, r, m)
		return true
	}
	var withID *Fix
	if name := m.Block.Name(); m.Block.ID == "" && !m.Block.marked && c.freeID(name, m.Block) == name {
		withID = &Fix{Title: "Add an id to the heading", At: Span{m.Block.Heading().To, m.Block.Heading().To},
			Text: " {id=" + m.Block.Name() + "}"}
	}
	if m.More > 0 {
		same := chars.Plural(m.More+1, "block")
		c.add("CG306", Warning, r.At, fmt.Sprintf("%s are named %s: the first is taken", same, r.Path)).Related =
			[]Related{{m.Block.Heading(), "this one"}}
	}
	c.keyed = c.keyed || m.By == ByKey
	if (m.By == BySlug || m.By == ByLegacy) && !(r.Below && itself[m.Block]) {
		f := c.add("CG311", Information, r.At, "found by its heading, not by an id: a new heading breaks this reference")
		if f.Fix = withID; m.Block.ID != "" {
			f.Message = "found by its heading, not by its id " + m.Block.ID + ": a new heading breaks this reference"
			if path := r.Path[:strings.LastIndexByte(r.Path, '/')+1] + m.Block.ID; c.d.Find(path).Block == m.Block {
				f.Fix = c.renamed(o, r, path)
			}
		}
	}
	if g := c.made.grows(); f.Key == "block" && g.removed(m.Block, o) && !c.made.before(o, r.Path) {
		c.replaced(o, r, m.Block, c.d.Operations[g.gone[m.Block.index]])
		return true
	}
	if f.Key == "to" {
		if o.text("mode") == "replace" && m.Block.ID == "" && !r.Below {
			c.add("CG110", Information, r.At, "the replaced block may lose its name: give it an id").Fix = withID
		}
		return true
	}
	if r.Below && !itself[m.Block] && c.hasText(m.Block) && o.Name != "goto" && !c.d.fractalic() {
		c.add("CG303", Information, r.At,
			fmt.Sprintf("this selects what is below %s, not its own text; Fractalic selects both", r.Path)).Fix =
			&Fix{Title: "Select both", At: c.d.Whole(r), Text: c.both(f, r), Choice: true}
	}
	return !r.Below || c.d.fractalic() || c.made.grows().later(o, r, m.Block) ||
		slices.ContainsFunc(c.d.Below(m.Block), func(b *Block) bool { return !b.System })
}

// replaced says of a reference that an operation replaces its block, as far as it is known what is there then.
func (c *checker) replaced(o *Operation, r Reference, b *Block, by *Operation) {
	severity, message := Information, "nothing is sent for it unless the result has a block of this name"
	id := c.made.header(by).id
	gets := losesID(b, id) && c.d.Find(by.to[0].Path).Block == b && !strings.Contains(r.Path, "/")
	if gets {
		severity, message = Error, "the new one is "+id
	}
	f := c.add("CG305", severity, r.At, "an earlier operation replaces this block: "+message)
	f.Related = []Related{{by.NameAt, "this one"}}
	if gets {
		f.Fix = c.renamed(o, r, id)
	}
}

// both returns what selects a block and all below it, where a reference is: alone, in a list in brackets, or in one of lines.
func (c *checker) both(f *Field, r Reference) string {
	whole := c.d.Whole(r)
	text := c.d.In(whole)
	itself := strings.TrimSuffix(strings.Trim(text, `"'`), "/*")
	before := c.d.In(Span{c.line(whole.From).From, whole.From})
	switch {
	case strings.HasSuffix(before, "- "):
		return itself + "\n" + before + text
	case strings.HasPrefix(c.d.In(f.Value), "["):
		return itself + ", " + text
	default:
		return "[" + itself + ", " + text + "]"
	}
}

// hasText reports whether a block says something besides its heading.
func (c *checker) hasText(b *Block) bool { return c.d.says(b, c.d.Len()) }

// maxSuggested is how many references that lead nowhere are compared with all names.
const maxSuggested = 50

// missing says what is known of a block that is not in the document: an operation may create it.
func (c *checker) missing(o *Operation, r Reference, m Match) {
	last := r.Path[strings.LastIndexByte(r.Path, '/')+1:]
	if all := c.made.by()[folded(last)]; len(all) > 0 {
		switch by := all[0]; {
		case by.Index < o.Index && c.jumps.over(by):
			c.add("CG310", Warning, r.At, "an operation that may be jumped over creates this block")
		case by.Index < o.Index, c.jumps.over(o) && c.jumps.back(by, o): // it may first run after that one
		case by == o:
			c.add("CG309", Warning, r.At, "only this operation itself creates this block")
		case c.jumps.back(by, o):
			c.add("CG309", Warning, r.At, "only a later operation creates this block: the first pass is without it").Related =
				[]Related{{by.NameAt, "this one"}}
		default:
			c.add("CG309", Warning, r.At, "only a later operation creates this block").Related =
				[]Related{{by.NameAt, "this one"}}
		}
		return
	}
	if Named(r.Path, inputBlock) {
		c.add("CG305", Information, r.At, "this block is there only if another document runs this one, with a prompt")
		return
	}
	f := c.add("CG305", Error, r.At, fmt.Sprintf("there is no block %s", chars.Short(m.Lost, 60)))
	if strings.Contains(r.Path, "*") {
		f.Message = "a * is only the last part of a path, after a name: goal/*"
		return
	}
	if list := c.list(c.d.In(r.At)); list != "" && o.field("block") != nil && o.field("block").text() != "" {
		f.Message = "this is one name: several are written as a list"
		f.Fix = &Fix{Title: "Write the list", At: c.d.Whole(r), Text: list}
		return
	}
	if said := c.d.Unreachable(m.Lost); said != "" {
		f.Message = said
		return
	}
	if m.In != nil {
		f.Message += " directly below " + m.In.Name()
		if found := c.d.Find(m.Lost).Block; found != nil {
			f.Message += ", but " + found.URI()
			f.Related = []Related{{found.Heading(), "here"}}
			path := found.URI()
			if c.d.Find(path).Block != found { // a block above has the name of another one
				path = c.d.Reaches(found)
			}
			f.Fix = c.renamed(o, r, path)
			return
		}
	}
	if c.lost++; c.lost > maxSuggested {
		return
	}
	path := c.d.nearest(r.Path, c.allNames())
	if path != "" && (c.d.Find(path).Block != nil || c.made.before(o, path)) {
		f.Message += "; did you mean " + path + "?"
		f.Fix = c.renamed(o, r, path)
	}
}

// Unreachable says why no reference leads to a name that a system block has; "": none has it.
func (d *Document) Unreachable(name string) string {
	if name == "" || !slices.ContainsFunc(d.systems[:min(len(d.systems), maxSuggested)], func(b *Block) bool {
		return Named(b.ID, name) || Named(b.Slug, name)
	}) {
		return ""
	}
	return chars.Short(name, 60) + " is part of the system prompt, which each @llm sends: no reference leads there"
}

// list returns a value as a list if it is several: with commas, or names of blocks with spaces between them. "" is neither.
func (c *checker) list(value string) string {
	names := strings.Fields(value)
	switch lost := func(name string) bool { return c.d.Find(strings.TrimSuffix(name, "/*")).Block == nil }; {
	case strings.Contains(value, ","):
		return "[" + value + "]"
	case len(names) > 1 && !slices.ContainsFunc(names, lost):
		return "[" + strings.Join(names, ", ") + "]"
	}
	return ""
}

// renamed returns the fix that writes another path, or leaves the reference out where the list has that already; nil: this one
// is not written as it reads, as with escapes.
func (c *checker) renamed(o *Operation, r Reference, path string) *Fix {
	if i, refs := slices.Index(o.block, r), o.block; i >= 0 && len(refs) <= maxRewritten &&
		slices.ContainsFunc(refs, func(x Reference) bool { return x.Path == path && x.Below == r.Below }) {
		return c.without(o, refs, i)
	}
	if !strings.Contains(c.d.In(r.At), r.Path) {
		return nil
	}
	if r.Below {
		path += "/*"
	}
	return &Fix{Title: "Write " + path, At: r.At, Text: path}
}

// allNames returns the names of all blocks, also of those that operations insert.
func (c *checker) allNames() []string {
	if c.names == nil {
		for _, o := range c.d.Operations {
			if c.d.runs(o) {
				c.names = append(c.names, c.made.names(o)...)
			}
		}
		c.names = append(c.names, c.d.blockNames(nil)...)
	}
	return c.names
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
	case fault.Is(err, fault.NotFound):
		c.add("CG307", Error, f.Value, err.Error())
	case err != nil:
		c.add("CG001", Error, f.Value, err.Error())
	case o.Name == "import" && o.field("block") != nil:
		for _, r := range o.references("block") {
			if m := other.Find(r.Path); m.Block == nil {
				c.add("CG305", Error, r.At, fmt.Sprintf("%s has no block %s", f.text(), chars.Short(m.Lost, 60)))
			}
		}
	}
}

// media checks the files that an operation attaches.
func (c *checker) media(o *Operation) {
	for _, m := range o.media() {
		if c.o.Exists == nil || strings.Contains(m.text, "://") {
			continue
		}
		switch err := c.o.Exists(c.d.Path, m.text); {
		case errors.Is(err, ErrOutside):
			c.add("CG308", Error, m.at, chars.Short(m.text, 60)+" leads out of the workspace")
		case err != nil:
			c.add("CG001", Error, m.at, err.Error())
		}
	}
}
