package mcp

import (
	"bytes"
	"encoding/json"
)

// idSeeker finds the id of a message that is not kept, byte by byte: its sender waits for an answer
// under that id. It needs no valid JSON and no memory beyond the longest id.
type idSeeker struct {
	depth           int
	quoted, escaped bool
	token           []byte // the string or scalar of the outermost object that is being read
	key             []byte // the member that is being read; nil before its colon
	id              []byte
}

// feed reads on.
func (s *idSeeker) feed(p []byte) {
	for _, c := range p {
		s.next(c)
	}
}

func (s *idSeeker) next(c byte) {
	if s.quoted {
		s.keep(c)
		switch {
		case s.escaped:
			s.escaped = false
		case c == '\\':
			s.escaped = true
		case c == '"':
			s.quoted = false
		}
		return
	}
	switch c {
	case '"':
		s.quoted = true
		s.keep(c)
	case '{', '[':
		s.depth++
	case '}', ']':
		s.member()
		s.depth--
	case ',':
		s.member()
	case ':':
		if s.depth == 1 {
			s.key, s.token = s.token, nil
		}
	case ' ', '\t', '\r', '\n':
	default:
		s.keep(c)
	}
}

// keep takes a byte of the outermost object's own strings and scalars.
func (s *idSeeker) keep(c byte) {
	if s.depth == 1 && len(s.token) <= maxID {
		s.token = append(s.token, c)
	}
}

// member ends a member of the outermost object.
func (s *idSeeker) member() {
	if s.depth != 1 {
		return
	}
	if s.id == nil && bytes.Equal(s.key, []byte(`"id"`)) {
		s.id = s.token
	}
	s.key, s.token = nil, nil
}

// found returns the id, or nil when there was none that is one.
func (s *idSeeker) found() json.RawMessage {
	if len(s.id) == 0 || !json.Valid(s.id) || badID(s.id) != "" {
		return nil
	}
	return s.id
}
