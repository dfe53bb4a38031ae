package artifacts

import (
	"bytes"
	"hash/maphash"
	"unicode/utf8"
)

// repeats knows the lines that matched in a content of several messages: an agent reads a file again and again, and a page of
// its conversation would hold the same line and what is around it as often. The zero value knows no messages, and nothing
// repeats in it. Equal hashes count as equal lines: the number of the earlier line is shown, where it can be looked up.
type repeats struct {
	seed   maphash.Seed
	places map[uint64]place
	number int // of the message at hand
}

type place struct {
	line    int64
	message int
}

const (
	minRepeated = 40     // characters of a line that is worth naming: "FAIL" is news each time
	maxRepeated = 10_000 // lines that are remembered
)

// begin says that the next message begins.
func (r *repeats) begin() {
	if r.number++; r.places == nil {
		r.seed, r.places = maphash.MakeSeed(), map[uint64]place{}
	}
}

// of returns the line of an earlier message that has the same text as line n but for its numbering and marks of a diff, or 0.
func (r *repeats) of(n int64, text []byte) int64 {
	text = bytes.TrimLeft(text, " \t+-0123456789→|:")
	if r.places == nil || utf8.RuneCount(text) < minRepeated {
		return 0
	}
	key := maphash.Bytes(r.seed, text)
	first, known := r.places[key]
	if known && first.message != r.number {
		return first.line
	}
	if !known && len(r.places) < maxRepeated {
		r.places[key] = place{n, r.number}
	}
	return 0
}
