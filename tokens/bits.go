package tokens

import "math/bits"

// bitset is a set of small numbers. Positions passed to it lie within its capacity.
type bitset []uint64

// newBitset returns the empty set, for numbers below n.
func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) add(i int) { s[i>>6] |= 1 << (i & 63) }

// fill makes all numbers from from to before to members, or none of them.
func (s bitset) fill(from, to int, members bool) {
	for from < to {
		n := min(64-from&63, to-from)
		mask := ^uint64(0) >> (64 - n) << (from & 63)
		if members {
			s[from>>6] |= mask
		} else {
			s[from>>6] &^= mask
		}
		from += n
	}
}

// fillLast makes the last n numbers from from to before to members, and the others there not. There
// must be at least n of them, and n at least 1.
func (s bitset) fillLast(from, to, n int) {
	if i := from >> 6; i == (to-1)>>6 {
		all := ^uint64(0) >> (64 - (to - from)) << (from & 63)
		s[i] = s[i]&^all | all&(^uint64(0)<<((to-n)&63))
		return
	}
	s.fill(from, to-n, false)
	s.fill(to-n, to, true)
}

// count returns the number of members from from to before to.
func (s bitset) count(from, to int) int {
	if from >= to {
		return 0
	}
	first, last := from>>6, (to-1)>>6
	low, high := ^uint64(0)<<(from&63), ^uint64(0)>>(63-(to-1)&63)
	if first == last {
		return bits.OnesCount64(s[first] & low & high)
	}
	n := bits.OnesCount64(s[first]&low) + bits.OnesCount64(s[last]&high)
	for _, word := range s[first+1 : last] {
		n += bits.OnesCount64(word)
	}
	return n
}

// nth returns the member that has n others before it, or -1.
func (s bitset) nth(n int) int {
	for i, word := range s {
		if c := bits.OnesCount64(word); n >= c {
			n -= c
			continue
		}
		for range n {
			word &= word - 1
		}
		return i<<6 + bits.TrailingZeros64(word)
	}
	return -1
}

// after returns the first member from from to before to, or -1.
func (s bitset) after(from, to int) int {
	for from < to {
		if word := s[from>>6] >> (from & 63); word != 0 {
			if at := from + bits.TrailingZeros64(word); at < to {
				return at
			}
			return -1
		}
		from = from&^63 + 64
	}
	return -1
}

// before returns the last member from from to before to, or -1.
func (s bitset) before(from, to int) int {
	for to > from {
		if word := s[(to-1)>>6] << (63 - (to-1)&63); word != 0 {
			if at := to - 1 - bits.LeadingZeros64(word); at >= from {
				return at
			}
			return -1
		}
		to = (to - 1) &^ 63
	}
	return -1
}

// copy adds to s, at to and after, the members of other from from to before end; s must have
// none there.
func (s bitset) copy(to int, other bitset, from, end int) {
	for from < end {
		n := min(64-to&63, end-from)
		s[to>>6] |= other.word(from, n) << (to & 63)
		from += n
		to += n
	}
}

// word returns the n members from from on, at most 64, as the low bits.
func (s bitset) word(from, n int) uint64 {
	i, shift := from>>6, from&63
	w := s[i] >> shift
	if shift+n > 64 {
		w |= s[i+1] << (64 - shift)
	}
	return w & (^uint64(0) >> (64 - n))
}
