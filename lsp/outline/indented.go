package outline

import (
	"bytes"
	"slices"

	"ctxledger.dev/lsp/text"
)

// indented finds blocks by indentation: a line with all deeper lines after it, and the closing line if it starts with a
// bracket. Lines that start with a bracket start no block.
type indented []mark

// Further kinds of lines. n is the indentation in columns.
const (
	closingLine  byte = 2 + iota // starts with a closing bracket, or is "end"
	namelessLine                 // has no text that could name a block
)

// maxDepth is the maximum nesting of blocks that are sections.
const maxDepth = 4

func (b indented) edit(before, after *text.Text, c text.Change) (parts, bool) {
	return indented(remarked(b, before, after, c, indentedMark)), true
}

// indentedMark marks a line.
func indentedMark(line []byte) mark {
	columns, size := indent(line)
	body := bytes.TrimRight(line[size:], " \t")
	m := mark{kind: textLine, n: count16(columns)}
	switch {
	case len(body) == 0:
		return mark{}
	case bytes.IndexByte([]byte(")]}"), body[0]) >= 0, string(body) == "end":
		m.kind = closingLine
	case len(named(body)) == 0:
		m.kind = namelessLine
	}
	return m
}

// named returns the name of the block that a line starts.
func named(body []byte) []byte { return bytes.TrimRight(body, " \t{[(:") }

// spans implements parts.
func (b indented) spans() []span {
	r := blocks{before: -1, marks: b}
	for i, m := range b {
		if m.kind != blankLine {
			r.line(int32(i), m)
		}
		if len(r.found) == Most {
			break
		}
	}
	r.close(-1, -1)
	return slices.DeleteFunc(r.found, func(s span) bool { return s.last == s.first })
}

// blocks reads the marks of a document.
type blocks struct {
	marks  indented
	found  []span
	open   []opened // the outermost first
	before int32    // the previous line if it can start a block, else -1
	last   int32    // the last line that is not blank
}

// opened is a block that has not ended.
type opened struct {
	columns int
	number  int // of the section; -1 for a block that is nested too deep
}

// line processes the next line that is not blank.
func (b *blocks) line(i int32, m mark) {
	columns := int(m.n)
	if b.before >= 0 && columns > int(b.marks[b.before].n) {
		b.begin()
	}
	end := int32(-1)
	if m.kind == closingLine {
		end = i
	}
	b.close(columns, end)
	b.last, b.before = i, -1
	if m.kind == textLine {
		b.before = i
	}
}

// begin starts a block at the previous line.
func (b *blocks) begin() {
	o := opened{int(b.marks[b.before].n), -1}
	if len(b.open) < maxDepth {
		o.number = len(b.found)
		b.found = append(b.found, span{first: b.before, last: b.before, number: b.before})
	}
	b.open = append(b.open, o)
}

// close ends the blocks that do not contain a line with this indentation. end is the line if it closes a block, else -1.
func (b *blocks) close(columns int, end int32) {
	for len(b.open) > 0 {
		o := b.open[len(b.open)-1]
		if o.columns < columns {
			return
		}
		if o.number >= 0 {
			s := &b.found[o.number]
			s.last = max(s.last, b.last)
			if end >= 0 && o.columns == columns {
				s.last = end
			}
		}
		b.open = b.open[:len(b.open)-1]
	}
}

// section implements parts.
func (b indented) section(t *text.Text, s span) Section {
	found := between(t, s)
	found.Kind = Block
	from, to := t.Line(int(s.number))
	line := t.Bytes(from, to)
	_, size := indent(line)
	name := named(bytes.TrimRight(line[size:], " \t"))
	found.Name, found.At, found.End = short(name), from+size, from+size+len(name)
	return found
}

// place implements parts.
func (indented) place(t *text.Text, offset int) int32 { return int32(t.LineAt(offset)) }
