package artifacts

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"ctxledger.dev/internal/limits"
)

// messages says where the messages of a content are, the newest first. Behind them come those that read others back, which are
// copies. A content that is not several messages is one stretch.
type messages struct {
	stretches []stretch
	several   bool
}

// stretch names lines, 1-based, inclusive.
type stretch struct{ first, last int64 }

// readBack is in the headings of messages that read others back.
var readBack = []byte("read_artifact")

// messagesOf finds the messages of a content.
func messagesOf(c Content) (m messages, err error) {
	var copies []stretch
	into := &m.stretches
	for lines := newLineReader(c, limits.Line); ; {
		piece, first, err := lines.next()
		switch {
		case errors.Is(err, io.EOF):
			slices.Reverse(m.stretches)
			slices.Reverse(copies)
			m.stretches = append(m.stretches, copies...)
			return m, nil
		case err != nil:
			return m, err
		case first && headingOf(piece) != nil:
			m.several, into = true, &m.stretches
			if bytes.Contains(piece, readBack) {
				into = &copies
			}
			*into = append(*into, stretch{first: lines.line})
		case !m.several:
			return messages{stretches: []stretch{{1, c.Lines()}}}, nil
		}
		(*into)[len(*into)-1].last = lines.line
	}
}

// with returns which of the stretches has a line: none in front of the first for 0, and behind the last for one that is nowhere.
func (m messages) with(line int64) int {
	if line == 0 {
		return -1
	}
	at := slices.IndexFunc(m.stretches, func(s stretch) bool { return s.first <= line && line <= s.last })
	if at < 0 {
		return len(m.stretches)
	}
	return at
}
