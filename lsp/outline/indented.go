package outline

import (
	"bytes"
	"slices"

	"ctxledger.dev/lsp/text"
)

// indented finds the blocks that indentation shows: a line with all deeper lines behind it, and the one
// that closes it, if that begins with a bracket. Lines that begin with one begin no block.
type indented []mark

// The kinds of lines, beside blankLine and textLine. n is the columns before them.
const (
	closingLine  byte = 2 + iota // begins with a bracket that closes, or is "end"
	namelessLine                 // has nothing that could name a block
)

// maxDepth is how deep blocks may lie in each other to be sections.
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

// named returns what names the block that a line begins.
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
	before int32    // the line before, if it may begin a block; else -1
	last   int32    // the last line that is not blank
}

// opened is a block that has not ended.
type opened struct {
	columns int
	number  int // of the section; -1 for a block that lies too deep
}

// line reads the next line that is not blank.
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

// begin makes a block of the line before.
func (b *blocks) begin() {
	o := opened{int(b.marks[b.before].n), -1}
	if len(b.open) < maxDepth {
		o.number = len(b.found)
		b.found = append(b.found, span{first: b.before, last: b.before, number: b.before})
	}
	b.open = append(b.open, o)
}

// close ends the blocks that a line with so many columns is not part of. end is the line if it closes one.
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
