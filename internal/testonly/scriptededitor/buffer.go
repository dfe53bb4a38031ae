package scriptededitor

import (
	"slices"
	"unicode/utf16"
)

// Position is a place in a text: a line, and units of utf-16 from its start.
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// Range is a part of a text.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Buffer is a text in units of utf-16.
type Buffer []uint16

// NewBuffer returns the buffer of a text.
func NewBuffer(text string) Buffer { return utf16.Encode([]rune(text)) }

// String returns the text; what no file can hold, half a surrogate pair, is U+FFFD.
func (b Buffer) String() string { return string(utf16.Decode(b)) }

// Lines returns where lines start.
func (b Buffer) Lines() []int {
	starts := []int{0}
	for i := range b {
		if b[i] == '\n' || b[i] == '\r' && (i+1 == len(b) || b[i+1] != '\n') {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// Unit returns the unit of a place: beyond the end of a line that of the end.
func (b Buffer) Unit(p Position) int {
	starts := b.Lines()
	if int(p.Line) >= len(starts) {
		return len(b)
	}
	from, to := starts[p.Line], len(b)
	if int(p.Line)+1 < len(starts) {
		to = starts[p.Line+1]
		for to > from && (b[to-1] == '\n' || b[to-1] == '\r') {
			to--
		}
	}
	return min(from+int(p.Character), to)
}

// Edit returns the buffer with a range replaced. Halves of pairs become U+FFFD, as they do when it is saved.
func (b Buffer) Edit(r Range, with string) Buffer {
	from, to := b.Unit(r.Start), b.Unit(r.End)
	from, to = min(from, to), max(from, to)
	return NewBuffer(string(utf16.Decode(slices.Concat(b[:from], NewBuffer(with), b[to:]))))
}
