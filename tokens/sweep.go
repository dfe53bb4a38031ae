package tokens

import (
	"math/bits"
	"slices"
)

// sweep merges long pieces in about linear time, whatever they hold. It rests on a fact of the
// vocabularies, which parseVocabulary checks: a token's id is greater than those of the two
// that it is made of. So a merge never makes a pair that should have been merged before, and
// one pass over the ids in ascending order, merging all pairs of an id from left to right,
// does the merges in the order that byte-pair encoding demands.
//
// A part is known by the position of its first byte. No token is longer than 255 bytes, so
// its neighbours are found by lengths of one byte, stored at both of its ends.
type sweep struct {
	ids    []uint32 // at a part's first byte: its token
	next   []uint32 // at a part's first byte: the token that it makes with the part after it
	length []uint8  // at a part's first byte: its length in bytes
	before []uint8  // at a part's last byte: its length in bytes

	// The pairs that wait for their id: a list for each id, linked through pairs. Pairs that
	// were broken by a merge with another part stay in their list; next tells them apart.
	first   [1 << idBits]uint32        // by id: 1 + the index in pairs of the last one added; 0 is none
	pairs   []waiting                  // in the order in which they were added
	nonzero [1 << (idBits - 6)]uint64  // bit set of the ids that have a list
	summary [1 << (idBits - 12)]uint64 // bit set of the words of nonzero that are not 0
	batch   []uint32                   // the positions of the id being merged
}

// waiting is the pair of the parts at a position and after it, and the link to the pair of
// the same id that was added before it.
type waiting struct{ at, link uint32 }

// maxPiece is the length in bytes at which pieces are cut: up to it, positions and links fit in
// 32 bits, even where each byte is replaced by the three of U+FFFD and each merge adds pairs.
const maxPiece = 256 << 20

// merge returns the tokens of piece, which is not empty, and their lengths in bytes, valid until
// the next call.
func (s *sweep) merge(v *vocabulary, piece []byte) ([]uint32, []uint8) {
	s.load(v, piece)
	for id, ok := s.take(); ok; id, ok = s.take() {
		for _, at := range s.batch {
			if s.next[at] == id {
				s.join(v, int(at), id)
			}
		}
	}
	n := 0
	for i := 0; i < len(piece); n++ {
		length := s.length[i]
		s.ids[n], s.length[n] = s.ids[i], length // n never passes i
		i += int(length)
	}
	return s.ids[:n], s.length[:n]
}

// load makes one part of each byte and adds the pairs.
func (s *sweep) load(v *vocabulary, piece []byte) {
	n := len(piece)
	s.ids = slices.Grow(s.ids[:0], n)[:n]
	s.next = slices.Grow(s.next[:0], n)[:n]
	s.length = slices.Grow(s.length[:0], n)[:n]
	s.before = slices.Grow(s.before[:0], n)[:n]
	s.pairs = s.pairs[:0]
	for i, b := range piece {
		s.ids[i] = v.bytes[b]
		s.length[i], s.before[i] = 1, 1
	}
	for i := range n - 1 {
		s.pair(v, i, i+1)
	}
	s.next[n-1] = noID
}

// pair notes what the part at left makes with the part at right, which follows it.
func (s *sweep) pair(v *vocabulary, left, right int) {
	id := v.merged(s.ids[left], s.ids[right])
	s.next[left] = id
	if id == noID {
		return
	}
	s.pairs = append(s.pairs, waiting{uint32(left), s.first[id]})
	s.first[id] = uint32(len(s.pairs))
	s.nonzero[id/64] |= 1 << (id % 64)
	s.summary[id/(64*64)] |= 1 << (id / 64 % 64)
}

// take moves the positions of the lowest id that has a list to batch, in ascending order.
func (s *sweep) take() (id uint32, ok bool) {
	for i, word := range s.summary {
		if word == 0 {
			continue
		}
		at := uint32(i*64 + bits.TrailingZeros64(word))
		id = at*64 + uint32(bits.TrailingZeros64(s.nonzero[at]))
		s.nonzero[at] &= s.nonzero[at] - 1
		if s.nonzero[at] == 0 {
			s.summary[i] &= word - 1
		}
		s.batch = s.batch[:0]
		for k := s.first[id]; k != 0; k = s.pairs[k-1].link {
			s.batch = append(s.batch, s.pairs[k-1].at)
		}
		s.first[id] = 0
		slices.Reverse(s.batch) // mostly ascending then, which is fast to sort
		slices.Sort(s.batch)
		return id, true
	}
	return 0, false
}

// join merges the part at left with the part after it into the token id.
func (s *sweep) join(v *vocabulary, left int, id uint32) {
	right := left + int(s.length[left])
	end := right + int(s.length[right])
	s.next[right] = noID
	s.ids[left] = id
	s.length[left] = uint8(end - left)
	s.before[end-1] = uint8(end - left)
	s.next[left] = noID
	if end < len(s.ids) {
		s.pair(v, left, end)
	}
	if left > 0 {
		s.pair(v, left-int(s.before[left-1]), left)
	}
}
