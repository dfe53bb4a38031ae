package graph

import (
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"ctxledger.dev/internal/yamldoc"
)

// ownText is what an operation's own text says. It does not depend on the position in the document; positions are from its
// beginning.
type ownText struct {
	header   []string // the names that it gives the block which it inserts
	id       string   // among them, that is written in it; "": none
	idAt     Span
	idle     bool // it cannot run: its parameters are no YAML, or it has none of those that it needs
	prompt   kept // its tokens
	above    kept // those of what is before it in its block
	resolved atomic.Pointer[resolved]
	alone    atomic.Pointer[[]Finding]
}

// readOperation reads an operation. Positions are from its beginning; what is wrong with it is among its findings.
func readOperation(text string) *Operation {
	o := readFields(text)
	o.block, o.to, o.own = o.readReferences(text, "block"), o.readReferences(text, "to"), &ownText{}
	o.own.idle = len(o.Fields) == 0 && len(o.findings) > 0 || o.lacks()
	if operations[o.Name].merges && headingLevel(o.heading()) > 0 { // or else it opens no block
		o.own.header = named(o.heading())
		switch f := o.field("use-header"); {
		case f != nil:
			o.own.id, o.own.idAt = headerID(f, text)
		case o.Name == "shell": // so Fractalic's pages name it
			o.own.header = append(o.own.header, named("# OS Shell Tool response block")...)
		}
	}
	return o
}

// heading returns the heading that an operation writes: above its result, of @run above the prompt in the document that runs; "":
// none.
func (o *Operation) heading() string {
	if o.Name == "run" && o.text("prompt") == "" {
		return ""
	}
	if f := o.field("use-header"); f != nil {
		return f.text()
	}
	return operations[o.Name].header
}

// headed returns the heading above the result of an operation, as far as its own text says it.
func (o *Operation) headed() header {
	if o.Name != "llm" && o.Name != "shell" { // of the others a document says it
		return header{}
	}
	return header{headingLevel(o.heading()), o.own.id}
}

// headingLevel returns the level of the heading at the beginning of a text; 0: there is none.
func headingLevel(text string) int {
	n := len(text) - len(strings.TrimLeft(text, "#"))
	if rest := text[n:]; n > maxLevel || rest != "" && strings.IndexByte(" \t\r\n", rest[0]) < 0 {
		return 0
	}
	return n
}

// readFields reads the parameters of an operation.
func readFields(text string) *Operation {
	line, body, _ := strings.Cut(text, "\n")
	name := strings.TrimRight(line, " \t\r")
	o := &Operation{Name: strings.ToLower(name[1:]), At: Span{0, len(text)}, NameAt: Span{1, len(name)}}
	start := len(text) - len(body)
	if strings.TrimSpace(body) == "" {
		return o
	}
	fields, err := yamldoc.Fields([]byte(body))
	if err != nil {
		o.findings = append(o.findings, syntaxError(text, Span{start, len(text)}, err))
		return o
	}
	lines := lineStarts(body)
	at := func(line, column int) int { return start + offsetOf(body, lines, line, column) }
	for i, f := range fields {
		key, end := at(f.Line, f.Column), len(text)
		if i+1 < len(fields) {
			end = at(fields[i+1].Line, fields[i+1].Column)
		}
		line, column, _ := f.Value()
		value := Span{at(line, column), end}
		if value.From < key || value.From > end { // nothing, or an alias
			value.From = min(key+len(f.Key)+1, end)
		}
		value.To = value.From + len(strings.TrimRight(value.In(text), " \t\r\n"))
		o.Fields = append(o.Fields, Field{Key: f.Key, At: Span{key, min(key+len(f.Key), len(text))}, Value: value,
			null: f.IsNull(), yaml: f})
	}
	return o
}

