package text

import "unicode/utf8"

// Position is an editor's position: a line, and UTF-16 code units from its start.
type Position struct{ Line, Character uint32 }

// Range is a part of a text, from Start to before End.
type Range struct{ Start, End Position }

// units returns the number of UTF-16 code units of a character.
func units(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

// Position returns the position of a byte; inside of a character, that of the character.
func (t *Text) Position(offset int) Position {
	offset = max(0, min(offset, t.size))
	n := t.LineAt(offset)
	return Position{uint32(n), uint32(Units(t.Bytes(t.Start(n), offset)))}
}

// Cursor converts bytes to positions faster than Position if each is behind the one before: a line may be very long.
type Cursor struct {
	text *Text
	at   int
	is   Position
}

// Cursor returns one at the beginning of the text.
func (t *Text) Cursor() *Cursor { return &Cursor{text: t} }

// Position returns the position of a byte.
func (c *Cursor) Position(offset int) Position {
	offset = max(0, min(offset, c.text.size))
	if n := uint32(c.text.LineAt(offset)); n != c.is.Line || offset < c.at {
		c.at, c.is = c.text.Start(int(n)), Position{Line: n}
	}
	c.is.Character += uint32(Units(c.text.Bytes(c.at, offset)))
	c.at = offset
	return c.is
}

// Units returns the length of a text in UTF-16 code units. An incomplete character at its end is not counted.
func Units(p []byte) int {
	n := 0
	for len(p) > 0 {
		if p[0] < utf8.RuneSelf {
			p = p[1:]
			n++
			continue
		}
		if !utf8.FullRune(p) {
			break
		}
		r, size := utf8.DecodeRune(p)
		p = p[size:]
		n += units(r)
	}
	return n
}

// Offset returns the byte offset of a position: that of the pair inside of a surrogate pair, the end of the line beyond
// it, the end of the text beyond the last line.
func (t *Text) Offset(p Position) int {
	offset, _ := t.offset(p)
	return offset
}

// offset also reports whether the position is inside of a surrogate pair.
func (t *Text) offset(p Position) (offset int, torn bool) {
	if int64(p.Line) >= int64(t.Lines()) {
		return t.size, false
	}
	from, to := t.Line(int(p.Line))
	line := t.Bytes(from, min(to, from+utf8.UTFMax*int(min(int64(p.Character)+1, int64(to-from)))))
	left := int64(p.Character)
	at := 0
	for at < len(line) && left > 0 {
		r, size := utf8.DecodeRune(line[at:])
		if left < int64(units(r)) {
			return from + at, true
		}
		left -= int64(units(r))
		at += size
	}
	return from + at, false
}

// replacement replaces half of a surrogate pair.
const replacement = "\ufffd"

// Change is an edit in bytes.
type Change struct {
	From, To int // of what is replaced
	With     string
}

// Change converts an editor's edit to bytes, for Replace. A start after the end is swapped with it. Half of a surrogate
// pair that is cut becomes U+FFFD.
func (t *Text) Change(r Range, with string) Change {
	if r.End.Line < r.Start.Line || r.End.Line == r.Start.Line && r.End.Character < r.Start.Character {
		r.Start, r.End = r.End, r.Start
	}
	from, torn := t.offset(r.Start)
	if r.Start == r.End && with == "" {
		return Change{from, from, ""} // no pair is cut
	}
	if torn {
		with = replacement + with
	}
	to, torn := t.offset(r.End)
	if torn {
		with += replacement
		_, size := utf8.DecodeRune(t.Bytes(to, to+utf8.UTFMax))
		to += size
	}
	return Change{from, to, with}
}
