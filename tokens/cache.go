package tokens

import (
	"encoding/binary"
	"math/bits"
)

// The cache of a worker holds the number of tokens of pieces that it has merged. Text repeats
// itself: on Go source, 97 of 100 pieces are found here. It is direct-mapped: a piece has one
// slot and drives out whatever was there. Keys are compared in full, so a count is never that
// of another piece.
const (
	shortBits = 15 // log2 of the slots for pieces of at most maxShortKey bytes: 512 KiB
	longBits  = 11 // log2 of the slots for pieces of at most maxLongKey bytes: 128 KiB

	maxShortKey = 15
	maxLongKey  = 62
)

// shortSlot holds the bytes of a piece, its length in bits 56 to 59 of high, and its number of
// tokens in bits 60 to 63. The zero value matches no piece, since none is empty.
type shortSlot struct{ low, high uint64 }

const countShift = 60

// longSlot fills a cache line.
type longSlot struct {
	length, count uint8
	key           [maxLongKey]byte
}

// keepBytes has the lowest n bytes set at index n.
var keepBytes = [9]uint64{0, 1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1, 1<<40 - 1, 1<<48 - 1, 1<<56 - 1, 1<<64 - 1}

// shortKey returns the key of text[start:end], which has 1 to maxShortKey bytes.
func shortKey(text []byte, start, end int) (low, high uint64) {
	n := end - start
	if start+16 <= len(text) {
		low = binary.LittleEndian.Uint64(text[start:])
		high = binary.LittleEndian.Uint64(text[start+8:])
	} else {
		var padded [16]byte
		copy(padded[:], text[start:end])
		low = binary.LittleEndian.Uint64(padded[:])
		high = binary.LittleEndian.Uint64(padded[8:])
	}
	low &= keepBytes[min(n, 8)]
	high &= keepBytes[max(n, 8)-8]
	return low, high | uint64(n)<<56
}

// shortIndex spreads keys over the slots.
func shortIndex(low, high uint64) uint64 {
	a, b := bits.Mul64(low^0x9E3779B97F4A7C15, high^0xD6E8FEB86659FD93)
	return (a ^ b) & (1<<shortBits - 1)
}

// longIndex spreads pieces of 8 bytes or more over the slots. It looks at their ends and at
// their length only: runs, indentations and identifiers differ there.
func longIndex(piece []byte) uint64 {
	low := binary.LittleEndian.Uint64(piece)
	high := binary.LittleEndian.Uint64(piece[len(piece)-8:])
	a, b := bits.Mul64(low^0x9E3779B97F4A7C15, high^0xD6E8FEB86659FD93)
	return (a ^ b ^ uint64(len(piece))) & (1<<longBits - 1)
}

// count returns the number of tokens of text.
func (w *worker) count(text []byte) int {
	total := 0
	for start := 0; start < len(text); {
		end := w.next(text, start)
		if end-start > maxShortKey {
			total += w.countLong(text[start:end])
			start = end
			continue
		}
		low, high := shortKey(text, start, end)
		slot := &w.short[shortIndex(low, high)]
		if slot.low == low && slot.high&(1<<countShift-1) == high {
			total += int(slot.high >> countShift)
		} else {
			n := len(w.merge(text[start:end]))
			if n <= maxShortKey { // it may be more where U+FFFD replaces single invalid bytes
				*slot = shortSlot{low, high | uint64(n)<<countShift}
			}
			total += n
		}
		start = end
	}
	return total
}

// countLong returns the number of tokens of a piece of more than maxShortKey bytes.
func (w *worker) countLong(piece []byte) int {
	if len(piece) > maxLongKey {
		return len(w.merge(piece))
	}
	slot := &w.long[longIndex(piece)]
	if string(slot.key[:slot.length]) != string(piece) {
		slot.count = uint8(len(w.merge(piece)))
		slot.length = uint8(copy(slot.key[:], piece))
	}
	return int(slot.count)
}

// countPiece returns the number of tokens of a piece.
func (w *worker) countPiece(piece []byte) int {
	if len(piece) > maxShortKey {
		return w.countLong(piece)
	}
	low, high := shortKey(piece, 0, len(piece))
	slot := &w.short[shortIndex(low, high)]
	if slot.low == low && slot.high&(1<<countShift-1) == high {
		return int(slot.high >> countShift)
	}
	n := len(w.merge(piece))
	if n <= maxShortKey {
		*slot = shortSlot{low, high | uint64(n)<<countShift}
	}
	return n
}
