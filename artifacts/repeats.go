package artifacts

import (
	"bytes"
	"hash/maphash"
	"unicode/utf8"
)

// repeats knows the lines that matched in a content of several messages, and what was around them: an agent reads a file again
// and again, and a page of its conversation would hold the same lines as often. The zero value knows no messages, and nothing
// repeats in it. Lines count as equal when their hashes are: the number of the earlier one is shown, where it can be looked
// up.
type repeats struct {
	seed   maphash.Seed
	places map[uint64]*place
	number int // of the message at hand

	fresh *place   // of the newest match, while the lines behind it are noted
	known []uint64 // lines that stood behind the match that the newest one repeats, as far as these are the same
}

// place is a line that matched.
type place struct {
	line    int64
	message int
	before  uint64   // of the lines before it that were shown
	after   []uint64 // of each line behind it that was shown
}

const (
	minRepeated = 40     // characters of a line that is worth naming: "FAIL" is news each time
	maxRepeated = 10_000 // lines that are remembered, those behind matches included
)

// begin says that the next message begins.
func (r *repeats) begin() {
	if r.number++; r.places == nil {
		r.seed, r.places = maphash.MakeSeed(), map[uint64]*place{}
	}
}

// of takes a line that matches, with those before it. It returns the line of a message that was read before which has the same
// text but for its numbering and marks of a diff, or 0, and whether the lines before are the same as well.
func (r *repeats) of(n int64, text []byte, before []row) (earlier int64, same bool) {
	r.fresh, r.known = nil, nil
	if r.places == nil || utf8.RuneCount(bare(text)) < minRepeated {
		return 0, false
	}
	key, above := r.hash(text), uint64(0)
	for _, b := range before {
		above = above*31 + r.hash([]byte(b.text))
	}
	first := r.places[key]
	if first != nil && first.message != r.number {
		r.known = first.after
		return first.line, first.before == above
	}
	if first == nil && len(r.places) < maxRepeated {
		r.fresh = &place{line: n, message: r.number, before: above}
		r.places[key] = r.fresh
	}
	return 0, false
}

// follows takes a line behind the newest match, and says whether it also stood behind the match that this repeats.
func (r *repeats) follows(text []byte) bool {
	if r.fresh != nil && len(r.fresh.after)*len(r.places) < maxRepeated {
		r.fresh.after = append(r.fresh.after, r.hash(text))
	}
	same := len(r.known) > 0 && r.known[0] == r.hash(text)
	if r.known = r.known[min(1, len(r.known)):]; !same {
		r.known = nil // from here on it is another text
	}
	return same
}

func (r *repeats) hash(text []byte) uint64 { return maphash.Bytes(r.seed, bare(text)) }

// bare is a line without what tools and diffs put before it.
func bare(text []byte) []byte { return bytes.TrimLeft(text, " \t+-0123456789→|:") }
