package outline

import "bytes"

// markdown returns the sections of headings, as CommonMark has them: those of number signs and those
// underlined, outside of fenced code and of YAML at the beginning. A section ends before the next heading
// of its level or above; blank lines at its end do not count.
func markdown(raw []byte) []Section {
	m := reader{last: -1}
	for r := range rows(raw) {
		m.line(r)
		if len(m.sections) == Most {
			break
		}
	}
	m.close(1)
	return nest(m.sections)
}

// reader reads the headings of a document.
type reader struct {
	sections []Section
	levels   []int // of all sections
	open     []int // sections that have not ended, the outermost first

	fence     []byte // what opened the code around; nil: none
	matter    bool   // inside of YAML at the beginning
	begun     bool   // a line was read
	paragraph row    // the line before, if it could be underlined; else its text is nil
	last      int    // the end of the last line that is not blank
	before    int    // the end of the one before that
}

// line reads the next line.
func (m *reader) line(r row) {
	first := !m.begun
	m.begun = true
	columns, size := indent(r.text)
	body := bytes.TrimRight(r.text[size:], " \t")
	above := m.paragraph
	m.paragraph = row{}
	switch {
	case m.matter:
		m.matter = !bytes.Equal(body, []byte("---")) && !bytes.Equal(body, []byte("..."))
	case first && bytes.Equal(r.text, []byte("---")):
		m.matter = true
	case m.fence != nil:
		if columns < 4 && closes(m.fence, body) {
			m.fence = nil
		}
	case len(body) == 0, columns >= 4 && above.text == nil:
	case fenceOf(body) != nil:
		m.fence = fenceOf(body)
	case levelOf(body) > 0:
		level := levelOf(body)
		m.add(level, r.from, r.from+size+level, title(body[level:]), r)
	case above.text != nil && underline(body) > 0:
		_, size := indent(above.text)
		m.last = m.before
		m.add(underline(body), above.from, above.from+size, above.text[size:], r)
	default:
		m.paragraph = r
	}
	if len(body) > 0 {
		m.before, m.last = m.last, r.to
	}
}

// add begins a section with a heading that ends with the line r. Its name stands at byte at.
func (m *reader) add(level, from, at int, name []byte, r row) {
	m.close(level)
	trimmed := bytes.TrimLeft(name, " \t")
	at += len(name) - len(trimmed)
	trimmed = bytes.TrimRight(trimmed, " \t")
	s := Section{Name: short(trimmed), Kind: Heading, From: from, To: r.to, At: at, End: at + len(trimmed)}
	if len(trimmed) == 0 {
		s.At, s.End = from, r.to
	}
	m.open = append(m.open, len(m.sections))
	m.sections = append(m.sections, s)
	m.levels = append(m.levels, level)
}

// close ends the sections of a level and below, with the last line that is not blank.
func (m *reader) close(level int) {
	for len(m.open) > 0 {
		i := m.open[len(m.open)-1]
		if m.levels[i] < level {
			return
		}
		m.sections[i].To = max(m.sections[i].To, m.last)
		m.open = m.open[:len(m.open)-1]
	}
}

// levelOf returns the level of a heading of number signs, or 0.
func levelOf(body []byte) int {
	n := 0
	for n < len(body) && body[n] == '#' {
		n++
	}
	if n > 6 || n < len(body) && body[n] != ' ' && body[n] != '\t' {
		return 0
	}
	return n
}

// title returns a heading without the number signs that may end it.
func title(name []byte) []byte {
	open := bytes.TrimRight(name, "#")
	if n := len(open); n == 0 || open[n-1] == ' ' || open[n-1] == '\t' {
		return open
	}
	return name
}

// underline returns the level of the heading that a line makes of the one above, or 0.
func underline(body []byte) int {
	switch {
	case len(bytes.Trim(body, "=")) == 0:
		return 1
	case len(bytes.Trim(body, "-")) == 0:
		return 2
	}
	return 0
}

// fenceOf returns the signs with which a line opens code, or nil.
func fenceOf(body []byte) []byte {
	for _, sign := range []byte("`~") {
		n := len(body) - len(bytes.TrimLeft(body, string(sign)))
		if n >= 3 && (sign == '~' || bytes.IndexByte(body[n:], '`') < 0) {
			return body[:n]
		}
	}
	return nil
}

// closes reports whether a line closes code that a fence opened.
func closes(fence, body []byte) bool {
	return len(body) >= len(fence) && len(bytes.Trim(body, string(fence[0]))) == 0
}
