package termtext

import (
	"bytes"
	"slices"
)

// settle makes text of the first n rows: the cursor does not reach them any more. Of a single row an
// empty one is left.
func (s *screen) settle(n int) {
	for i := range s.rows[:n] {
		s.done = append(s.rows[i].appendTo(s.done, s.marks), '\n')
	}
	s.top += n
	if n == len(s.rows) {
		s.rows = s.rows[:1]
		s.rows[0].reset()
		return
	}
	s.rows = slices.Delete(s.rows, 0, n)
}

// unsettle makes rows of the text above again, as far up as the cursor may go.
func (s *screen) unsettle() {
	from, n := len(s.done), 0
	for n < min(s.top, maxAbove) {
		from = s.base + bytes.LastIndexByte(s.done[s.base:from-1], '\n') + 1
		n++
	}
	rows := make([]line, 0, n+len(s.rows))
	for row := range bytes.Lines(bytes.Clone(s.done[from:])) {
		end := len(row) - 1
		rows = append(rows, newLine(row[:end:end]))
	}
	s.done, s.top = s.done[:from], s.top-n
	s.rows = append(rows, s.rows...)
}
