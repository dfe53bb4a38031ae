package jsonspan

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// MaxDepth is the deepest nesting that encoding/json accepts.
const MaxDepth = 10_000

// Span is the bytes [From, To) of a text.
type Span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Empty reports whether the span holds no bytes.
func (s Span) Empty() bool { return s.To <= s.From }

// In returns the bytes of the span in the text src.
func (s Span) In(src []byte) []byte { return src[s.From:s.To:s.To] }

// Error says where a text stops being JSON.
type Error struct {
	Pos     int // offset of the byte
	What    string
	TooDeep bool // the text may be valid, but is nested deeper than the caller allows
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.Pos, e.What) }

// Walker reads a text from its beginning. After the first error it stays where the error is, and finds no more values.
type Walker struct {
	src        []byte
	pos        int
	depth, max int
	err        *Error
}

// New returns a walker at the beginning of src that refuses nesting deeper than maxDepth.
func New(src []byte, maxDepth int) *Walker { return &Walker{src: src, max: maxDepth} }

// At is like New for the value at a span of src. Offsets are those in src.
func At(src []byte, at Span, maxDepth int) *Walker {
	return &Walker{src: src[:at.To], pos: at.From, max: maxDepth}
}

// Whole returns the span of the one value that src holds. Errors: *Error.
func Whole(src []byte, maxDepth int) (Span, error) {
	w := New(src, maxDepth)
	at := w.Value()
	return at, w.End()
}

// Pos returns the offset that the walker has reached.
func (w *Walker) Pos() int { return w.pos }

// Err returns the first error, an *Error, or nil.
func (w *Walker) Err() error {
	if w.err == nil {
		return nil
	}
	return w.err
}

// End returns the first error, or one if anything but white space follows.
func (w *Walker) End() error {
	if w.err == nil {
		if w.Peek(); w.pos < len(w.src) {
			w.fail("bytes after the end of the value")
		}
	}
	return w.Err()
}

// Peek goes to the next byte that is not white space and returns it, 0 at the end of the text.
func (w *Walker) Peek() byte {
	if w.pos < len(w.src) && w.src[w.pos] > ' ' {
		return w.src[w.pos]
	}
	return w.space()
}

