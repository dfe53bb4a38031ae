package outline

import (
	"bytes"
	"slices"
)

// maxDepth is how deep blocks may lie in each other to be sections.
const maxDepth = 4

// indented returns the blocks that indentation shows: a line with all deeper lines behind it, and the one
// that closes it, if that begins with a bracket. Lines that begin with one begin no block.
func indented(raw []byte) []Section {
	b := blocks{}
	for r := range rows(raw) {
		b.line(r)
		if len(b.sections) == Most {
			break
		}
	}
	b.close(-1, nil)
	sections := slices.DeleteFunc(b.sections, func(s Section) bool { return s.To <= s.End })
	return nest(sections)
}

// blocks reads the blocks of a document.
type blocks struct {
	sections []Section
	open     []opened // the outermost first
	before   *opened  // the line before, which may begin a block
	last     int      // the end of the last line that is not blank
}

// opened is a line that begins a block, or could.
type opened struct {
	columns int
	section Section
	number  int // of the section; -1 for a block that lies too deep
}

// line reads the next line.
func (b *blocks) line(r row) {
	columns, size := indent(r.text)
	body := bytes.TrimRight(r.text[size:], " \t")
	if len(body) == 0 {
		return
	}
	if b.before != nil && columns > b.before.columns {
		b.begin()
	}
	closing := bytes.IndexByte([]byte(")]}"), body[0]) >= 0 || bytes.Equal(body, []byte("end"))
	var end *row
	if closing {
		end = &r
	}
	b.close(columns, end)
	b.last = r.to
	b.before = nil
	if !closing {
		name := bytes.TrimRight(body, " \t{[(:")
		if len(name) > 0 {
			at := r.from + size
			b.before = &opened{columns, Section{Name: short(name), Kind: Block, From: r.from, To: r.to, At: at, End: at + len(name)}, -1}
		}
	}
}

// begin makes a block of the line before.
func (b *blocks) begin() {
	if len(b.open) < maxDepth {
		b.before.number = len(b.sections)
		b.sections = append(b.sections, b.before.section)
	}
	b.open = append(b.open, *b.before)
}

// close ends the blocks that a line with so many columns is not part of. end is the line if it closes one.
func (b *blocks) close(columns int, end *row) {
	for len(b.open) > 0 {
		o := b.open[len(b.open)-1]
		if o.columns < columns {
			return
		}
		if o.number >= 0 {
			s := &b.sections[o.number]
			s.To = max(s.To, b.last)
			if end != nil && o.columns == columns {
				s.To = end.to
			}
		}
		b.open = b.open[:len(b.open)-1]
	}
}
