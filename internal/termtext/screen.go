package termtext

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// screen is what a terminal without edges shows after everything that was written to it. The zero
// value is an empty screen.
//
// While the cursor has only been in its last row, rows that are done are kept as the text they will
// be. The first move upwards makes rows of that again, as far up as the cursor can go.
type screen struct {
	done  []byte // rows above those in rows, as text: what they show and a line feed each
	base  int    // where that begins in done
	top   int    // how many rows that is
	rows  []line // the rows that the cursor can reach; one is made when it is first written to
	row   int    // the cursor's row, counted from the first of all
	col   int    // the cursor's column, from 0
	saved struct{ row, col int }
	seq   sequence
	cut   []byte // the bytes of a character whose rest has not come yet
	marks []mark // what cells with combining characters consist of
	read  int    // the bytes that were written to it
	inked int    // of them, up to the last character that is no space
	spent int    // blanks made by cursor moves, less what moves may make
}

// What cursor moves do, and the bounds on it.
const (
	tabStop   = 8    // columns between tab stops; as many blanks each tab may make
	maxColumn = 4096 // the column that a move reaches at most, from 1
	maxBelow  = 200  // rows below the last written one that a move reaches at most
	// rows above the last written one that a move reaches at most: more than any terminal keeps on its screen
	maxAbove  = 1 << 14
	maxBlanks = 1 << 20 // blanks that all moves together may make
	rowBlanks = 16      // an empty row that a move made counts as so many blanks
	seqBlanks = 32      // what each sequence adds to the blanks that may be made
)

// Write shows p. It never fails.
func (s *screen) Write(p []byte) (int, error) {
	written := len(p)
	if s.rows == nil {
		s.rows = make([]line, 1)
	}
	if len(s.cut) > 0 {
		p = append(s.cut, p...)
		s.cut = nil
	}
	for len(p) > 0 {
		if s.seq.state == ground {
			n := s.text(p)
			p, s.read = p[n:], s.read+n
			continue
		}
		n, end := s.seq.read(p)
		switch end {
		case escaped:
			s.escape(p[n-1])
		case control:
			s.control(p[n-1])
		}
		p, s.read = p[n:], s.read+n
	}
	return written, nil
}

// finish appends the rows behind the text of those that are done, which begins at from in dst.
func (s *screen) finish(dst []byte, from int) []byte {
	for i := range s.rows {
		dst = append(s.rows[i].appendTo(dst, s.marks), '\n')
	}
	return dst[:from+len(bytes.TrimRight(dst[from:], "\n"))]
}

// Render appends what a terminal shows after src to dst, whose memory is another than that of src. Of a program that leaves
// the screen empty it is what a person saw last: the screen with the last character that was written.
func Render(dst, src []byte) []byte {
	s := screen{done: dst, base: len(dst)}
	_, _ = s.Write(src) // it never fails
	out := s.finish(s.done, s.base)
	if len(out) > len(dst) || s.inked == 0 {
		return out
	}
	seen := screen{done: dst, base: len(dst)}
	_, _ = seen.Write(src[:s.inked])
	_, _ = seen.Write([]byte{0}) // shows nothing, and ends a character that is incomplete
	return seen.finish(seen.done, seen.base)
}

// Shown returns what a terminal shows after a text, and whether the text has anything to render: a
// control sequence, a backspace, or a carriage return that does more than end a line. Other texts come
// back as they are, tabs and trailing spaces included.
func Shown(text string) (string, bool) {
	if !needed(text) {
		return text, false
	}
	return string(Render(nil, []byte(text))), true
}

// needed reports whether a text has anything to render. Most have not, and are only looked through.
func needed(text string) bool {
	if strings.IndexByte(text, esc) >= 0 || strings.IndexByte(text, '\b') >= 0 {
		return true
	}
	for {
		i := strings.IndexByte(text, '\r') + 1
		if i == 0 || i == len(text) {
			return false
		}
		if text[i] != '\n' {
			return true
		}
		text = text[i:]
	}
}

