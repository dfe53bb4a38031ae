package transcript

import (
	"bytes"
	"fmt"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

const (
	// MaxMessage bounds one message, in bytes. A message merged from several records may be longer
	// than the longest record.
	MaxMessage = 4 * limits.Line
	// maxDepth bounds the nesting of a message; arguments of real tools stay below 20.
	maxDepth = 500
)

func checkSize(raw []byte) error {
	if len(raw) > MaxMessage {
		return fault.New(fault.TooLarge, op, "message of %d bytes exceeds the limit of %d", len(raw), MaxMessage)
	}
	return nil
}

// scanner reads JSON by spans: it checks the grammar and says where values stand, so that an edit can
// leave every other byte alone. It accepts what encoding/json accepts, with a lower bound on nesting.
type scanner struct {
	src []byte
	pos int
}

// invalid is the error for input that breaks the grammar or the format at a byte.
func invalid(pos int, format string, args ...any) error {
	return fault.New(fault.Invalid, op, "byte %d: %s", pos, fmt.Sprintf(format, args...))
}

// document returns the span of the single value in src.
func document(src []byte) (Span, error) {
	s := &scanner{src: src}
	at, err := s.value(0)
	if err != nil {
		return Span{}, err
	}
	if s.space(); s.pos < len(src) {
		return Span{}, invalid(s.pos, "bytes after the end of the value")
	}
	return at, nil
}

// space passes over white space.
func (s *scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the next byte that is not white space, 0 at the end.
func (s *scanner) peek() byte {
	if s.space(); s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

// value passes over one value.
func (s *scanner) value(depth int) (Span, error) {
	c := s.peek()
	from := s.pos
	var err error
	switch {
	case c == '{':
		err = s.object(depth, nil)
	case c == '[':
		err = s.array(depth, nil)
	case c == '"':
		err = s.str()
	case c == 't':
		err = s.word("true")
	case c == 'f':
		err = s.word("false")
	case c == 'n':
		err = s.word("null")
	case c == '-' || isDigit(c):
		err = s.number()
	case s.pos == len(s.src):
		err = invalid(s.pos, "unexpected end")
	default:
		err = invalid(s.pos, "unexpected %q", c)
	}
	return Span{from, s.pos}, err
}

// object passes over the object at pos and calls each, which may be nil, for its members.
func (s *scanner) object(depth int, each func(key, val Span) error) error {
	if depth >= maxDepth {
		return invalid(s.pos, "nested deeper than %d", maxDepth)
	}
	s.pos++
	if s.peek() == '}' {
		s.pos++
		return nil
	}
	for {
		if s.peek() != '"' {
			return invalid(s.pos, "expected a member name")
		}
		key := Span{From: s.pos}
		if err := s.str(); err != nil {
			return err
		}
		key.To = s.pos
		if s.peek() != ':' {
			return invalid(s.pos, "expected a colon")
		}
		s.pos++
		val, err := s.value(depth + 1)
		if err != nil {
			return err
		}
		if each != nil {
			if err := each(key, val); err != nil {
				return err
			}
		}
		if done, err := s.next('}'); done || err != nil {
			return err
		}
	}
}

// array passes over the array at pos and calls each, which may be nil, for its elements.
func (s *scanner) array(depth int, each func(elem Span) error) error {
	if depth >= maxDepth {
		return invalid(s.pos, "nested deeper than %d", maxDepth)
	}
	s.pos++
	if s.peek() == ']' {
		s.pos++
		return nil
	}
	for {
		elem, err := s.value(depth + 1)
		if err != nil {
			return err
		}
		if each != nil {
			if err := each(elem); err != nil {
				return err
			}
		}
		if done, err := s.next(']'); done || err != nil {
			return err
		}
	}
}

// next passes over a comma, or over the closing bracket, which it reports.
func (s *scanner) next(closing byte) (done bool, err error) {
	switch c := s.peek(); {
	case s.pos == len(s.src):
		return false, invalid(s.pos, "unexpected end")
	case c == closing:
		s.pos++
		return true, nil
	case c == ',':
		s.pos++
		return false, nil
	}
	return false, invalid(s.pos, "expected a comma or %q", closing)
}

// str passes over the string at pos.
func (s *scanner) str() error {
	src, i := s.src, s.pos+1
	for {
		for i < len(src) && plain[src[i]] {
			i++
		}
		switch {
		case i == len(src):
			return invalid(i, "unexpected end in a string")
		case src[i] == '"':
			s.pos = i + 1
			return nil
		case src[i] < 0x20:
			return invalid(i, "control byte in a string")
		}
		n := escapeLen(src[i:])
		if n == 0 {
			return invalid(i, "bad escape in a string")
		}
		i += n
	}
}

// plain holds the bytes that stand for themselves in a string.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 0x20 && c != '"' && c != '\\'
	}
	return t
}()

// escapeLen returns the length of the escape at the start of b, 0 if it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	}
	if b[1] != 'u' || len(b) < 6 {
		return 0
	}
	for _, c := range b[2:6] {
		if !isHex(c) {
			return 0
		}
	}
	return 6
}

// word passes over a literal name.
func (s *scanner) word(w string) error {
	if !bytes.HasPrefix(s.src[s.pos:], []byte(w)) {
		return invalid(s.pos, "expected %q", w)
	}
	s.pos += len(w)
	return nil
}

// number passes over the number at pos, in the grammar of RFC 8259.
func (s *scanner) number() error {
	if s.src[s.pos] == '-' {
		s.pos++
	}
	if s.pos < len(s.src) && s.src[s.pos] == '0' {
		s.pos++
	} else if !s.digits() {
		return invalid(s.pos, "expected a digit")
	}
	if s.pos < len(s.src) && s.src[s.pos] == '.' {
		if s.pos++; !s.digits() {
			return invalid(s.pos, "expected a digit")
		}
	}
	if s.pos < len(s.src) && s.src[s.pos]|0x20 == 'e' {
		if s.pos++; s.pos < len(s.src) && (s.src[s.pos] == '+' || s.src[s.pos] == '-') {
			s.pos++
		}
		if !s.digits() {
			return invalid(s.pos, "expected a digit")
		}
	}
	return nil
}

// digits passes over digits and reports whether there was one.
func (s *scanner) digits() bool {
	from := s.pos
	for s.pos < len(s.src) && isDigit(s.src[s.pos]) {
		s.pos++
	}
	return s.pos > from
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
