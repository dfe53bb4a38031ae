package graph

import (
	"fmt"
	"sort"
	"strings"
)

// Known is an operation that there is, or a parameter that one takes.
type Known struct {
	Name, Doc string
	Values    []string // that it takes; empty: any
	Blocks    bool     // its value names blocks
	Document  bool     // its value is the path of a document
}

// KnownOperations returns the operations that there are, by their names.
func KnownOperations() []Known {
	out := make([]Known, 0, len(operations))
	for _, name := range sorted(operations) {
		out = append(out, Known{Name: name, Doc: operations[name].doc})
	}
	return out
}

// KnownParameters returns what an operation takes, by name; none if there is no such operation.
func KnownParameters(operation string) []Known {
	keys := operations[operation].keys
	out := make([]Known, 0, len(keys))
	for _, name := range sorted(keys) {
		p := keys[name]
		out = append(out, Known{Name: name, Doc: p.doc, Values: p.kind.values(),
			Blocks: p.kind == blockKind || p.kind == blocksKind, Document: p.kind == fileKind})
	}
	return out
}

// values returns the values of a kind that has few.
func (k kind) values() []string {
	switch k {
	case boolKind:
		return []string{"true", "false"}
	case modeKind:
		return []string{"append", "prepend", "replace"}
	case contextKind:
		return []string{"auto", "none"}
	case toolsKind:
		return []string{"none", "all"}
	}
	return nil
}

// At returns the block of an offset, and the operation whose lines it is in; nil: it is in none.
func (d *Document) At(offset int) (*Block, *Operation) {
	i := sort.Search(len(d.Blocks), func(i int) bool { return d.Blocks[i].Own.From > offset })
	b := d.Blocks[max(i-1, 0)]
	for _, o := range b.Operations() {
		if o.At.From <= offset && offset <= o.At.To {
			return b, o
		}
	}
	return b, nil
}

// Below returns all blocks below a block, in document order.
func (d *Document) Below(b *Block) []*Block { return d.Blocks[b.index+1 : b.end] }

// Value returns the text of an operation's parameter and its position; "" if there is no such parameter.
func (o *Operation) Value(key string) (string, Span) {
	if f := o.field(key); f != nil {
		return f.text(), f.Value
	}
	return "", Span{}
}

// Selects returns the references of the parameter block. They must not be changed.
func (o *Operation) Selects() []Reference { return o.block }

// Mention is a reference to a block, with its position in an operation.
type Mention struct {
	Reference
	Operation *Operation
	Key       string
	Elsewhere bool // the block is one of the document that the operation names
}

// Mentions returns the references of an operation, in the order of its parameters.
func (d *Document) Mentions(o *Operation) (out []Mention) {
	for i := range o.Fields {
		key := o.Fields[i].Key
		if kind := operations[o.Name].keys[key].kind; kind != blockKind && kind != blocksKind ||
			&o.Fields[i] != o.field(key) {
			continue
		}
		for _, r := range o.references(key) {
			out = append(out, Mention{r, o, key, o.Name == "import" && key == "block"})
		}
	}
	return out
}

// Step is one name of the path of a reference.
type Step struct {
	At   Span   // of the name
	Path string // up to the name
}

// Steps returns the names of a reference's path, none where it is not written as it reads, as with escapes.
func (d *Document) Steps(r Reference) (out []Step) {
	text := d.In(r.At)
	from := strings.Index(text, r.Path)
	if from < 0 || strings.Trim(text[:from]+text[from+len(r.Path):], "/* \t") != "" {
		return nil
	}
	at := r.At.From + from
	for i := 0; i <= len(r.Path); {
		end := len(r.Path)
		if next := strings.IndexByte(r.Path[i:], '/'); next >= 0 {
			end = i + next
		}
		out = append(out, Step{Span{at + i, at + end}, r.Path[:end]})
		i = end + 1
	}
	return out
}

// Whole returns where a reference is with the quotes around it.
func (d *Document) Whole(r Reference) Span {
	before := r.At.From - 1
	if before >= 0 && r.At.To < d.Len() && strings.Contains(`"'`, d.In(Span{before, r.At.From})) {
		return Span{before, r.At.To + 1}
	}
	return r.At
}

// Inserts returns the id in the operation's use-header, which the inserted block will have, and its position; "": none.
func (o *Operation) Inserts() (id string, at Span) { return o.own.id, o.own.idAt.moved(o.At.From) }

// Keeps returns the block that an operation replaces, and whose id it gives the new one; nil: it does no such thing.
func (d *Document) Keeps(o *Operation) *Block {
	id, to := o.own.id, o.references("to")
	if id == "" || o.text("mode") != "replace" || len(to) == 0 {
		return nil
	}
	if b := d.Find(id).Block; b != nil && b == d.Find(to[0].Path).Block && Named(b.ID, id) {
		return b
	}
	return nil
}

// Named reports whether two names are one: they compare by simple case folding.
func Named(a, b string) bool { return folded(a) == folded(b) }

// IsID reports whether a name may be an id.
func IsID(name string) bool { return isID(name) }

// Reaches returns a path that leads to a block, as short as it can be; "": none does.
func (d *Document) Reaches(b *Block) string {
	for _, path := range []func() string{b.Name, b.URI, b.Key} {
		if name := path(); !b.System && b.Level > 0 && d.Find(name).Block == b {
			return name
		}
	}
	return ""
}

// Sends reports whether an operation sends a block as it is.
func (d *Document) Sends(o *Operation, b *Block) bool {
	switch {
	case o.Name != "llm" && o.Name != "run" && o.Name != "return" || b.System || !d.runs(o) || d.replaced(b, o):
		return false
	case o.field("block") != nil:
		matches := d.matches(o, "block")
		for i, r := range o.block {
			if x := d.sends(o, r, matches.at(i)); x.from <= b.index && b.index < x.to {
				return true
			}
		}
		return false
	default:
		return o.sendsAmbient() && b.Own.From < o.At.From && d.speaks(b, o.At.From)
	}
}

// Written returns messages as they are sent, each below a line that says whose it is.
func Written(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "--- %s\n%s\n\n", strings.Join(strings.Fields(m.Head()), " "), m.Text)
	}
	return b.String()
}
