package graphfile

import (
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// Target is a block that a name means: one of a document, or one that an operation inserts.
type Target struct {
	Document *graph.Document
	Block    *graph.Block     // nil: it is inserted
	Inserter *graph.Operation // nil: it is there
	At       graph.Span       // the name that was asked about
	name     string
}

// Place is where the target is named: its heading, the id in the header of what is inserted, or the operation.
func (t Target) Place() graph.Span {
	if t.Block != nil {
		return t.Block.Heading()
	}
	if id, at := t.Inserter.Inserts(); id != "" {
		return at
	}
	return t.Inserter.NameAt
}

// TargetAt returns what the name at a byte means: in a path, in a heading, or in the header of what an operation inserts.
// A target in another document is the one that @import names.
func TargetAt(f File, offset int) (t Target, ok bool) {
	b, o := f.At(offset)
	switch {
	case o != nil:
		return f.targetIn(o, offset)
	case b.Level > 0 && b.Heading().From <= offset && offset <= b.Heading().To:
		return Target{Document: f.Document, Block: b, At: b.Heading(), name: b.Name()}, true
	}
	return t, false
}

// targetIn returns what the name at a byte of an operation means.
func (f File) targetIn(o *graph.Operation, offset int) (t Target, ok bool) {
	within := func(s graph.Span) bool { return s.From <= offset && offset <= s.To }
	if id, at := o.Inserts(); id != "" && within(at) {
		t = Target{f.Document, f.Keeps(o), o, at, id}
		if t.Block != nil {
			t.Inserter = nil
		}
		return t, true
	}
	if path, at := o.Value("file"); path != "" && within(at) {
		d := f.other(o)
		return Target{Document: d, At: at, name: path}, d != nil
	}
	for _, m := range f.Mentions(o) {
		if !within(m.At) {
			continue
		}
		d := f.Document
		if m.Elsewhere {
			if d = f.other(o); d == nil {
				return t, false
			}
		}
		steps := f.Steps(m.Reference)
		if len(steps) == 0 {
			steps = []graph.Step{{At: m.At, Path: m.Path}}
		}
		for _, step := range steps {
			if offset <= step.At.To || step == steps[len(steps)-1] {
				return f.stepTarget(d, step)
			}
		}
	}
	return t, false
}

// stepTarget returns what a name of a path means.
func (f File) stepTarget(d *graph.Document, step graph.Step) (t Target, ok bool) {
	t = Target{Document: d, At: step.At, name: last(step.Path)}
	if t.Block = d.Find(step.Path).Block; t.Block == nil && d == f.Document {
		t.Inserter = f.Around.Costs.Inserter(step.Path)
	}
	return t, t.Block != nil || t.Inserter != nil
}

// last returns the last name of a path.
func last(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// Uses returns where the document names a target, besides its place: each name of a path that leads to it.
func Uses(f File, t Target) (out []graph.Span) {
	for _, o := range f.Operations {
		for _, m := range f.Mentions(o) {
			if m.Elsewhere {
				continue
			}
			steps := f.Steps(m.Reference)
			for _, step := range steps {
				if f.means(t, step.Path) {
					out = append(out, step.At)
				}
			}
			if len(steps) == 0 && f.means(t, m.Path) {
				out = append(out, m.At)
			}
		}
	}
	return out
}

// means reports whether a path leads to a target of this document.
func (f File) means(t Target, path string) bool {
	found := f.Find(path).Block
	if t.Block != nil {
		return found == t.Block
	}
	id, _ := t.Inserter.Inserts() // else it may insert several blocks
	return found == nil && f.Around.Costs.Inserter(path) == t.Inserter && (id != "" || graph.Named(last(path), t.name))
}

// UsesElsewhere returns where another document names a block of this one: it imports it.
func UsesElsewhere(other File, t Target) (out []graph.Span) {
	for _, o := range other.Operations {
		for _, m := range other.Mentions(o) {
			for _, step := range other.Steps(m.Reference) {
				if d, path := other.imported(m, step); t.Block != nil && d != nil && d.Path == t.Document.Path &&
					t.Document.Find(path).Block == t.Block {
					out = append(out, step.At)
				}
			}
		}
	}
	return out
}

// imported returns the document whose block a name of a path means, and the path there; nil: this one's, or it cannot be read.
func (f File) imported(m graph.Mention, step graph.Step) (d *graph.Document, path string) {
	if m.Elsewhere {
		return f.other(m.Operation), step.Path
	}
	if by := f.Around.Costs.Inserter(step.Path); by != nil && by.Name == "import" && f.Find(step.Path).Block == nil {
		return f.other(by), last(step.Path)
	}
	return nil, ""
}

// id returns where the id of a target stands, and what it is; "": it has none.
func (t Target) id() (string, graph.Span) {
	if t.Block != nil {
		return t.Block.ID, t.Block.IDAt()
	}
	return t.Inserter.Inserts()
}

// Renameable returns the id at a byte and what would be replaced there. Errors: invalid, with the reason.
func Renameable(f File, offset int) (name string, at graph.Span, err error) {
	t, ok := TargetAt(f, offset)
	const op = "graph.rename"
	if !ok || t.Document != f.Document || t.Block == nil && t.Inserter == nil {
		return "", at, fault.New(fault.Invalid, op, "this is not an id of this document")
	}
	id, written := t.id()
	switch {
	case id == "" && t.Block == nil:
		return "", at, fault.New(fault.Invalid, op, "@%s inserts this block, whose id is not in this document",
			t.Inserter.Name)
	case id == "":
		return "", at, fault.New(fault.Invalid, op, "the block %s has no id", title(t.Block)).
			WithHint("write {id=%s} at the end of its heading: then it can be renamed", t.name)
	case t.Block != nil && t.At == t.Block.Heading():
		return id, written, nil
	case !graph.Named(f.In(t.At), id):
		return "", at, fault.New(fault.Invalid, op, "%q is not the id of the block, which is %s",
			called(f.In(t.At)), id)
	}
	return id, t.At, nil
}

// Rename returns the edits that give the id at a byte another name wherever it is used. Errors: invalid for a name that is no
// id, or with which a reference would lead elsewhere.
func Rename(f File, offset int, name string) ([]Edit, error) {
	const op = "graph.rename"
	if _, _, err := Renameable(f, offset); err != nil {
		return nil, err
	}
	if !graph.IsID(name) {
		return nil, fault.New(fault.Invalid, op, "%q is no id", chars.Short(name, longestName)).
			WithHint("an id begins with a letter, and has letters, digits, - and _")
	}
	t, _ := TargetAt(f, offset)
	id, at := t.id()
	taken := Target{Document: f.Document, Block: f.Find(name).Block, Inserter: f.Around.Costs.Inserter(name)}
	if other := taken.Block; !graph.Named(name, id) && (other != nil && graph.Named(other.ID, name) || other == nil &&
		taken.Inserter != nil) {
		line, _ := f.Place(taken.Place().From)
		return nil, fault.New(fault.Invalid, op, "the id %s is taken, on line %d", name, line).
			WithHint("choose a name that no block has")
	}
	edits := []Edit{{at, name}}
	for _, o := range f.Operations {
		if f.importsInPlace(o, t) {
			line, _ := f.Place(o.At.From)
			file, _ := o.Value("file")
			return nil, fault.New(fault.Invalid, op, "@import on line %d replaces it by a block of %s with the same id", line,
				called(file)).WithHint("rename that one first")
		}
		if t.Block != nil && f.Keeps(o) == t.Block {
			_, at := o.Inserts()
			edits = append(edits, Edit{at, name})
		}
	}
	for _, use := range Uses(f, t) {
		if graph.Named(f.In(use), id) {
			edits = append(edits, Edit{use, name})
		}
	}
	if changed := f.leadsElsewhere(edits, lineOf); changed != "" {
		return nil, fault.New(fault.Invalid, op, "with the id %s the reference %s would lead elsewhere", name, changed).
			WithHint("choose a name that no block has")
	}
	return edits, nil
}

// importsInPlace reports whether an operation replaces a target by a block of another document that has its id.
func (f File) importsInPlace(o *graph.Operation, t Target) bool {
	mode, _ := o.Value("mode")
	return o.Name == "import" && mode == "replace" && t.Block != nil &&
		graph.Named(f.Around.Costs.Gives(o), t.Block.ID) &&
		slices.ContainsFunc(f.Mentions(o), func(m graph.Mention) bool {
			return m.Key == "to" && !m.Below && f.Find(m.Path).Block == t.Block
		})
}

// RenameElsewhere returns the edits of another document that has the block named at a byte of this one, for a Rename.
func RenameElsewhere(f File, offset int, name string, other File) (edits []Edit) {
	t, _ := TargetAt(f, offset)
	id, _ := t.id()
	for _, use := range UsesElsewhere(other, t) {
		if graph.Named(other.In(use), id) {
			edits = append(edits, Edit{use, name})
		}
	}
	return edits
}

// lineOf returns the line of a block.
func lineOf(d *graph.Document, b *graph.Block) string {
	line, _ := d.Place(b.Own.From)
	return strconv.Itoa(line)
}

// leadsElsewhere returns a reference that leads to another block after edits, "" if none does: same is what stays of a block.
func (f File) leadsElsewhere(edits []Edit, same func(*graph.Document, *graph.Block) string) string {
	after := applied(f.Document, edits)
	if len(after.Operations) != len(f.Operations) {
		return "of an operation"
	}
	place := func(d *graph.Document, m graph.Mention) string {
		if b := d.Find(m.Path).Block; b != nil {
			return same(d, b)
		}
		return ""
	}
	for i, o := range f.Operations {
		was, is := f.Mentions(o), after.Mentions(after.Operations[i])
		for j, m := range was {
			if j >= len(is) || !m.Elsewhere && place(f.Document, m) != place(after, is[j]) {
				return called(m.Path)
			}
		}
	}
	return ""
}
