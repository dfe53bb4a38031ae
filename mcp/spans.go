package mcp

import (
	"encoding/json"
	"fmt"
)

// spans walks over JSON that is known to be valid, and says where values stand.
type spans struct {
	src []byte
	pos int
}

// peek returns the next byte that is not white space, 0 at the end.
func (s *spans) peek() byte {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return s.src[s.pos]
		}
	}
	return 0
}

// value passes over the value at pos and returns its bytes.
func (s *spans) value() json.RawMessage {
	s.peek()
	from, open := s.pos, 0
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '"':
			s.quoted()
		case '{', '[':
			open++
			s.pos++
		case '}', ']':
			open--
			s.pos++
		default:
			s.scalar(open > 0)
		}
		if open == 0 {
			break
		}
	}
	return s.src[from:s.pos:s.pos]
}

// quoted passes over the string at pos.
func (s *spans) quoted() {
	for s.pos++; s.pos < len(s.src) && s.src[s.pos] != '"'; s.pos++ {
		if s.src[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos = min(s.pos+1, len(s.src))
}

// scalar passes over a number or word, and inside a value over one byte of any kind.
func (s *spans) scalar(inside bool) {
	for s.pos++; !inside && s.pos < len(s.src); s.pos++ {
		switch s.src[s.pos] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return
		}
	}
}

// standsTwice says that an object has two members of a name.
func standsTwice(key string) string { return fmt.Sprintf("%.1000q stands twice", key) }

// object returns the members of the object at pos. The second result says what is wrong with their
// names: one that stands twice, or a known one in another spelling.
func (s *spans) object(known []string) (fields map[string]json.RawMessage, wrong string) {
	fields = map[string]json.RawMessage{}
	s.peek()
	s.pos++
	for s.peek() == '"' {
		key := ""
		if json.Unmarshal(s.value(), &key) != nil {
			return fields, "a member's name is not a string"
		}
		s.peek()
		s.pos++ // the colon
		value := s.value()
		if _, twice := fields[key]; twice && wrong == "" {
			wrong = standsTwice(key)
		}
		if right := spelled(key, known); right != "" && wrong == "" {
			wrong = fmt.Sprintf("%.1000q must be spelled %q", key, right)
		}
		fields[key] = value
		if s.peek() == ',' {
			s.pos++
		}
	}
	return fields, wrong
}

// depth returns how deep the arrays and objects of a JSON text are nested, at least for valid text.
func depth(src []byte) int {
	s := spans{src: src}
	open, most := 0, 0
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '"':
			s.quoted()
			continue
		case '{', '[':
			open++
			most = max(most, open)
		case '}', ']':
			open--
		}
		s.pos++
	}
	return most
}
