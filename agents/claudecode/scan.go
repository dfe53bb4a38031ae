package claudecode

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/transcript"
)

// maxDepth is how deep JSON may be nested, as in encoding/json: deeper is an attack, not a record.
const maxDepth = 10_000

// scanner finds the ends of JSON values in raw bytes, exactly as strict as encoding/json, and
// copies nothing. A position of -1 stands for "not valid JSON from here".
type scanner struct {
	b     []byte
	depth int
}

// members calls visit with each member of the object that is the whole of b apart from white
// space: the key as written, without its quotes, and where the value is. It reports whether b is
// a valid object; visit may have been called before it turns out not to be one.
func members(b []byte, visit func(key []byte, value transcript.Span)) bool {
	s := scanner{b: b}
	i := s.space(0)
	if i >= len(b) || b[i] != '{' {
		return false
	}
	i = s.object(i, visit)
	return i >= 0 && s.space(i) == len(b)
}

// value returns the end of the value that starts at i.
func (s *scanner) value(i int) int {
	if i >= len(s.b) {
		return -1
	}
	switch c := s.b[i]; {
	case c == '"':
		return s.text(i)
	case c == '{':
		return s.object(i, nil)
	case c == '[':
		return s.array(i)
	case c == '-' || '0' <= c && c <= '9':
		return s.number(i)
	case c == 't':
		return s.literal(i, "true")
	case c == 'f':
		return s.literal(i, "false")
	case c == 'n':
		return s.literal(i, "null")
	default:
		return -1
	}
}

// object returns the end of the object whose brace is at i.
func (s *scanner) object(i int, visit func([]byte, transcript.Span)) int {
	if s.depth++; s.depth > maxDepth {
		return -1
	}
	defer func() { s.depth-- }()
	i = s.space(i + 1)
	if s.at(i, '}') {
		return i + 1
	}
	for {
		if !s.at(i, '"') {
			return -1
		}
		key := i
		if i = s.text(i); i < 0 {
			return -1
		}
		keyEnd := i
		if i = s.space(i); !s.at(i, ':') {
			return -1
		}
		from := s.space(i + 1)
		if i = s.value(from); i < 0 {
			return -1
		}
		if visit != nil {
			visit(s.b[key+1:keyEnd-1], transcript.Span{From: from, To: i})
		}
		switch i = s.space(i); {
		case s.at(i, '}'):
			return i + 1
		case !s.at(i, ','):
			return -1
		}
		i = s.space(i + 1)
	}
}

// array returns the end of the array whose bracket is at i.
func (s *scanner) array(i int) int {
	if s.depth++; s.depth > maxDepth {
		return -1
	}
	defer func() { s.depth-- }()
	i = s.space(i + 1)
	if s.at(i, ']') {
		return i + 1
	}
	for {
		if i = s.value(i); i < 0 {
			return -1
		}
		switch i = s.space(i); {
		case s.at(i, ']'):
			return i + 1
		case !s.at(i, ','):
			return -1
		}
		i = s.space(i + 1)
	}
}

// plain marks the bytes that stand for themselves inside a string.
var plain = func() (t [256]bool) {
	for c := 0x20; c < len(t); c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// text returns the end of the string whose opening quote is at i.
func (s *scanner) text(i int) int {
	b := s.b
	for i++; i < len(b); i++ {
		if plain[b[i]] {
			continue
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			if i = s.escape(i + 1); i < 0 {
				return -1
			}
		default:
			return -1 // a control character
		}
	}
	return -1
}

// escape returns the last byte of the escape whose character after the backslash is at i.
func (s *scanner) escape(i int) int {
	if i >= len(s.b) {
		return -1
	}
	if s.b[i] != 'u' {
		if strings.IndexByte(`"\/bfnrt`, s.b[i]) < 0 {
			return -1
		}
		return i
	}
	if i+4 >= len(s.b) {
		return -1
	}
	for _, c := range s.b[i+1 : i+5] {
		if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
			return -1
		}
	}
	return i + 4
}

// number returns the end of the number that starts at i.
func (s *scanner) number(i int) int {
	if s.at(i, '-') {
		i++
	}
	if s.at(i, '0') {
		i++
	} else if i = s.digits(i); i < 0 {
		return -1
	}
	if s.at(i, '.') {
		if i = s.digits(i + 1); i < 0 {
			return -1
		}
	}
	if s.at(i, 'e') || s.at(i, 'E') {
		i++
		if s.at(i, '+') || s.at(i, '-') {
			i++
		}
		i = s.digits(i)
	}
	return i
}

// digits returns the end of the digits at i, of which there must be one.
func (s *scanner) digits(i int) int {
	from := i
	for i < len(s.b) && '0' <= s.b[i] && s.b[i] <= '9' {
		i++
	}
	if i == from {
		return -1
	}
	return i
}

// literal returns the end of word, which must stand at i.
func (s *scanner) literal(i int, word string) int {
	if len(s.b)-i < len(word) || string(s.b[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

// space returns the first position from i that is not white space.
func (s *scanner) space(i int) int {
	for i < len(s.b) && (s.b[i] == ' ' || s.b[i] == '\t' || s.b[i] == '\r' || s.b[i] == '\n') {
		i++
	}
	return i
}

// at reports whether c stands at i.
func (s *scanner) at(i int, c byte) bool { return i < len(s.b) && s.b[i] == c }

// unquote returns the text between the quotes of a JSON string that was found valid, as
// encoding/json does: each byte that is not UTF-8 becomes U+FFFD.
func unquote(inner []byte) string {
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	quoted := append(append([]byte{'"'}, inner...), '"')
	var s string
	_ = json.Unmarshal(quoted, &s) // cannot fail: the scanner is as strict
	return s
}
