package outline

import (
	"bytes"

	"ctxledger.dev/lsp/text"
)

// mark is what one line says of the outline, whatever stands around it.
type mark struct {
	kind byte   // of the language's own
	deep bool   // it is indented by four columns or more
	n    uint16 // columns, a level or a length, as the kind has it
}

// marked returns the marks of all lines of a text.
func marked(t *text.Text, of func(line []byte) mark) []mark {
	return appendMarks(make([]mark, 0, t.Lines()), t, 0, t.Lines(), of)
}

// appendMarks appends the marks of the lines from first to before last.
func appendMarks(marks []mark, t *text.Text, first, last int, of func([]byte) mark) []mark {
	if first >= last {
		return marks
	}
	from, _ := t.Line(first)
	_, to := t.Line(last - 1)
	raw := t.Bytes(from, to)
	start, _ := t.Line(first)
	for n := first; n < last; n++ {
		next := len(raw)
		if n+1 < last {
			next = t.Start(n+1) - start
		}
		marks = append(marks, of(bytes.TrimRight(raw[t.Start(n)-start:next], "\r\n")))
	}
	return marks
}

// remarked returns the marks of a text after an edit: the lines before that of its start and behind that of
// its end stay as they are.
func remarked(marks []mark, before, after *text.Text, c text.Change, of func([]byte) mark) []mark {
	head := before.LineAt(c.From)
	tail := before.Lines() - 1 - before.LineAt(c.To)
	edited := make([]mark, 0, after.Lines())
	edited = appendMarks(append(edited, marks[:head]...), after, head, after.Lines()-tail, of)
	return append(edited, marks[len(marks)-tail:]...)
}

// indent returns the columns before the first character of a line, tabs reaching to the next multiple of
// four, and how many bytes these are.
func indent(line []byte) (columns, size int) {
	for size < len(line) {
		switch line[size] {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns, size
		}
		size++
	}
	return columns, size
}

// between returns the lines of a section as the bytes of one.
func between(t *text.Text, s span) Section {
	_, to := t.Line(int(s.last))
	from := t.Start(int(s.first))
	return Section{From: from, Decl: from, To: to}
}
