package termtext

import (
	"slices"
	"unicode/utf8"
)

// line is a row of the screen. Most rows only grow: those are text. What is written into the middle of
// characters that are not ASCII needs cells.
type line struct {
	text   []byte // UTF-8, unless the row has cells
	cols   int    // the columns of text: as many as bytes exactly if it is ASCII
	grid   bool   // the row has cells
	cells  []cell
	blanks int // so many columns at the beginning are known to be blank: none is erased twice
}

// cell is a column of a row: a character, the right half of a wide one, or the number of a mark,
// from -2 downwards, that is on the character.
type cell int32

const rightHalf cell = -1

// mark is a combining character on what a cell held before.
type mark struct {
	r  rune
	on cell
}

// newLine returns the row that shows a text.
func newLine(text []byte) line {
	l := line{text: text, cols: printable(text)}
	for _, r := range string(text[l.cols:]) {
		if r < utf8.RuneSelf {
			l.cols++
		} else {
			l.cols += width(r)
		}
	}
	return l
}

// ascii reports whether a row is text with a byte a column.
func (l *line) ascii() bool { return !l.grid && l.cols == len(l.text) }

// width returns the number of columns.
func (l *line) width() int {
	if l.grid {
		return len(l.cells)
	}
	return l.cols
}

// split makes a row consist of cells.
func (l *line) split(marks *[]mark) {
	if l.grid {
		return
	}
	text := l.text
	l.grid, l.text, l.cells = true, l.text[:0], slices.Grow(l.cells[:0], l.cols+2)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		i += n
		switch {
		case r < utf8.RuneSelf:
			l.cells = append(l.cells, cell(r))
		case width(r) == 0:
			l.combine(len(l.cells), r, marks)
		default:
			l.put(len(l.cells), r, width(r), marks)
		}
	}
}

// pad adds n blanks.
func (l *line) pad(n int) {
	for range n {
		if l.grid {
			l.cells = append(l.cells, ' ')
		} else {
			l.text = append(l.text, ' ')
			l.cols++
		}
	}
}

// write puts printable ASCII at a column that the row reaches up to.
func (l *line) write(col int, p []byte, marks *[]mark) {
	l.blanks = min(l.blanks, col)
	switch {
	case !l.grid && col == l.cols:
		l.text = append(l.text, p...)
		l.cols += len(p)
		return
	case l.ascii():
		n := copy(l.text[col:], p)
		l.text = append(l.text, p[n:]...)
		l.cols = len(l.text)
		return
	}
	l.split(marks)
	l.cut(col)
	l.cut(col + len(p))
	for i, b := range p {
		if at := col + i; at < len(l.cells) {
			l.cells[at] = cell(b)
		} else {
			l.cells = append(l.cells, cell(b))
		}
	}
}

// put puts a character of a width, 1 or 2, at a column that the row reaches up to.
func (l *line) put(col int, r rune, width int, marks *[]mark) {
	l.blanks = min(l.blanks, col)
	if !l.grid && col == l.cols {
		l.text = utf8.AppendRune(l.text, r)
		l.cols += width
		return
	}
	l.split(marks)
	l.cut(col)
	l.cut(col + width)
	l.pad(max(0, col+width-len(l.cells)))
	l.cells[col] = cell(r)
	if width == 2 {
		l.cells[col+1] = rightHalf
	}
}

// combine puts a combining character on the one in front of a column, which is not the first.
func (l *line) combine(col int, r rune, marks *[]mark) {
	if !l.grid && col == l.cols {
		l.text = utf8.AppendRune(l.text, r)
		return
	}
	l.split(marks)
	at := col - 1
	if l.cells[at] == rightHalf {
		at--
	}
	l.blanks = min(l.blanks, at)
	*marks = append(*marks, mark{r, l.cells[at]})
	l.cells[at] = -1 - cell(len(*marks))
}

// cut makes blanks of a wide character whose halves are left and right of a column's left edge.
func (l *line) cut(col int) {
	if l.grid && col < len(l.cells) && l.cells[col] == rightHalf {
		l.cells[col-1], l.cells[col] = ' ', ' '
	}
}

// truncate erases a row from a column on.
func (l *line) truncate(col int, marks *[]mark) {
	if col >= l.width() {
		return
	}
	l.blanks = min(l.blanks, col)
	if l.ascii() {
		l.text, l.cols = l.text[:col], col
		return
	}
	l.split(marks)
	l.cut(col)
	l.cells = l.cells[:col]
}

// blank erases the first n columns of a row.
func (l *line) blank(n int, marks *[]mark) {
	switch {
	case n >= l.width():
		l.reset()
		return
	case l.ascii():
		for i := l.blanks; i < n; i++ {
			l.text[i] = ' '
		}
	default:
		l.split(marks)
		l.cut(n)
		for i := l.blanks; i < n; i++ {
			l.cells[i] = ' '
		}
	}
	l.blanks = max(l.blanks, n)
}

// reset makes a row empty.
func (l *line) reset() { *l = line{text: l.text[:0], cells: l.cells[:0]} }

// appendTo appends what the row shows.
func (l *line) appendTo(dst []byte, marks []mark) []byte {
	if !l.grid {
		return trimmed(append(dst, l.text...), len(dst))
	}
	cells := l.cells
	for len(cells) > 0 && cells[len(cells)-1] == ' ' {
		cells = cells[:len(cells)-1]
	}
	for _, c := range cells {
		switch {
		case c < rightHalf:
			dst = appendMarked(dst, c, marks)
		case c != rightHalf:
			dst = utf8.AppendRune(dst, rune(c))
		}
	}
	return dst
}

// appendMarked appends a character with the marks on it. They are linked from the last one down.
func appendMarked(dst []byte, c cell, marks []mark) []byte {
	var on []rune
	for ; c < rightHalf; c = marks[-2-c].on {
		on = append(on, marks[-2-c].r)
	}
	dst = utf8.AppendRune(dst, rune(c))
	for _, r := range slices.Backward(on) {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// trimmed returns p without the spaces at its end, down to a length.
func trimmed(p []byte, length int) []byte {
	for len(p) > length && p[len(p)-1] == ' ' {
		p = p[:len(p)-1]
	}
	return p
}
