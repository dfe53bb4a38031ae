package tokens

import "math/bits"

// This file cuts 64 bytes at once. A window begins where a piece begins; its bytes are turned
// into masks, one bit for each byte and one mask for each class (classify.go), and the places
// where pieces begin come out of them by shifts, ors and carries, without a branch. What the
// masks cannot decide is a hazard: nothing is known behind it, and the scanners of
// ascii.go and rune.go go on from the last certain start. So no state is carried from window
// to window.

// windowSize is the length of a window in bytes.
const windowSize = 64

// masks are the bytes of a window by class: bit k is set in the masks of the classes that
// byte k has. classify_amd64.s knows the order of the fields.
type masks struct {
	lower      uint64 // a to z
	upper      uint64 // A to Z
	digit      uint64 // 0 to 9
	blank      uint64 // the space, U+0020
	newline    uint64 // CR and LF
	white      uint64 // all white space, newlines included
	apostrophe uint64
	slash      uint64
	suffix     uint64 // s, t, m, d in any case: with an apostrophe, a contraction
	suffix2    uint64 // r, v, l in any case: a contraction when e, e, l follows
	high       uint64 // 0x80 and above
}

// starts are the places where something decides that a piece begins, for both encodings.
type starts struct {
	letters uint64 // letters
	punct   uint64 // what is neither letter, digit, white space nor high
	tab     uint64 // white space but for newlines
	alone   uint64 // the first of a run of punctuation that no space goes before
	absorbs uint64 // newlines that end a run of punctuation, and so belong to it
	spaces  uint64 // starts of pieces of white space, and of the space that goes before the next piece
	blanks  uint64 // hazard: the newline after a newline and other white space
}

// common finds what both encodings have in common.
func (m *masks) common() (s starts) {
	s.letters = m.lower | m.upper
	s.punct = ^(s.letters | m.digit | m.white | m.high)
	s.tab = m.white &^ m.newline
	s.alone = s.punct &^ (s.punct << 1) &^ (m.blank << 1)

	// Adding the first of a run of bits to the run clears it: the carry goes to the bit behind.
	first := m.newline & (s.punct << 1)
	s.absorbs = m.newline &^ (m.newline + first)
	white := m.white &^ s.absorbs
	tail := s.tab & (m.newline << 1) // after the last newline of a run, or else a hazard follows
	s.spaces = white&^(white<<1) | tail | s.tab&^(m.white>>1)
	s.blanks = (s.tab + tail) &^ s.tab & m.newline
	return s
}

// digits returns the starts of the groups of up to three digits.
func (m *masks) digits() uint64 {
	all := m.digit &^ (m.digit << 1)
	four := m.digit & (m.digit << 1) & (m.digit << 2) & (m.digit << 3)
	for next := all << 3 & four; next != 0; next = next << 3 & four {
		all |= next
	}
	return all
}

// startsO200k returns the certain starts of the pieces of o200k_base in a window.
func (m *masks) startsO200k() uint64 {
	s := m.common()
	after := m.apostrophe & (s.letters << 1)
	taken := after & (m.suffix >> 1) // apostrophes that the word takes along, with a letter
	hazards := m.high | s.blanks | m.slash&(s.absorbs<<1) |
		after&((m.suffix2|m.high)>>1|1<<63) | m.apostrophe&(taken<<2)
	alone := s.alone &^ taken
	words := s.letters &^ (s.letters<<1 | s.tab<<1 | alone<<1 | taken<<1)
	words |= m.upper&(m.lower<<1) | s.letters&(taken<<2)
	return m.certain(words|alone|m.digits()|s.spaces, hazards)
}

// startsCL100k returns the certain starts of the pieces of cl100k_base in a window.
func (m *masks) startsCL100k() uint64 {
	s := m.common()
	after := s.alone & m.apostrophe << 1 // what may make a contraction with the apostrophe before it
	hazards := m.high | s.blanks | after&m.suffix2
	words := s.letters &^ (s.letters<<1 | s.tab<<1 | s.alone<<1)
	words |= s.letters & (after & m.suffix << 1)
	return m.certain(words|s.alone|m.digits()|s.spaces, hazards)
}

// certain returns the starts before the first hazard, without those inside white space that
// touches it: what follows decides where such a run is cut.
func (m *masks) certain(starts, hazards uint64) uint64 {
	cut := bits.TrailingZeros64(hazards) // 64 where there is none
	below := uint64(1)<<cut - 1
	run := bits.LeadingZeros64(^(m.white << (64 - cut)))
	return starts & below & (2<<(cut-run) - 1)
}
