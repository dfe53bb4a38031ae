package termtext

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
)

// Bounds of what is kept of a process's output, in bytes.
const (
	// ErrorTail is what is kept of standard error: its end, before it is rendered.
	ErrorTail = 16 << 10
	// ResultMax bounds the message of an error.
	ResultMax = 64 << 10
)

// DeathLines is how many last lines of the output of a dead process are reported.
const DeathLines = 40

// lineSearch is how far a cut moves on to a line start, in bytes.
const lineSearch = 4 << 10

// Tail keeps the end of a stream of any length, to be rendered.
type Tail struct {
	max     int
	buf     []byte   // the end of the stream: once more than max bytes came, at least one byte more than that
	dropped int64    // the bytes in front of buf
	seq     sequence // inside of what sequence buf begins
}

// NewTail returns a Tail that keeps max bytes.
func NewTail(max int) *Tail { return &Tail{max: max} }

// Write takes the next bytes of the stream. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		part := p[:min(len(p), t.max+1)]
		t.buf, p = append(t.buf, part...), p[len(part):]
		if over := len(t.buf) - t.max - 1; over > t.max {
			t.seq.pass(t.buf[:over])
			t.buf = t.buf[:copy(t.buf, t.buf[over:])]
			t.dropped += int64(over)
		}
	}
	return n, nil
}

// AppendTo appends what a terminal shows after the kept end of the stream. It is preceded by how
// much is missing: the cut moves on to the next line start if one is near, and is never inside a
// sequence or a character.
func (t *Tail) AppendTo(dst []byte) []byte {
	from := 0
	if len(t.buf) > t.max {
		from = t.cut()
		dst = append(dst, "… ("+chars.Commas(t.dropped+int64(from))+" earlier bytes dropped)\n"...)
	}
	return Render(dst, t.buf[from:])
}

// cut returns where in buf the text begins that is shown.
func (t *Tail) cut() int {
	from := len(t.buf) - t.max
	if n := bytes.IndexByte(t.buf[from-1:min(len(t.buf), from+lineSearch)], '\n'); n >= 0 {
		from += n
	}
	seq := t.seq
	seq.pass(t.buf[:from])
	for from < len(t.buf) && seq.state != ground {
		n, _ := seq.read(t.buf[from:])
		from += n
	}
	for from < len(t.buf) && !utf8.RuneStart(t.buf[from]) {
		from++
	}
	return from
}

// Clip returns a text as it is, or its beginning of at most max bytes and how much is missing.
func Clip(text string, max int) string {
	if len(text) <= max {
		return text
	}
	n := border(text, max)
	return text[:n] + "\n… (output truncated; " + chars.Commas(len(text)-n) + " more bytes)"
}

// border returns the last place up to n at which a text can be cut: between characters that are
// for themselves, or, where there are none, between any two.
func border(text string, n int) int {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	for at := n; at > 0; {
		before, size := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at:])
		if width(after) > 0 && before != '\u200d' && (before != '\r' || after != '\n') {
			return at
		}
		at -= size
	}
	return n
}

// LastLines returns the last n lines of a text.
func LastLines(text string, n int) string {
	end := strings.TrimSuffix(text, "\n")
	from := len(end)
	for ; n > 0 && from >= 0; n-- {
		from = strings.LastIndexByte(end[:from], '\n')
	}
	return text[from+1:]
}
