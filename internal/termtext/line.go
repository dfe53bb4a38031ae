package termtext

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// line is a row of the screen. Most rows are ASCII, and their text is the row; only what is wider,
// narrower or longer needs cells.
type line struct {
	form   form
	text   []byte
	cells  []cell
	blanks int // so many columns at the beginning are known to be blank: none is erased twice
}

// form says what holds a row.
type form uint8

const (
	ascii  form = iota // text, a byte a column
	packed             // text in UTF-8, not taken apart yet
	grid               // cells
)

// cell is a column of a row: a character, the right half of a wide one, or the number of a mark,
// from -2 downwards, that stands on the character.
type cell int32

const rightHalf cell = -1

// mark is a combining character on what a cell held before.
type mark struct {
	r  rune
	on cell
}

// open makes the columns of a row accessible.
func (l *line) open(marks *[]mark) {
	if l.form != packed {
		return
	}
	l.form = ascii
	if printable(l.text) == len(l.text) {
		return
	}
	text := l.text
	l.text, l.form = nil, grid
	for _, r := range string(text) {
		if w := width(r); w > 0 {
			l.put(len(l.cells), cell(r), w)
		} else {
			l.combine(len(l.cells), r, marks)
		}
	}
}

// split makes a row consist of cells.
func (l *line) split() {
	if l.form == grid {
		return
	}
	l.cells = slices.Grow(l.cells[:0], len(l.text)+1)
	for _, b := range l.text {
		l.cells = append(l.cells, cell(b))
	}
	l.text, l.form = l.text[:0], grid
}

// width returns the number of columns of an open row.
func (l *line) width() int {
	if l.form == grid {
		return len(l.cells)
	}
	return len(l.text)
}

// pad adds n blanks.
func (l *line) pad(n int) {
	if l.form == grid {
		l.cells = append(l.cells, slices.Repeat([]cell{' '}, n)...)
		return
	}
	l.text = append(l.text, bytes.Repeat([]byte{' '}, n)...)
}

// write puts printable ASCII at a column that the row reaches up to.
func (l *line) write(col int, p []byte) {
	l.blanks = min(l.blanks, col)
	if l.form == ascii {
		n := copy(l.text[col:], p)
		l.text = append(l.text, p[n:]...)
		return
	}
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

// put puts a character of a width at a column that the row reaches up to.
func (l *line) put(col int, c cell, width int) {
	l.split()
	l.blanks = min(l.blanks, col)
	l.cut(col)
	l.cut(col + width)
	if n := col + width - len(l.cells); n > 0 {
		l.pad(n)
	}
	l.cells[col] = c
	if width == 2 {
		l.cells[col+1] = rightHalf
	}
}

// combine puts a combining character on the one in front of a column, which is not the first.
func (l *line) combine(col int, r rune, marks *[]mark) {
	l.split()
	at := col - 1
	if l.cells[at] == rightHalf {
		at--
	}
	l.blanks = min(l.blanks, at)
	*marks = append(*marks, mark{r, l.cells[at]})
	l.cells[at] = -1 - cell(len(*marks))
}

// cut makes blanks of a wide character whose halves stand left and right of a column's left edge.
func (l *line) cut(col int) {
	if l.form == grid && col < len(l.cells) && l.cells[col] == rightHalf {
		l.cells[col-1], l.cells[col] = ' ', ' '
	}
}

// truncate erases an open row from a column on.
func (l *line) truncate(col int) {
	if col >= l.width() {
		return
	}
	l.cut(col)
	l.blanks = min(l.blanks, col)
	if l.form == grid {
		l.cells = l.cells[:col]
	} else {
		l.text = l.text[:col]
	}
}

// blank erases the first n columns of an open row.
func (l *line) blank(n int) {
	if n >= l.width() {
		l.reset()
		return
	}
	l.cut(n)
	for i := l.blanks; i < n; i++ {
		if l.form == grid {
			l.cells[i] = ' '
		} else {
			l.text[i] = ' '
		}
	}
	l.blanks = max(l.blanks, n)
}

// reset makes a row empty.
func (l *line) reset() { *l = line{text: l.text[:0], cells: l.cells[:0]} }

// appendTo appends what the row shows.
func (l *line) appendTo(dst []byte, marks []mark) []byte {
	if l.form != grid {
		return appendTrimmed(dst, l.text)
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

// appendTrimmed appends a text without its trailing spaces.
func appendTrimmed(dst, text []byte) []byte {
	for len(text) > 0 && text[len(text)-1] == ' ' {
		text = text[:len(text)-1]
	}
	return append(dst, text...)
}