// text shows what p begins with, outside of sequences, and returns how many bytes that was.
func (s *screen) text(p []byte) int {
	if p[0] == esc {
		if n := colours(p); n > 0 {
			return n
		}
		s.seq.start()
		return 1
	}
	if n := s.lines(p); n > 0 {
		s.ink(bytes.TrimRight(p[:n], " \t\r\n"))
		return n
	}
	if n := printable(p); n > 0 {
		l := s.here()
		l.write(s.col, p[:n], &s.marks)
		s.col += n
		s.ink(bytes.TrimRight(p[:n], " "))
		return n
	}
	if p[0] < utf8.RuneSelf {
		s.c0(p[0])
		return 1
	}
	if !utf8.FullRune(p) {
		s.cut = append(s.cut, p...)
		return len(p)
	}
	r, n := utf8.DecodeRune(p)
	if s.put(r) {
		s.ink(p[:n])
	}
	return n
}

// ink notes that characters which are no spaces were shown, by what p begins with.
func (s *screen) ink(p []byte) {
	if len(p) > 0 {
		s.inked = s.read + len(p)
	}
}

// put shows one character that is not ASCII, and reports whether there was anything to show.
func (s *screen) put(r rune) bool {
	if isC1(r) {
		return false
	}
	l, w := s.here(), width(r)
	if w == 0 {
		if s.col > 0 { // else there is nothing that it could combine with
			l.combine(s.col, r, &s.marks)
		}
		return s.col > 0
	}
	l.put(s.col, r, w, &s.marks)
	s.col += w
	return true
}

// c0 does what an ASCII control character says, except ESC.
func (s *screen) c0(b byte) {
	switch b {
	case '\n':
		s.newline()
	case '\r':
		s.col = 0
	case '\b':
		s.col = max(0, s.col-1)
	case '\t':
		s.col = s.col/tabStop*tabStop + tabStop
		s.spent -= tabStop
	}
}

// lines shows the whole lines that p begins with and that need no screen, if the cursor is where
// they only have to be added to what is done. It returns their length.
func (s *screen) lines(p []byte) int {
	if s.col != 0 || len(s.rows) != 1 || s.row != s.top || s.rows[0].width() != 0 {
		return 0
	}
	n := 0
	for n < len(p) {
		end, tabs := plainLine(p[n:])
		if end < 0 {
			break
		}
		line, from := bytes.TrimSuffix(p[n:n+end], []byte{'\r'}), len(s.done)
		if tabs {
			line = s.expand(line)
		}
		s.done = append(trimmed(append(s.done, line...), from), '\n')
		n += end + 1
		s.row++
	}
	s.top = s.row
	return n
}

// expand appends a line up to its last tab to what is done, with blanks in the place of tabs, and returns
// the rest. What it counts is what is counted when tabs come one by one.
func (s *screen) expand(line []byte) []byte {
	whole := len(line)
	line = bytes.TrimRight(line, "\t") // tabs that nothing follows show nothing
	s.spent -= tabStop * (whole - len(line))
	for from := len(s.done); ; {
		i := bytes.IndexByte(line, '\t')
		if i < 0 {
			return line
		}
		s.done = append(s.done, line[:i]...)
		blanks := tabStop - (len(s.done)-from)%tabStop
		s.done = append(s.done, "        "[:blanks]...)
		s.spent += blanks - tabStop
		line = line[i+1:]
	}
}

// last returns the number of the last row that was written.
func (s *screen) last() int { return s.top + len(s.rows) - 1 }

// here returns the cursor's row, which then reaches up to the cursor.
func (s *screen) here() *line {
	if n := s.row - s.last(); n > 0 {
		if s.pay(n * rowBlanks) {
			s.rows = append(s.rows, make([]line, n)...)
		} else {
			s.row = s.last()
		}
	}
	l := &s.rows[s.row-s.top]
	if n := s.col - l.width(); n > 0 {
		if s.pay(n) {
			l.pad(n)
		} else {
			s.col = l.width()
		}
	}
	return l
}

// pay reports whether moves may make n more blanks, and counts them.
func (s *screen) pay(n int) bool {
	if s.spent+n > maxBlanks {
		return false
	}
	s.spent += n
	return true
}

// newline goes to the beginning of the next row.
func (s *screen) newline() {
	s.col = 0
	if s.row > s.last() {
		s.here()
	}
	switch {
	case s.row < s.last():
	case len(s.rows) == 1:
		s.settle(1)
	case len(s.rows) > 2*maxAbove:
		s.settle(maxAbove)
		fallthrough
	default:
		s.rows = append(s.rows, line{})
	}
	s.row++
}
