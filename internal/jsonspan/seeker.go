package jsonspan

// Seeker finds the first member of one name in an object that is read piece by piece and not kept. It takes no more memory
// than the longest value that it looks for, and accepts text that is not valid JSON.
type Seeker struct {
	Name string // as the text writes it, without quotes
	Max  int    // bytes of the longest value to keep, a string or another scalar

	depth           int
	quoted, escaped bool
	token           []byte // the string or scalar of the outermost object that is being read
	key             []byte // the member that is being read; nil before its colon
	value           []byte
}

// Write reads on. It never fails.
func (s *Seeker) Write(p []byte) (int, error) {
	for _, c := range p {
		s.next(c)
	}
	return len(p), nil
}

// Value returns the value as written, nil if there was none. It is not checked, and cut if it is longer than Max.
func (s *Seeker) Value() []byte { return s.value }

func (s *Seeker) next(c byte) {
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
func (s *Seeker) keep(c byte) {
	if s.depth == 1 && len(s.token) <= s.Max {
		s.token = append(s.token, c)
	}
}

// member ends a member of the outermost object.
func (s *Seeker) member() {
	if s.depth != 1 {
		return
	}
	if s.value == nil && string(s.key) == `"`+s.Name+`"` {
		s.value = s.token
	}
	s.key, s.token = nil, nil
}
