package tokens

import "encoding/binary"

// The lanes of a word that classifyBytes collects: byte j of a word has one bit for each of
// eight bytes of the window. Classes that exclude each other share a lane.
const (
	lowerLane = 1 << (8 * iota)
	upperLane
	digitLane
	whiteLane
	highLane
	firstLane  // of letters, suffix; of white space, newline; else apostrophe
	secondLane // of letters, suffix2; of white space, blank; else slash
)

// lanes has the lanes of each byte, in the lowest bit of each.
var lanes = func() (t [256]uint64) {
	for b, c := range byteClass {
		switch {
		case c&lower != 0:
			t[b] = lowerLane
		case c&upper != 0:
			t[b] = upperLane
		case c&number != 0:
			t[b] = digitLane
		case c&space != 0:
			t[b] = whiteLane
		case c == high:
			t[b] = highLane
		}
	}
	for _, b := range []byte("stmdSTMD\r\n'") {
		t[b] |= firstLane
	}
	for _, b := range []byte("rvlRVL /") {
		t[b] |= secondLane
	}
	return t
}()

// classifyBytes sets the masks of a window byte by byte, on any processor.
func (m *masks) classifyBytes(window *[windowSize]byte) {
	var w [8]uint64
	for i := range w {
		b := binary.LittleEndian.Uint64(window[8*i:])
		w[i] = lanes[byte(b)] | lanes[byte(b>>8)]<<1 | lanes[byte(b>>16)]<<2 | lanes[byte(b>>24)]<<3 |
			lanes[byte(b>>32)]<<4 | lanes[byte(b>>40)]<<5 | lanes[byte(b>>48)]<<6 | lanes[b>>56]<<7
	}
	transpose(&w)
	first, second := w[5], w[6]
	m.lower, m.upper, m.digit, m.white, m.high = w[0], w[1], w[2], w[3], w[4]
	letters := m.lower | m.upper
	m.suffix, m.suffix2 = first&letters, second&letters
	m.newline, m.blank = first&m.white, second&m.white
	m.apostrophe, m.slash = first&^(letters|m.white), second&^(letters|m.white)
}

// transpose turns a matrix of 8 by 8 bytes: byte j of word i becomes byte i of word j.
func transpose(w *[8]uint64) {
	swap(&w[0], &w[4], 32, 0x00000000FFFFFFFF)
	swap(&w[1], &w[5], 32, 0x00000000FFFFFFFF)
	swap(&w[2], &w[6], 32, 0x00000000FFFFFFFF)
	swap(&w[3], &w[7], 32, 0x00000000FFFFFFFF)
	swap(&w[0], &w[2], 16, 0x0000FFFF0000FFFF)
	swap(&w[1], &w[3], 16, 0x0000FFFF0000FFFF)
	swap(&w[4], &w[6], 16, 0x0000FFFF0000FFFF)
	swap(&w[5], &w[7], 16, 0x0000FFFF0000FFFF)
	swap(&w[0], &w[1], 8, 0x00FF00FF00FF00FF)
	swap(&w[2], &w[3], 8, 0x00FF00FF00FF00FF)
	swap(&w[4], &w[5], 8, 0x00FF00FF00FF00FF)
	swap(&w[6], &w[7], 8, 0x00FF00FF00FF00FF)
}

// swap exchanges the bits of a that lie shift above mask with those of b under mask.
func swap(a, b *uint64, shift int, mask uint64) {
	x, y := *a, *b
	*a = x&mask | y&mask<<shift
	*b = x>>shift&mask | y&^mask
}
