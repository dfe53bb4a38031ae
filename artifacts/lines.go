package artifacts

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf8"
)

// lineReader goes through content line by line, in bounded memory: a line longer than max bytes
// comes in several pieces.
type lineReader struct {
	c      Content
	max    int    // bytes of a piece
	buf    []byte // read and not given out yet
	used   int    // bytes of buf that were given out
	off    int64  // of the byte after buf
	end    int64  // of what is read
	line   int64  // number of the line that the newest piece belongs to, 1-based
	inside bool   // whether the next piece continues that line
}

// readAhead is how many bytes a lineReader asks for at a time.
const readAhead = 64 << 10

func newLineReader(c Content, max int) *lineReader { return &lineReader{c: c, max: max, end: c.Size()} }

// linesOf goes through some lines of a content.
func linesOf(c Content, s stretch, max int) (*lineReader, error) {
	from, err := c.LineOffset(s.first - 1)
	if err != nil {
		return nil, err
	}
	end, err := c.LineOffset(s.last)
	return &lineReader{c: c, max: max, off: from, end: end, line: s.first - 1}, err
}

// next returns a piece without its line end, and whether it is the first of its line. The piece is
// valid until the following call. The error is io.EOF at the end.
func (l *lineReader) next() (piece []byte, first bool, err error) {
	first = !l.inside
	for searched := 0; ; {
		rest := l.buf[l.used:]
		if i := bytes.IndexByte(rest[searched:], '\n'); i >= 0 && searched+i <= l.max {
			return l.take(rest[:searched+i], 1, false), first, nil
		}
		if len(rest) > l.max {
			return l.take(rest[:wholeChars(rest, l.max)], 0, true), first, nil
		}
		searched = len(rest)
		more, err := l.fill()
		if err != nil {
			return nil, false, err
		}
		if more {
			continue
		}
		if len(rest) == 0 { // the end; a long line whose newline comes next was complete before
			return nil, false, io.EOF
		}
		return l.take(rest, 0, false), first, nil
	}
}

// take gives out a piece that is followed by newline bytes of line end.
func (l *lineReader) take(piece []byte, newline int, inside bool) []byte {
	l.used += len(piece) + newline
	if !l.inside {
		l.line++
	}
	l.inside = inside
	if !inside {
		piece = bytes.TrimSuffix(piece, []byte{'\r'})
	}
	return piece
}

// fill reads on; more is false at the end of the content.
func (l *lineReader) fill() (more bool, err error) {
	n := int(min(readAhead, l.end-l.off))
	if n <= 0 {
		return false, nil
	}
	if l.used > 0 {
		l.buf = l.buf[:copy(l.buf, l.buf[l.used:])]
		l.used = 0
	}
	old := len(l.buf)
	l.buf = slices.Grow(l.buf, n)[:old+n]
	l.off += int64(n)
	return true, readFull(l.c, l.buf[old:], l.off-int64(n))
}

// wholeChars returns the largest length up to n at which p can be cut between two characters.
func wholeChars(p []byte, n int) int {
	for back := range utf8.UTFMax {
		if back < n && utf8.RuneStart(p[n-back]) {
			return n - back
		}
	}
	return n
}
