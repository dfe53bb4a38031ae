package text

import (
	"sync"
	"sync/atomic"

	"ctxledger.dev/tokens"
)

// Text is one version of a document's content. It is safe for concurrent use.
type Text struct {
	encoding *tokens.Encoding
	size     int

	read atomic.Pointer[content] // nil: not used yet, or released
	mu   sync.Mutex              // held while read changes
	raw  []byte                  // guarded by mu; contiguous bytes, nil if only in the index; never modified
}

// content is the index of a text.
type content struct {
	index *tokens.Index
	lines lines
}

// New returns a text with these bytes, which must not be modified afterwards, counted in an encoding.
func New(e *tokens.Encoding, raw []byte) *Text { return &Text{encoding: e, size: len(raw), raw: raw} }

// content returns the index, which the first call makes.
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

// bytes returns the contiguous bytes. t.mu is held.
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

// Encoding returns the encoding of counts.
func (t *Text) Encoding() *tokens.Encoding { return t.encoding }

// Len returns the length in bytes.
func (t *Text) Len() int { return t.size }

// Lines returns the number of lines: one more than there are line ends.
func (t *Text) Lines() int { return len(t.content().lines) }

// Count returns the tokens of the bytes in [from,to), counted alone. The counter must be of the text's Encoding.
func (t *Text) Count(c tokens.Counter, from, to int) tokens.Count {
	return c.CountIn(t.content().index, from, to)
}

// Bytes returns a copy of the bytes in [from,to).
func (t *Text) Bytes(from, to int) []byte { return t.Append(nil, from, to) }

// Raw returns all bytes, without the index of a text that nothing was asked about. They must not be modified.
func (t *Text) Raw() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes()
}

// Append appends the bytes in [from,to).
func (t *Text) Append(dst []byte, from, to int) []byte {
	return t.content().index.AppendText(dst, from, to)
}

// Start returns the start of line n, counted from 0; the end of the text beyond the last line.
func (t *Text) Start(n int) int {
	if l := t.content().lines; n < len(l) {
		return int(l[n])
	}
	return t.size
}

// Line returns the start and the end of line n, counted from 0, without its line end. Lines beyond the last one are
// empty and at the end.
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
	if string(t.Bytes(max(from, to-2), to)) == "\r\n" {
		return from, to - 2
	}
	return from, to - 1
}

// LineAt returns the number of the line of a byte; the end of the text is in the last line.
func (t *Text) LineAt(offset int) int { return t.content().lines.at(offset) }

// Replace returns the text with the bytes in [from,to) replaced by with. Both must be character boundaries.
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