// headerID returns the id that a header has as it is written in the operation, and its position; "": none.
func headerID(header *Field, source string) (id string, at Span) {
	_, id, _, _ = takeID(header.text())
	if from := strings.Index(header.Value.In(source), "{id="+id+"}"); id != "" && from >= 0 {
		from += header.Value.From + len("{id=")
		return id, Span{from, from + len(id)}
	}
	return "", Span{}
}

// lists are what the lists of operations are written into.
type lists struct {
	fields     memory[Field]
	references memory[Reference]
}

// moveTo makes the operation into another one, elsewhere, with its lists in this memory.
func (o *Operation) moveTo(out *Operation, in *lists, by int) {
	*out = Operation{Name: o.Name, At: o.At.moved(by), NameAt: o.NameAt.moved(by),
		findings: slices.Clone(o.findings), own: o.own}
	out.Fields = in.fields.copied(o.Fields)
	out.block, out.to = in.references.copied(o.block), in.references.copied(o.to)
	for i := range out.Fields {
		f := &out.Fields[i]
		f.At, f.Value = f.At.moved(by), f.Value.moved(by)
	}
	for _, refs := range [][]Reference{out.block, out.to} {
		for i := range refs {
			refs[i].At = refs[i].At.moved(by)
		}
	}
	for i, f := range out.findings {
		out.findings[i] = f.moved(by)
	}
}

// lineStarts returns where the lines of a text begin.
func lineStarts(text string) []int {
	starts := make([]int, 1, 1+strings.Count(text, "\n"))
	for at := 0; ; {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
		starts = append(starts, at)
	}
	return starts
}

// offsetOf returns the byte offset of a line and a column, both from 1, the column in characters.
func offsetOf(text string, lines []int, line, column int) int {
	if line < 1 || line > len(lines) {
		return 0
	}
	at := lines[line-1]
	for ; column > 1 && at < len(text) && text[at] != '\n'; column-- {
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return at
}

// field returns a parameter; nil: it is not given, or nothing.
func (o *Operation) field(key string) *Field {
	for i := range o.Fields {
		if o.Fields[i].Key == key && !o.Fields[i].null {
			return &o.Fields[i]
		}
	}
	return nil
}

// text returns the text of a parameter, "" where it has none.
func (o *Operation) text(key string) string {
	if f := o.field(key); f != nil {
		return f.text()
	}
	return ""
}

// text returns the value of a parameter that is one, else "".
func (f Field) text() string {
	_, _, text := f.yaml.Value()
	return text
}

// truth returns the value of a parameter that is true or false.
func (o *Operation) truth(key string) bool {
	var v bool
	f := o.field(key)
	return f != nil && f.yaml.Decode(&v) == nil && v
}

// turnsMax is how often a model may call tools where that is not given.
const turnsMax = 30

// tools reports whether a model gets tools, and how often it may call them; 0: that cannot be read.
func (o *Operation) tools() (has bool, turns int) {
	f := o.field("tools")
	if f == nil || f.text() == "none" {
		return false, 0
	}
	if items, err := f.yaml.Items(); f.text() == "" && (err != nil || len(items) == 0) {
		return false, 0
	}
	limit := o.field("tools-turns-max")
	if limit == nil {
		return true, turnsMax
	}
	if limit.yaml.Decode(&turns) != nil {
		turns = 0
	}
	return true, max(turns, 0)
}

// attached is a file that an operation attaches, as it is written, and where.
type attached struct {
	text string
	at   Span
}

// media returns the files that an operation attaches.
func (o *Operation) media() (out []attached) {
	f := o.field("media")
	if f == nil || o.Name != "llm" {
		return nil
	}
	if items, err := f.yaml.Items(); err == nil && len(items) > 0 {
		for _, item := range items {
			if _, _, text := item.Value(); text != "" {
				out = append(out, attached{text, f.Value})
			}
		}
		return out
	}
	if text := f.text(); text != "" {
		out = append(out, attached{text, f.Value})
	}
	return out
}
