package sessionfile

import (
	"bytes"
	"errors"
	"io"

	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/internal/limits"
)

// chunk is how much a Reader asks for at once: large enough that system calls do not count.
const chunk = 64 << 10

// bom may be at the beginning of a file that an editor has saved.
var bom = []byte("\xef\xbb\xbf")

// Position is a place in a session file at which a line starts.
type Position struct {
	Offset int64 // bytes before it
	Line   int64 // newlines before it
}

// Line is one line of a session file. The ranges [Offset, Next) of consecutive lines follow
// each other without a gap, so that their bytes together are the file.
type Line struct {
	Offset int64 // where the line starts in the file
	Next   int64 // where the following line starts
	Number int64 // 1-based
	Size   int64 // bytes of the line in the file, from Offset, without its line end
	// Text is the line without its line end, and without a byte order mark at the beginning of
	// the file. It is nil for a Long line, and valid until the following call of Next.
	Text []byte
	// Ended says that nothing that is written later belongs to the line, since a newline ends it, or another piece of the
	// same line follows. Only the last line of a file can lack it.
	Ended bool
	// Piece says that this is a part of a line that holds records besides what is damaged in it, and More that another part
	// follows. Number is that of the line.
	Piece, More bool
	// Long says that the line is longer than limits.Line. It was passed over without being kept.
	Long bool
}

// After returns where reading goes on after the line.
func (l Line) After() Position {
	at := Position{Offset: l.Next, Line: l.Number}
	if !l.Ended || l.More {
		at.Line-- // only newlines count, so that what comes later is still this line's
	}
	return at
}

// piece returns a part of a line.
func (l Line) piece(at jsonspan.Span) Line {
	text := l.Offset + l.Size - int64(len(l.Text)) // where it begins: behind a byte order mark
	p, end := l, text+int64(at.To)
	p.Text, p.More = at.In(l.Text), at.To < len(l.Text)
	p.Piece = at.From > 0 || p.More
	if at.From > 0 {
		p.Offset = text + int64(at.From)
	}
	if p.More {
		p.Next, p.Ended = end, true
	}
	p.Size = end - p.Offset
	return p
}

// Reader cuts a session file into lines, holding one line at a time.
type Reader struct {
	r          io.Reader
	buf        []byte
	start, end int   // buf[start:end] was read and not yet returned
	offset     int64 // of buf[start] in the file
	line       int64 // newlines before offset
	err        error // what ended the reading; io.EOF at the end
}

// NewReader returns a Reader of a file whose bytes from a position on come from r.
func NewReader(r io.Reader, from Position) *Reader {
	return &Reader{r: r, offset: from.Offset, line: from.Line}
}

// Next returns the following line, io.EOF after the last one, or the error of reading as it came.
func (r *Reader) Next() (Line, error) {
	for searched := 0; ; {
		have := r.buf[r.start:r.end]
		if i := bytes.IndexByte(have[searched:], '\n'); i >= 0 {
			return r.take(searched+i, true), nil
		}
		if searched = len(have); searched > limits.Line {
			return r.long()
		}
		if r.err == nil {
			r.fill()
			continue
		}
		if r.err != io.EOF || searched == 0 {
			return Line{}, r.err
		}
		return r.take(searched, false), nil
	}
}

// take returns the next n bytes as a line.
func (r *Reader) take(n int, ended bool) Line {
	text := r.buf[r.start : r.start+n] // with a carriage return, if there is one: white space to JSON
	rec := Line{Offset: r.offset, Number: r.line + 1, Ended: ended, Long: n > limits.Line}
	rec.Size = int64(len(text))
	if !rec.Long {
		rec.Text = text
	}
	if rec.Offset == 0 {
		rec.Text = bytes.TrimPrefix(rec.Text, bom)
	}
	r.pass(n)
	if ended {
		r.passNewline()
	}
	rec.Next = r.offset
	return rec
}

// pass moves on by n bytes that hold no newline.
func (r *Reader) pass(n int) {
	r.start += n
	r.offset += int64(n)
}

// passNewline moves on by the newline that ends a line.
func (r *Reader) passNewline() {
	r.pass(1)
	r.line++
}

// long passes over a line that does not fit, whose beginning fills the buffer.
func (r *Reader) long() (Line, error) {
	rec := Line{Offset: r.offset, Number: r.line + 1, Long: true}
	for {
		have := r.buf[r.start:r.end]
		n := bytes.IndexByte(have, '\n')
		if rec.Ended = n >= 0; !rec.Ended {
			n = len(have)
		}
		rec.Size += int64(n)
		r.pass(n)
		if rec.Ended || r.err != nil {
			break
		}
		r.fill()
	}
	if r.err != nil && r.err != io.EOF && !rec.Ended {
		return Line{}, r.err
	}
	if rec.Ended {
		r.passNewline()
	}
	rec.Next = r.offset
	return rec, nil
}

// fill reads once more behind the bytes that are kept, moving them to the front first if need be.
func (r *Reader) fill() {
	if r.start == r.end {
		r.start, r.end = 0, 0
	}
	if len(r.buf)-r.end < chunk {
		kept := r.end - r.start
		if kept+chunk > len(r.buf) {
			grown := make([]byte, min(max(2*len(r.buf), 2*chunk), limits.Line+2*chunk))
			copy(grown, r.buf[r.start:r.end])
			r.buf = grown
		} else {
			copy(r.buf, r.buf[r.start:r.end])
		}
		r.start, r.end = 0, kept
	}
	for range 100 { // as bufio: a reader that gives nothing, again and again, is broken
		n, err := r.r.Read(r.buf[r.end:])
		r.end += n
		if errors.Is(err, io.EOF) {
			err = io.EOF
		}
		r.err = err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}
