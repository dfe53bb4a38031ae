package text

import (
	"sync"
	"sync/atomic"

	"ctxledger.dev/tokens"
)

// Text is the content of a document at one moment. It is safe for concurrent use.
type Text struct {
	encoding *tokens.Encoding
	size     int

	read atomic.Pointer[content] // nil: nobody has asked, or not for long
	mu   sync.Mutex              // held while that changes
	raw  []byte                  // guarded by mu; the bytes, as far as they are there in one; never changed
}

// content is what a text is read through.
type content struct {
	index *tokens.Index
	lines lines
}

// New returns the text with these bytes, which must not change any more, counted in an encoding.
func New(e *tokens.Encoding, raw []byte) *Text { return &Text{encoding: e, size: len(raw), raw: raw} }

// content returns what the text is read through, which is made when it is asked for.
func (t *Text) content() *content {
	if c := t.read.Load(); c != nil {
		return c
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.read.Load()
	if c == nil {
		c = &content{t.encoding.Index(t.raw), linesOf(t.raw)}
		t.read.Store(c)
	}
	return c
}

// bytes returns the text in one. t.mu is held.
func (t *Text) bytes() []byte {
	if t.raw == nil && t.size > 0 {
		t.raw = t.read.Load().index.AppendText(make([]byte, 0, t.size), 0, t.size)
	}
	return t.raw
}

// Release drops everything but the bytes. It is rebuilt on the next use.
func (t *Text) Release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes()
	t.read.Store(nil)
}

// Encoding returns what the text is counted in.
func (t *Text) Encoding() *tokens.Encoding { return t.encoding }

// Len returns the length in bytes.
func (t *Text) Len() int { return t.size }

// Lines returns the number of lines: one more than there are line ends.
func (t *Text) Lines() int { return len(t.content().lines) }

// Count returns the number of tokens of the bytes from from to before to.
func (t *Text) Count(from, to int) int { return t.content().index.Count(from, to) }

// Bytes returns a copy of the bytes from from to before to.
func (t *Text) Bytes(from, to int) []byte { return t.Append(nil, from, to) }

// Append appends the bytes from from to before to.
func (t *Text) Append(dst []byte, from, to int) []byte {
	return t.content().index.AppendText(dst, from, to)
}

// Start returns where line n, counted from 0, starts; the end of the text for a line that is not there.
func (t *Text) Start(n int) int {
	if l := t.content().lines; n < len(l) {
		return int(l[n])
	}
	return t.size
}

// Line returns where line n, counted from 0, starts, and where it ends without its line end. A line
// beyond the last one is an empty one at the end.
func (t *Text) Line(n int) (from, to int) {
	c := t.content()
	if n >= len(c.lines) {
		return t.size, t.size
	}
	from, to = int(c.lines[n]), t.size
	if n+1 == len(c.lines) {
		return from, to
	}
	to = int(c.lines[n+1])
	switch end := string(t.Bytes(max(from, to-2), to)); {
	case end == "\r\n":
		return from, to - 2
	default:
		return from, to - 1
	}
}

// LineAt returns the number of the line that holds a byte; the end of the text is in the last one.
func (t *Text) LineAt(offset int) int { return t.content().lines.at(offset) }

// Replace returns the text with the bytes from from to before to replaced by with. Both must lie
// between characters.
func (t *Text) Replace(from, to int, with string) *Text {
	c := t.content()
	index := c.index.Replace(from, to, []byte(with))
	edited := &Text{encoding: t.encoding, size: index.Len()}
	edited.read.Store(&content{index, c.lines.replace(from, to, len(with), index)})
	return edited
}

// In returns the same text counted in another encoding.
func (t *Text) In(e *tokens.Encoding) *Text {
	t.mu.Lock()
	defer t.mu.Unlock()
	return New(e, t.bytes())
}
