package outline

import (
	"bytes"
	"math"

	"ctxledger.dev/lsp/text"
)

// markdown finds the sections of CommonMark headings, ATX and setext, outside of fenced code and YAML front matter. A
// section ends before the next heading of its level or above, without trailing blank lines.
type markdown []mark

// The kinds of lines of Markdown. n is the level of a heading, else the number of signs.
const (
	blankLine byte = iota
	textLine
	headingLine
	equalsLine // underlines a heading of level 1
	dashesLine // one of level 2; three of them delimit YAML
	dotsLine   // three of them end YAML
	tickFence  // starts or ends code
	tickOpens  // only starts code, since the language follows
	tildeFence
	tildeOpens
)

func (m markdown) edit(before, after *text.Text, c text.Change) (parts, bool) {
	return markdown(remarked(m, before, after, c, markdownMark)), true
}

// markdownMark marks a line.
func markdownMark(line []byte) mark {
	columns, size := indent(line)
	body := bytes.TrimRight(line[size:], " \t")
	m := mark{kind: textLine, deep: columns >= 4}
	signs := func(sign string) int { return len(body) - len(bytes.TrimLeft(body, sign)) }
	only := func(n int) bool { return n == len(body) }
	switch {
	case len(body) == 0:
		return mark{}
	case body[0] == '#':
		if n := signs("#"); n <= 6 && (only(n) || body[n] == ' ' || body[n] == '\t') {
			m.kind, m.n = headingLine, uint16(n)
		}
	case body[0] == '=' && only(signs("=")):
		m.kind = equalsLine
	case body[0] == '-' && only(signs("-")):
		m.kind, m.n = dashesLine, count16(len(body)+columns*4) // YAML is not indented
	case string(line) == "...":
		m.kind = dotsLine
	case body[0] == '`' && signs("`") >= 3 && bytes.IndexByte(body[signs("`"):], '`') < 0:
		m.kind, m.n = tickOpens, count16(signs("`"))
	case body[0] == '~' && signs("~") >= 3:
		m.kind, m.n = tildeOpens, count16(signs("~"))
	}
	if (m.kind == tickOpens || m.kind == tildeOpens) && only(int(m.n)) {
		m.kind-- // only the fence
	}
	return m
}

// count16 converts a number with saturation.
func count16(n int) uint16 { return uint16(min(n, math.MaxUint16)) }

// spans implements parts.
func (m markdown) spans() []span {
	r := headings{}
	for i, line := range m {
		r.line(int32(i), line)
		if len(r.found) == Most {
			break
		}
	}
	r.close(1)
	return r.found
}

// headings reads the marks of a document.
type headings struct {
	found  []span
	levels []uint16 // of found
	open   []int    // indices of open sections, outermost first

	fence     mark // the fence of the current code block; zero: none
	matter    bool // in YAML front matter
	paragraph bool // the previous line is part of a paragraph
	last      int32
	before    int32 // the last line that is not blank, and the last one before that
}

// line processes the next line.
func (h *headings) line(i int32, m mark) {
	paragraph := h.paragraph
	h.paragraph = false
	switch {
	case h.matter:
		h.matter = !(m.kind == dashesLine && m.n == 3 || m.kind == dotsLine)
	case i == 0 && m.kind == dashesLine && m.n == 3:
		h.matter = true
	case h.fence.kind != 0:
		if closes(h.fence, m) {
			h.fence = mark{}
		}
	case m.kind == blankLine, m.deep && !paragraph:
	case m.deep:
		h.paragraph = true
	case m.kind >= tickFence:
		h.fence = m
	case m.kind == headingLine:
		h.add(m.n, i, i)
	case paragraph && (m.kind == equalsLine || m.kind == dashesLine):
		h.last = h.before
		h.add(1+uint16(m.kind-equalsLine), i-1, i)
	default:
		h.paragraph = m.kind != dashesLine || m.n < 3
	}
	if m.kind != blankLine {
		h.before, h.last = h.last, i
	}
}

// closes reports whether a line ends the code block of a fence.
func closes(fence, m mark) bool {
	same := m.kind == tickFence && fence.kind <= tickOpens || m.kind == tildeFence && fence.kind >= tildeFence
	return same && !m.deep && m.n >= fence.n
}

// add starts a section with a heading in the lines from first to last.
func (h *headings) add(level uint16, first, last int32) {
	h.close(level)
	h.open = append(h.open, len(h.found))
	h.found = append(h.found, span{first: first, last: last, number: first})
	h.levels = append(h.levels, level)
}

// close ends the sections of a level and below at the last line that is not blank.
func (h *headings) close(level uint16) {
	for len(h.open) > 0 {
		i := h.open[len(h.open)-1]
		if h.levels[i] < level {
			return
		}
		h.found[i].last = max(h.found[i].last, h.last)
		h.open = h.open[:len(h.open)-1]
	}
}

// section implements parts.
func (m markdown) section(t *text.Text, s span) Section {
	found := between(t, s)
	found.Kind = Heading
	from, to := t.Line(int(s.number))
	line := t.Bytes(from, to)
	if m[s.number].kind == headingLine {
		_, size := indent(line)
		from += size + int(m[s.number].n)
		line = title(bytes.TrimRight(line[size:], " \t")[m[s.number].n:])
	}
	name := bytes.TrimLeft(line, " \t")
	found.At = from + len(line) - len(name)
	name = bytes.TrimRight(name, " \t")
	found.Name, found.End = short(name), found.At+len(name)
	return found
}

// title returns a heading without its closing number signs.
func title(name []byte) []byte {
	open := bytes.TrimRight(name, "#")
	if n := len(open); n == 0 || open[n-1] == ' ' || open[n-1] == '\t' {
		return open
	}
	return name
}

// place implements parts.
func (markdown) place(t *text.Text, offset int) int32 { return int32(t.LineAt(offset)) }
