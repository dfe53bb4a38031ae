package outline

import (
	"bytes"

	"ctxledger.dev/lsp/text"
)

// mark is what one line alone contributes to the outline.
type mark struct {
	kind byte   // its meaning depends on the language
	deep bool   // indented by four columns or more
	n    uint16 // columns, level or length, depending on the kind
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

// remarked returns the marks of a text after an edit. It keeps the marks of the lines before and after the edited ones.
func remarked(marks []mark, before, after *text.Text, c text.Change, of func([]byte) mark) []mark {
	head := before.LineAt(c.From)
	tail := before.Lines() - 1 - before.LineAt(c.To)
	edited := make([]mark, 0, after.Lines())
	edited = appendMarks(append(edited, marks[:head]...), after, head, after.Lines()-tail, of)
	return append(edited, marks[len(marks)-tail:]...)
}

// indent returns the indentation of a line in columns, with tab stops every four, and in bytes.
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

// between converts the lines of a span to bytes.
func between(t *text.Text, s span) Section {
	_, to := t.Line(int(s.last))
	from := t.Start(int(s.first))
	return Section{From: from, Decl: from, To: to}
}
