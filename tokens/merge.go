package tokens

import "unicode/utf8"

// maxShort is the length in bytes up to which a piece is merged in an array. The work grows
// with its square, but the array stays in the first-level cache; beyond, the sweep is faster
// (BenchmarkMerge).
const maxShort = 64

// maxKept is the length in bytes of the longest piece whose memory a worker keeps for the next.
const maxKept = 64 << 10

// merge returns the tokens of a piece, valid until the next call.
func (w *worker) merge(piece []byte) []uint32 {
	if !utf8.Valid(piece) {
		w.clean = appendValid(w.clean[:0], piece)
		piece = w.clean
	}
	if id, ok := w.vocabulary.whole[string(piece)]; ok {
		w.ids[0] = id
		return w.ids[:1]
	}
	if len(piece) > maxShort {
		return w.mergeLong(piece)
	}
	n := w.vocabulary.mergeShort(piece, &w.ids, &w.pairs)
	return w.ids[:n]
}

func (w *worker) mergeLong(piece []byte) []uint32 {
	if w.sweep == nil {
		w.sweep = new(sweep)
	}
	return w.sweep.merge(w.vocabulary, piece)
}

// mergeShort puts the tokens of a piece of at most maxShort bytes into ids and returns their
// number. next is working memory: the token that each part makes with the part after it.
//
// Byte-pair encoding merges the pair with the lowest id, the leftmost of several, until no
// pair makes a token.
func (v *vocabulary) mergeShort(piece []byte, ids, next *[maxShort]uint32) int {
	n := len(piece)
	for i, b := range piece {
		ids[i] = v.bytes[b]
	}
	for i := range n - 1 {
		next[i] = v.merged(ids[i], ids[i+1])
	}
	for n > 1 {
		at, best := 0, uint32(noID)
		for i, id := range next[:n-1] {
			if id < best {
				at, best = i, id
			}
		}
		if best == noID {
			break
		}
		n--
		ids[at] = best
		copy(ids[at+1:n], ids[at+2:])
		copy(next[at:n-1], next[at+1:])
		if at > 0 {
			next[at-1] = v.merged(ids[at-1], best)
		}
		if at < n-1 {
			next[at] = v.merged(best, ids[at+1])
		}
	}
	return n
}
