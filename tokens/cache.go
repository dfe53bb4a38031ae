package tokens

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// The cache of a worker holds the number of tokens of pieces that it has merged. Text repeats
// itself: of Go source that was seen before, 99 of 100 pieces are found at the first look. A piece
// has one slot, its home. What it drives out from there becomes a guest of a neighbour, one of the
// group of adjacent slots that the home is in, unless pieces are at home in all. Keys are
// compared in full, so a count is never that of another piece.
const (
	shortBits = 18 // log2 of the slots for pieces of at most maxShortKey bytes: 4 MiB
	longBits  = 11 // log2 of the slots for pieces of at most maxLongKey bytes: 512 KiB

	neighbours = 4 // slots in a group

	maxShortKey = 15
	maxLongKey  = 254
)

// shortSlot holds the bytes of a piece, its length in bits 56 to 59 of high, and its number of
// tokens in bits 60 to 63. The zero value matches no piece, since none is empty.
type shortSlot struct{ low, high uint64 }

const countShift = 60

// longSlot fills four cache lines.
type longSlot struct {
	length, count uint8
	key           [maxLongKey]byte
}

// keep holds, for each length of a key, the bits of its two words that belong to it.
var keep = func() (t [maxShortKey + 1]shortSlot) {
	for n := range t {
		t[n].low = 1<<min(8*n, 64) - 1
		t[n].high = 1<<max(8*n-64, 0) - 1
	}
	return t
}()

// shortKey returns the key of a piece of n bytes, 1 to maxShortKey, at the start of b.
func shortKey(b *[16]byte, n int) shortSlot {
	k := &keep[n&maxShortKey]
	return shortSlot{
		low:  binary.LittleEndian.Uint64(b[:8]) & k.low,
		high: binary.LittleEndian.Uint64(b[8:])&k.high | uint64(n)<<56,
	}
}

// index spreads keys over the slots.
func (key shortSlot) index() uint64 {
	a, b := bits.Mul64(key.low^0x9E3779B97F4A7C15, key.high^0xD6E8FEB86659FD93)
	return (a ^ b) & (1<<shortBits - 1)
}

// home is the index of the slot where the piece that s holds belongs.
func (s *shortSlot) home() uint64 {
	return shortSlot{s.low, s.high &^ (maxShortKey << countShift)}.index()
}

// holds is whether s has the count of the piece with that key.
func (s *shortSlot) holds(key shortSlot) bool {
	return (s.low^key.low)|(s.high^key.high)<<(64-countShift) == 0
}

// longIndex spreads pieces of 8 bytes or more over the slots. It looks at their ends, their
// middle and their length only: words, runs and the lines of tables differ there.
func longIndex(piece []byte) uint64 {
	low := binary.LittleEndian.Uint64(piece)
	middle := binary.LittleEndian.Uint64(piece[len(piece)/2-4:])
	high := binary.LittleEndian.Uint64(piece[len(piece)-8:])
	a, b := bits.Mul64(low^0x9E3779B97F4A7C15, high^middle<<1^0xD6E8FEB86659FD93)
	return (a ^ b ^ uint64(len(piece))) & (1<<longBits - 1)
}

// count returns the number of tokens of text, which it normalizes first where the encoding wants it.
func (w *worker) count(text []byte) int {
	total := 0
	for start := 0; start < len(text); {
		for _, end := range w.cut(w.tokenizer, text, start) {
			if end-start > maxShortKey || start+16 > len(text) {
				total += w.countApart(text[start:end])
				start = end
				continue
			}
			key := shortKey((*[16]byte)(text[start:]), end-start)
			slot := &w.short[key.index()]
			if slot.holds(key) {
				total += int(slot.high >> countShift)
			} else {
				total += w.countMissed(key, text[start:end])
			}
			start = end
		}
	}
	return total
}

// countApart returns the number of tokens of a piece that is too long for the short slots, or
// too near the end of the text to be read with what follows.
func (w *worker) countApart(piece []byte) int {
	if len(piece) > maxShortKey {
		return w.countLong(piece)
	}
	var padded [16]byte
	copy(padded[:], piece)
	key := shortKey(&padded, len(piece))
	if slot := &w.short[key.index()]; slot.holds(key) {
		return int(slot.high >> countShift)
	}
	return w.countMissed(key, piece)
}

// countMissed returns the number of tokens of a piece that is not in its slot. It may be a guest
// of a neighbour.
func (w *worker) countMissed(key shortSlot, piece []byte) int {
	home := key.index()
	slot := &w.short[home]
	for i := uint64(1); i < neighbours; i++ {
		if guest := &w.short[home^i]; guest.holds(key) {
			*slot, *guest = *guest, *slot
			return int(slot.high >> countShift)
		}
	}
	n := len(w.merge(piece))
	if n <= maxShortKey { // it may be more where U+FFFD replaces single invalid bytes
		w.lodge(home)
		*slot = shortSlot{key.low, key.high | uint64(n)<<countShift}
	}
	return n
}

// lodge makes the piece in a slot that is its home a guest of a neighbour, if one has no piece at home.
func (w *worker) lodge(home uint64) {
	slot := &w.short[home]
	if slot.home() != home {
		return
	}
	for i := uint64(1); i < neighbours; i++ {
		if guest := &w.short[home^i]; guest.home() != home^i {
			*guest = *slot
			return
		}
	}
}

// countLong returns the number of tokens of a piece of more than maxShortKey bytes.
func (w *worker) countLong(piece []byte) int {
	if len(piece) > maxLongKey {
		return len(w.merge(piece))
	}
	slot := &w.long[longIndex(piece)]
	if string(slot.key[:slot.length]) == string(piece) {
		return int(slot.count)
	}
	n := len(w.merge(piece))
	if n <= math.MaxUint8 { // it may be more where U+FFFD, of three tokens, replaces single invalid bytes
		slot.count = uint8(n)
		slot.length = uint8(copy(slot.key[:], piece))
	}
	return n
}