// space is Peek where white space may come first.
func (w *Walker) space() byte {
	for ; w.pos < len(w.src); w.pos++ {
		switch c := w.src[w.pos]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// Value passes over one value and returns its span, which is empty after an error.
func (w *Walker) Value() Span {
	c := w.Peek()
	from := w.pos
	if w.err != nil || !w.value(c) {
		return Span{from, from}
	}
	return Span{from, w.pos}
}

// Members passes over an object and yields the span of each member's name, with its quotes, and of its value. It is an
// iterator to range over. Both spans are those of valid JSON, but what follows them may not be: see Err.
func (w *Walker) Members(yield func(name, value Span) bool) {
	if w.err == nil && w.Peek() != '{' {
		w.fail("expected an object")
	}
	w.Inside(func(name Span) bool {
		value := w.Value()
		return w.err == nil && yield(name, value)
	})
}

// Elements passes over an array and yields the span of each element, as Members does.
func (w *Walker) Elements(yield func(value Span) bool) {
	if w.err == nil && w.Peek() != '[' {
		w.fail("expected an array")
	}
	w.Inside(func(Span) bool {
		value := w.Value()
		return w.err == nil && yield(value)
	})
}

// Inside goes into an object or array and stops in front of each value in it. It yields the span of the member's name with
// its quotes, in an array the zero Span. The loop's body may pass over the value by any method of the walker; what it
// leaves is passed over. A walker whose loop is left early is of no further use.
func (w *Walker) Inside(yield func(name Span) bool) {
	if c := w.Peek(); w.err == nil && c != '{' && c != '[' {
		w.fail("expected an object or an array")
	}
	if w.err == nil {
		w.inside(yield)
	}
}

// inside passes over the object or array at pos. It reports whether it reached its end.
func (w *Walker) inside(yield func(name Span) bool) bool {
	open := w.src[w.pos]
	closing := open + 2 // in ASCII
	if w.depth == w.max {
		w.fail("nested deeper than %d", w.max)
		w.err.TooDeep = true
		return false
	}
	w.depth++
	w.pos++
	if w.Peek() == closing {
		w.pos++
		w.depth--
		return true
	}
	for {
		var name Span
		if open == '{' && !w.name(&name) {
			return false
		}
		c, at := w.Peek(), w.pos
		if yield != nil && (!yield(name) || w.err != nil) {
			return false
		}
		if w.pos == at && !w.value(c) {
			return false
		}
		switch c := w.Peek(); {
		case w.pos == len(w.src):
			return w.fail("unexpected end")
		case c == closing:
			w.pos++
			w.depth--
			return true
		case c != ',':
			return w.fail("expected a comma or %q", closing)
		}
		w.pos++
	}
}

// name passes over the name of a member and its colon.
func (w *Walker) name(at *Span) bool {
	if w.Peek() != '"' {
		return w.fail("expected a member name")
	}
	at.From = w.pos
	if !w.text() {
		return false
	}
	at.To = w.pos
	if w.Peek() != ':' {
		return w.fail("expected a colon")
	}
	w.pos++
	return true
}

// value passes over the value at pos, which begins with c.
func (w *Walker) value(c byte) bool {
	switch {
	case c == '"':
		return w.text()
	case c == '{' || c == '[':
		return w.inside(nil)
	case c == '-' || isDigit(c):
		return w.number()
	case c == 't':
		return w.word("true")
	case c == 'f':
		return w.word("false")
	case c == 'n':
		return w.word("null")
	case w.pos == len(w.src):
		return w.fail("unexpected end")
	default:
		return w.fail("unexpected %q", c)
	}
}

// text passes over the string at pos.
func (w *Walker) text() bool {
	src, i := w.src, w.pos+1
	for {
		for i+8 <= len(src) {
			if found := special(binary.LittleEndian.Uint64(src[i:])); found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
			i += 8
		}
		for i < len(src) && src[i] >= ' ' && src[i] != '"' && src[i] != '\\' { // the last few bytes of the text
			i++
		}
		if i+1 < len(src) && src[i] == '\\' && simple[src[i+1]] != 0 {
			i += 2
			continue
		}
		w.pos = i
		switch {
		case i == len(src):
			return w.fail("unexpected end in a string")
		case src[i] == '"':
			w.pos++
			return true
		case src[i] != '\\':
			return w.fail("control byte in a string")
		}
		_, n := Escape(src[i:])
		if n == 0 {
			return w.fail("bad escape in a string")
		}
		i += n
	}
}

// simple holds what the bytes mean that make an escape of two bytes; 0 for others.
var simple = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// special returns 0 if all eight bytes of a word mean themselves in a string. Otherwise its lowest bit that is set is in the
// first byte that does not; higher ones may be wrong.
func special(word uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := word^(ones*'"'), word^(ones*'\\')
	return ((word-ones*' ')&^word | (quote-ones)&^quote | (slash-ones)&^slash) & tops
}

// number passes over the number at pos, in the grammar of RFC 8259.
func (w *Walker) number() bool {
	w.skip('-')
	if !w.skip('0') && !w.digits() || w.skip('.') && !w.digits() {
		return false
	}
	if !w.skip('e') && !w.skip('E') {
		return true
	}
	_ = w.skip('+') || w.skip('-')
	return w.digits()
}

// skip passes over the byte at pos if it is c.
func (w *Walker) skip(c byte) bool {
	is := w.pos < len(w.src) && w.src[w.pos] == c
	if is {
		w.pos++
	}
	return is
}

// digits passes over digits, of which there must be one.
func (w *Walker) digits() bool {
	from := w.pos
	for w.pos < len(w.src) && isDigit(w.src[w.pos]) {
		w.pos++
	}
	return w.pos > from || w.fail("expected a digit")
}

// word passes over a literal name.
func (w *Walker) word(name string) bool {
	if !bytes.HasPrefix(w.src[w.pos:], []byte(name)) {
		return w.fail("expected %q", name)
	}
	w.pos += len(name)
	return true
}

// fail keeps the first error, and returns false.
func (w *Walker) fail(format string, args ...any) bool {
	if w.err == nil {
		w.err = &Error{Pos: w.pos, What: fmt.Sprintf(format, args...)}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
